/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drift: what has changed for the worse since a run was judged.
 *
 * drift_compare is pure: what was seen when the run was judged, what is seen of its first process now, and
 * every process that is in any of its namespaces or in its cgroup. Each finding names the control that no
 * longer holds. A limit that fell, or a process with less than the first one had, is no finding. What cannot
 * be seen is counted by whoever looks; nothing is concluded from it here.
 */
#pragma once

#include "base-error.h"
#include "base-str.h"
#include "control-catalogue.h"
#include "posture-outside.h"

struct drift_finding {
  enum control control;
  uint64_t pid;  /* of the process that it is about; 0: the run as a whole */
  char *process; /* its name, in letters that do no harm; NULL for the run as a whole */
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

/* Fails where THEN is not what a run begins with, or memory runs out. */
int drift_compare (const struct drift_look *look, struct drift *ret_drift, struct error *err);

/* Whether PROCESS is in a cgroup of the run's, or in a namespace that the run does not share with the host.
 */
bool drift_is_member (const struct outside *then, const struct outside *process);

void drift_clear (struct drift *drift);
#define cleanup_drift cleanup (drift_clear)
