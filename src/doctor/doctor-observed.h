/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix filled by measurement: what each backend that is here was seen to keep, beside what is declared
 * of it.
 *
 * One run on each backend, under a profile that promises everything; what is not carried is accepted by
 * name, so that nothing stops the run, and every control is judged as always. Where a backend cannot have a
 * read-only root and a user namespace at once, two runs see one of them each, and that is said. A cell that
 * is declared enforced and was not verified is wrong, unless it is this host that lacks what it takes.
 */
#pragma once

#include "base-error.h"
#include "base-str.h"
#include "control-backend.h"
#include "posture-posture.h"

struct session_process;

struct observed_cell {
  enum verdict verdict;
  bool host_lacks; /* the host cannot carry it, whatever the backend can */
  char *evidence;
};

struct observed_backend {
  char *version; /* NULL: it is not here */
  char *absent;  /* why not, or why nothing was observed; NULL: it was */
  char *apart;   /* why two runs were needed to see all of it; NULL: one was enough */
  struct observed_cell cells[CONTROL_COUNT];
};

struct observed {
  char *kernel;                                  /* "6.18 x86_64" */
  struct observed_backend backends[BACKEND_MAX]; /* as BACKENDS has them */
};

/* IMAGE is what engines start from, as they cannot start from the host's programs; NULL: none, and no engine
 * is tried. A backend that is not here is no failure. */
int observed_look (struct session_process *process, const char *image, struct observed *ret_observed,
                   struct error *err);

/* Whether something was observed on BACKEND. */
bool observed_was_here (const struct observed *observed, size_t backend);

/* It is here, and nothing could be observed on it. */
bool observed_has_failed (const struct observed *observed, size_t backend);

/* Whether what was seen contradicts what is declared. */
bool observed_is_wrong (const struct observed *observed, enum control control, size_t backend);

/* In a word or two: "verified", "not verified", "not on this host", "weaker", "impossible". */
const char *observed_text (const struct observed *observed, enum control control, size_t backend);

/* A page of documentation, in Markdown. */
void observed_page (const struct observed *observed, struct strbuf *buf);

void observed_clear (struct observed *observed);
#define cleanup_observed cleanup (observed_clear)
