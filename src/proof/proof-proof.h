/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The proof of a container, before its command starts: init is asked, mounts get back the flags that a
 * runtime forgot, the container is looked at from outside, and a judge decides.
 *
 *   proof_begin         sends the first questions; init need not be there yet
 *   proof_look_around   what is around the container, while that is being made; may be left out
 *   proof_look          the container itself, while init is busy with its answers
 *   proof_receive       as often as there is something to read, until all is answered
 *   proof_judge         the verdict
 *
 * It serves our own runs, prewarmed sandboxes, runs in an engine and the runtime shim. Nothing here waits for
 * init: the caller does.
 */
#pragma once

#include "posture-posture.h"
#include "proof-outside.h"
#include "proof-talk.h"

struct proof {
  struct inside inside;
  size_t from, asked; /* the questions that are on their way: from FROM up to ASKED */
  bool remounted;     /* the mounts were changed and are asked about once more */
  struct outside outside;
  int host_mounts;    /* the host's table of mounts, opened before it was read: tells when it has changed */
  bool looked_around; /* OUTSIDE has what is around */
};

#define PROOF_NONE ((struct proof){ .host_mounts = -1 })

int proof_begin (struct proof *proof, const struct promises *promises, const struct talk *talk,
                 struct error *err);

/* Whoever could not look around by now does it in proof_look, and is told why not. */
void proof_look_around (struct proof *proof, const struct promises *promises);
int proof_look (struct proof *proof, const struct outside_subject *subject, struct error *err);

/* 1: all is answered; 0: more has to come. PIDFD is init's, in whose mount namespace flags are put back; -1:
 * it has a kernel of its own. */
int proof_receive (struct proof *proof, const struct promises *promises, struct talk *talk, int pidfd,
                   struct error *err);

/* PID is init's, 0 for one that has a kernel of its own. */
int proof_judge (struct proof *proof, const struct promises *promises, pid_t pid,
                 struct posture **ret_posture, struct error *err);

/* As before proof_begin. */
void proof_clear (struct proof *proof);

/* remount.c: gives the mounts that MOUNTINFO shows the flags that they should have, and keeps the host's out.
 * Whether it did something. */
bool proof_remount (const struct promises *promises, const char *mountinfo, int pidfd);
