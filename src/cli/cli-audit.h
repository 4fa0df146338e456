/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the verbs of the audit journal share: which events are meant, and how one is shown.
 *
 * Options go in, a filter comes out; a line of the journal goes in, text or JSON comes out. Text of events
 * may come from anywhere and is cleaned on its way to a terminal.
 */
#pragma once

#include "base-error.h"
#include "base-json-write.h"
#include "journal-journal.h"
#include "options-options.h"
#include "options-output.h"

struct audit_filter {
  const char *run;             /* NULL: any */
  const char *container;       /* an engine's, or how its id begins; NULL: any */
  bool whole;                  /* the whole of its id */
  const struct strlist *kinds; /* empty: any */
  char since[32];              /* "": any */
};

int audit_filter_read (const struct arguments *arguments, struct audit_filter *ret_filter, struct error *err);
/* ID is a run's, or a container's. */
int audit_filter_set (struct audit_filter *filter, const char *id, struct error *err);
bool audit_filter_takes (const struct audit_filter *filter, const struct journal_line *line);

/* The details in one line: "profile.name=hardened backend=libcrun". */
void audit_summary (const struct json_node *details, struct strbuf *out);

/* Where the journal of this user is kept; the caller frees it. */
int audit_state (char **ret_state, struct error *err);
