/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drift: what has become weaker since a run was judged.
 *
 * drift_compare is pure. In go the facts from when the run was judged, the facts about its init now, and
 * every process in any of its namespaces or in its cgroup. Each finding names the control that no longer
 * holds. A lower limit, or a process with fewer privileges than init, is no finding. The caller counts what
 * it could not read; nothing is concluded from that here.
 */
#pragma once

#include "base-error.h"
#include "base-str.h"
#include "control-catalogue.h"
#include "posture-outside.h"

struct drift_finding {
  enum control control;
  uint64_t pid;  /* of the process concerned; 0: the whole run */
  char *process; /* its name in printable ASCII; NULL for the whole run */
  char *was, *is;
};

struct drift {
  struct drift_finding *items;
  size_t count;
  bool failed; /* memory ran out; drift_compare reports it */
};

struct drift_look {
  const struct outside *then; /* when it was judged */
  const struct outside *now;  /* its first process, and its cgroup */
  const struct outside *processes;
  size_t count;
};

/* Fails if THEN is incomplete, the mount table is unreadable, or memory runs out. */
int drift_compare (const struct drift_look *look, struct drift *ret_drift, struct error *err);

/* Whether PROCESS is in a cgroup of the run, or in a namespace that the run does not share with the host. */
bool drift_is_member (const struct outside *then, const struct outside *process);

void drift_clear (struct drift *drift);
#define cleanup_drift cleanup (drift_clear)
