/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files that infer denials from the end of a command's standard error. */
#pragma once

#include "denial-outcome.h"

struct infer {
  const struct outcome *outcome;
  const struct plan *plan;
  struct denials *denials;
  bool suspicious; /* as outcome_explain returns it */
};

/* Adds a denial unless it is there already. Takes WHAT, RULE and ALLOW; if one is NULL, memory ran out. */
void infer_add (struct infer *infer, enum control control, int errnum, enum denial_confidence confidence,
                char *what, char *rule, char *allow);

/* The origin of the value of SETTING, as text. */
char *infer_origin (const struct infer *infer, enum setting setting);

/* Adds a denial if the plan explains the message about PATH. */
void infer_read_only (struct infer *infer, const char *path); /* NULL: the message has no path */
void infer_no_space (struct infer *infer, const char *path);  /* NULL: the message has no path */
void infer_absent (struct infer *infer, const char *path);
void infer_forbidden (struct infer *infer, const char *path, bool executing);

bool infer_look (const struct infer *infer, const char *path, struct outcome_seen *ret_seen);

/* infer-tools.c: whether the mode of PATH allows the run's user to execute it. */
bool infer_can_execute (const struct infer *infer, const char *path);
/* PATH could not be executed, although its mode allows it. */
void infer_tool (struct infer *infer, const char *path);
/* The executable NAME in the run's PATH; NULL: none. */
char *infer_find_program (const struct infer *infer, const char *name);
void infer_program (struct infer *infer, const char *name);
void infer_program_before (struct infer *infer, const char *line, const char *phrase);

/* infer-network.c: the message is about a name that was not found, or a network that was not reached. */
void infer_lookup (struct infer *infer, const char *line, const char *phrase_end, const char *phrase_start);
void infer_no_peer (struct infer *infer, const char *text);
void infer_unreachable (struct infer *infer);

/* messages.c: replaces typographic quotation marks in LINE by ASCII ones, in place. */
void message_straighten (char *line);
/* The next path in *TEXT, made absolute and without "." or "..", or NULL; *TEXT advances past it. A relative
 * path is resolved from CWD and sets *RET_RELATIVE. */
char *message_next_path (const char **text, const char *cwd, bool *ret_relative);
/* The host name at the start of TEXT, after quotes and blanks; NULL: none. */
char *message_host (const char *text);
/* Whether HOST cannot be found in any network's DNS. */
bool message_host_is_local (const char *host);
