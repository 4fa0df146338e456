/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The proof of a container, before its command starts: ask init, restore mount flags that the runtime
 * dropped, observe from outside, judge.
 *
 *   proof_begin         sends the first questions; init need not run yet
 *   proof_look_around   optional: reads the host's facts while the container is being created
 *   proof_look          reads the container's facts while init answers
 *   proof_receive       whenever there is something to read, until all is answered
 *   proof_judge         the verdict
 *
 * It serves our own runs, prewarmed sandboxes, runs in an engine and the runtime shim. Nothing here waits for
 * init: the caller does.
 */
#pragma once

#include "posture-posture.h"
#include "proof-outside.h"
#include "proof-talk.h"

/* What init is to put in force itself, once: the body of a HANDSHAKE_RESTRICT. */
struct restriction {
  uint8_t *bytes; /* NULL: nothing */
  size_t size;
  int answer; /* the errno with which the caller answers what is notified until the command starts */
  bool sent;
};

struct proof {
  struct inside inside;
  struct restriction *restriction; /* NULL: none */
  bool restricting;                /* the next message is a RESTRICTED */
  bool loaded;                     /* init has loaded its filter during this proof */
  int listener;       /* of init's filter, to be taken by the caller before it waits on; -1: none */
  size_t from, asked; /* the questions without answers: from FROM up to ASKED */
  bool remounted;     /* mounts were changed, and the mount table is asked for again */
  struct outside outside;
  int host_mounts;    /* the host's mountinfo, opened before it was read; polled for changes */
  bool looked_around; /* OUTSIDE has the host's facts */
};

#define PROOF_NONE ((struct proof){ .host_mounts = -1, .listener = -1 })

/* RESTRICTION, which must outlive the proof, is sent when the first questions are answered; NULL: none. */
int proof_begin (struct proof *proof, const struct promises *promises, struct restriction *restriction,
                 const struct talk *talk, struct error *err);

/* If this fails, proof_look tries again and reports the error. */
void proof_look_around (struct proof *proof, const struct promises *promises);
int proof_look (struct proof *proof, const struct outside_subject *subject, struct error *err);

/* Reads init's status again, after it has loaded its filter: what was read before is not what the command
 * has. */
void proof_look_again (struct proof *proof, pid_t pid);

/* 1: all is answered; 0: more must come. PIDFD is init's, in whose mount namespace flags are restored; -1:
 * the container has its own kernel. */
int proof_receive (struct proof *proof, const struct promises *promises, struct talk *talk, int pidfd,
                   struct error *err);

/* PID is init's; 0: the container has its own kernel. */
int proof_judge (struct proof *proof, const struct promises *promises, pid_t pid,
                 struct posture **ret_posture, struct error *err);

/* Frees everything; PROOF may be used again. */
void proof_clear (struct proof *proof);

/* remount.c: adds missing flags to the mounts in MOUNTINFO, and makes shared ones private. Returns whether it
 * changed something. */
bool proof_remount (const struct promises *promises, const char *mountinfo, int pidfd);
