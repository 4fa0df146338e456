/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that read a command's last words share. */
#pragma once

#include "denial-outcome.h"

struct infer {
  const struct outcome *outcome;
  const struct plan *plan;
  struct denials *denials;
  bool suspicious; /* as outcome_explain returns it */
};

/* One denial with its reason, as a rule has found it. WHAT, RULE and ALLOW are taken, and may be NULL where
 * memory ran out. */
void infer_add (struct infer *infer, enum control control, int errnum, enum denial_confidence confidence,
                char *what, char *rule, char *allow);

/* Where the value of SETTING came from. */
char *infer_origin (const struct infer *infer, enum setting setting);

/* What a message says of a path. */
void infer_read_only (struct infer *infer, const char *path); /* NULL: none was named */
void infer_no_space (struct infer *infer, const char *path);  /* NULL: none was named */
void infer_absent (struct infer *infer, const char *path);
void infer_forbidden (struct infer *infer, const char *path, bool executing);

bool infer_look (const struct infer *infer, const char *path, struct outcome_seen *ret_seen);

/* infer-tools.c: whether the run's user could execute PATH where nothing but its mode counted. */
bool infer_can_execute (const struct infer *infer, const char *path);
/* PATH could not be executed, although its mode allows it. */
void infer_tool (struct infer *infer, const char *path);
/* The program that NAME stands for along the run's PATH; NULL: none. */
char *infer_find_program (const struct infer *infer, const char *name);
void infer_program (struct infer *infer, const char *name);
void infer_program_before (struct infer *infer, const char *line, const char *phrase);

/* infer-network.c: LINE says that a name was not found, or a network not reached. */
void infer_lookup (struct infer *infer, const char *line, const char *phrase_end, const char *phrase_start);
void infer_no_peer (struct infer *infer, const char *text);
void infer_unreachable (struct infer *infer);

/* words.c: turns the quotation marks of UTF-8 locales in LINE into those of others, in place. */
void words_straighten (char *line);
/* The next path in *TEXT, absolute and without "." or "..", or NULL; *TEXT is moved behind it. One
 * without a slash in front is taken from CWD, and *RET_RELATIVE. */
char *words_next_path (const char **text, const char *cwd, bool *ret_relative);
/* The name of a host at the start of TEXT, after quotes and blanks; NULL: there is none. */
char *words_host (const char *text);
/* Whether no network has a host of that name. */
bool words_host_is_local (const char *host);
