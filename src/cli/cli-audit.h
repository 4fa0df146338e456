/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the audit verbs: which events are selected, and how one is shown.
 *
 * Options are read into a filter; a line of the journal is shown as text or JSON. The text of events is
 * untrusted and is cleaned before it reaches a terminal.
 */
#pragma once

#include "base-error.h"
#include "base-json-write.h"
#include "journal-journal.h"
#include "options-options.h"
#include "options-output.h"

struct audit_filter {
  const char *run;             /* NULL: any */
  const char *container;       /* id of an engine's container, or a prefix of it; NULL: any */
  bool whole;                  /* CONTAINER must match the whole id */
  const struct strlist *kinds; /* empty: any */
  char since[32];              /* "": any */
};

int audit_filter_read (const struct arguments *arguments, struct audit_filter *ret_filter, struct error *err);
/* ID is that of a run or of a container. */
int audit_filter_set (struct audit_filter *filter, const char *id, struct error *err);
bool audit_filter_takes (const struct audit_filter *filter, const struct journal_line *line);

/* Writes the details as one line: "profile.name=hardened backend=libcrun". */
void audit_summary (const struct json_node *details, struct strbuf *out);

/* The directory of the journal of this user; the caller frees it. */
int audit_state (char **ret_state, struct error *err);
