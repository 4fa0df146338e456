/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the topics of a plan while it is built. Each topic reads the inputs and the settings in force,
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

int draft_controls (struct draft *draft); /* what is promised, enforced, refused */
int draft_process (struct draft *draft);  /* argv, cwd, user, AppArmor, rlimits, filter */
int draft_env (struct draft *draft);      /* the environment */
int draft_ids (struct draft *draft);      /* user namespace and its maps */
int draft_root (struct draft *draft);     /* the root, and the entries of one from the host */
int draft_mounts (struct draft *draft);   /* every mount, masked and read-only paths */
int draft_hide (struct draft *draft);     /* what the profile hides; after the mounts */
int draft_limits (struct draft *draft);   /* cgroup, time, output */
int draft_engine (struct draft *draft);   /* the engine's owner; last */

/* The value in force. */
const struct value *draft_value (const struct draft *draft, enum setting setting);

/* Adds a note for the user. */
int draft_note (struct draft *draft, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/* Why we cannot create a cgroup for the run on this host; NULL: we can. */
const char *draft_why_no_cgroup (const struct draft *draft);

/* Adds a mount at the end; OPTIONS is comma-separated. */
int plan_append_mount (struct plan_mount **mounts, size_t *count, const char *type, const char *source,
                       const char *target, const char *options, struct error *err);
int draft_add_mount (struct draft *draft, const char *type, const char *source, const char *target,
                     const char *options);
/* Adds a bind mount of the host path that FACT describes. */
int draft_add_bind (struct draft *draft, const struct path_fact *fact, const char *target, bool writable,
                    bool executable);
/* Adds an entry of the root, and its parent directories, unless they exist already. */
int draft_add_entry (struct draft *draft, enum entry_kind kind, const char *path, const char *text);

/* Whether filesystem.noexec names the mount at TARGET. */
bool draft_is_noexec (const struct draft *draft, const char *target);
