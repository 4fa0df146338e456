/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the topics of a plan share while it is built. Each topic reads the inputs and the met settings,
 * and fills its own part of the plan; the order of the calls is in build.c. */
#pragma once

#include "plan-plan.h"

struct draft {
  const struct profile *profile;
  const struct request *request;
  const struct ceiling *ceiling;
  const struct host_facts *host;
  struct plan *plan;
  struct error *err;
};

int draft_controls (struct draft *draft); /* what is promised, carried, refused */
int draft_process (struct draft *draft);  /* argv, cwd, user, AppArmor, rlimits, filter */
int draft_env (struct draft *draft);      /* the environment */
int draft_ids (struct draft *draft);      /* user namespace and its maps */
int draft_root (struct draft *draft);     /* the root, and the entries of one from the host */
int draft_mounts (struct draft *draft);   /* every mount, masked and read-only paths */
int draft_hide (struct draft *draft);     /* what the profile hides; after the mounts */
int draft_limits (struct draft *draft);   /* cgroup, time, output */
int draft_engine (struct draft *draft);   /* whose engine it is; last */

/* Shorthand for the value in force. */
const struct value *draft_value (const struct draft *draft, enum setting setting);

/* Adds a line for people. */
int draft_note (struct draft *draft, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/* Why a run of ours gets no cgroup on this host; NULL: it gets one. */
const char *draft_why_no_cgroup (const struct draft *draft);

/* Adds a mount at the end; OPTIONS is comma-separated. */
int plan_append_mount (struct plan_mount **mounts, size_t *count, const char *type, const char *source,
                       const char *target, const char *options, struct error *err);
int draft_add_mount (struct draft *draft, const char *type, const char *source, const char *target,
                     const char *options);
/* Adds a bind of a host path that has been looked at. */
int draft_add_bind (struct draft *draft, const struct path_fact *fact, const char *target, bool writable,
                    bool executable);
/* Adds an entry of the root, and the directories above it, unless they are there. */
int draft_add_entry (struct draft *draft, enum entry_kind kind, const char *path, const char *text);

/* Whether filesystem.noexec names the mount at TARGET. */
bool draft_is_noexec (const struct draft *draft, const char *target);
