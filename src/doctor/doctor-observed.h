/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix by measurement: what each available backend was observed to enforce, beside its declaration.
 *
 * One run on each backend under a profile that promises every control. Every control is waived by name, so
 * that nothing stops the run, and is judged as usual. Where a backend cannot have a read-only root and a user
 * namespace together, each is observed in a run of its own, and that is reported. A cell that is declared
 * enforced and was not verified is wrong, unless this host lacks what it needs.
 */
#pragma once

#include "base-error.h"
#include "base-str.h"
#include "control-backend.h"
#include "posture-posture.h"

struct session_process;

struct observed_cell {
  enum verdict verdict;
  bool host_lacks; /* this host does not support it, whatever the backend can do */
  char *evidence;
};

struct observed_backend {
  char *version; /* NULL: not available */
  char *absent;  /* why it is not available, or why nothing was observed; NULL: observed */
  char *apart;   /* why two runs were needed; NULL: one was enough */
  struct observed_cell cells[CONTROL_COUNT];
};

struct observed {
  char *kernel;                                  /* "6.18 x86_64" */
  struct observed_backend backends[BACKEND_MAX]; /* in the order of BACKENDS */
};

/* IMAGE is what engines start, because they cannot start the programs of the host; NULL: engines are
 * skipped. A backend that is not available is no failure. */
int observed_look (struct session_process *process, const char *image, struct observed *ret_observed,
                   struct error *err);

/* Whether something was observed on BACKEND. */
bool observed_was_here (const struct observed *observed, size_t backend);

/* BACKEND is available, but nothing could be observed on it. */
bool observed_has_failed (const struct observed *observed, size_t backend);

/* Whether the observation contradicts the declaration. */
bool observed_is_wrong (const struct observed *observed, enum control control, size_t backend);

/* In short: "verified", "not on this host", "weaker", "impossible", ... */
const char *observed_text (const struct observed *observed, enum control control, size_t backend);

/* The documentation page, in Markdown. */
void observed_page (const struct observed *observed, struct strbuf *buf);

void observed_clear (struct observed *observed);
#define cleanup_observed cleanup (observed_clear)
