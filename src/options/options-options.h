/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of every verb in one table, and the parser that reads a command line by it.
 *
 * A row has the name, the name of its value, whether it repeats, what a shell completes, and one line of
 * help. A verb lists its options. Help, manual page and completions are printed from the same rows.
 *
 * Options are long: "--name VALUE" or "--name=VALUE". An option that does not repeat and is given twice is an
 * error, since the later one would silently replace the earlier. "--" ends the options; for verbs with a
 * command, the command's first word does too. Every error has the code CLI_USAGE.
 *
 * Must never: print, exit, keep state, or accept an abbreviation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "base-str.h"
#include "control-backend.h"

enum option {
  OPTION_PROFILE,
  OPTION_BACKEND,
  OPTION_RUNTIME,
  OPTION_ROOTFS,
  OPTION_IMAGE,
  OPTION_WORKSPACE,
  OPTION_CWD,
  OPTION_ENV,
  OPTION_MOUNT,
  OPTION_SECRET,
  OPTION_LIMIT,
  OPTION_TIMEOUT,
  OPTION_GRACE,
  OPTION_ACCEPT,
  OPTION_UNCONFINED,
  OPTION_HOST_FACTS,
  OPTION_TARGET,
  OPTION_BUNDLE,
  OPTION_ENGINE_SOCKET,
  OPTION_PULL,
  OPTION_TTY,
  OPTION_TRACE_TIME,
  OPTION_RESULT,
  OPTION_EVENTS,
  OPTION_SIGNAL,
  OPTION_DRY_RUN,
  OPTION_REMOVE,
  OPTION_SYSTEM_ROOT,
  OPTION_JSON,
  OPTION_OPERATOR,
  OPTION_TYRUM,
  OPTION_GATEWAY,
  OPTION_TOOLRUNNER,
  OPTION_SHORT,
  OPTION_OBSERVE,
  OPTION_MARKDOWN,
  OPTION_NAMES,
  OPTION_DIGEST,
  OPTION_CEILING,
  OPTION_CONFIGURATION,
  OPTION_RUN,
  OPTION_KIND,
  OPTION_SINCE,
  OPTION_LAST,
  OPTION_FROM,
  OPTION_ANCHOR,
  OPTION_HOME,
  OPTION_DB,
  OPTION_MIGRATIONS,
  OPTION_PAYLOAD,
  OPTION_WITH_PARENT,
  OPTION_FORMAT,
  OPTION_SOCKET,
  OPTION_IDLE,
  OPTION_VERSION,
  OPTION_HELP, /* every verb takes it, listed or not */
  OPTION_COUNT
};

/* The options of a request; those of run, spec and explain begin with them. */
#define OPTIONS_OF_REQUEST                                                                                   \
  OPTION_PROFILE, OPTION_BACKEND, OPTION_RUNTIME, OPTION_ROOTFS, OPTION_IMAGE, OPTION_WORKSPACE, OPTION_CWD, \
      OPTION_ENV, OPTION_MOUNT, OPTION_SECRET, OPTION_LIMIT, OPTION_TIMEOUT, OPTION_ACCEPT,                  \
      OPTION_UNCONFINED, OPTION_HOST_FACTS

/* The same without those of the command: for verbs that launch probes. */
#define OPTIONS_OF_PROBE                                                                                     \
  OPTION_PROFILE, OPTION_BACKEND, OPTION_RUNTIME, OPTION_ROOTFS, OPTION_IMAGE, OPTION_WORKSPACE,             \
      OPTION_MOUNT, OPTION_SECRET, OPTION_LIMIT, OPTION_TIMEOUT, OPTION_ACCEPT, OPTION_ENGINE_SOCKET

/* What a shell completes. */
enum complete {
  COMPLETE_NOTHING,
  COMPLETE_WORDS, /* the row's words and nothing else */
  COMPLETE_FILE,
  COMPLETE_DIRECTORY,
  COMPLETE_PROFILE, /* names, or a file */
  COMPLETE_CONTROL,
  COMPLETE_COMMAND,
  COMPLETE_VERB,
};

struct option_info {
  const char *name;  /* without the dashes */
  const char *value; /* "NAME|FILE"; NULL for a flag */
  bool repeats;
  enum complete complete;
  const char *const *words; /* offered as well, NULL-terminated; NULL for none */
  /* Further words, one for each backend; it may return NULL. NULL: none. */
  const char *(*word_of) (const struct backend *backend);
  const char *help;
};

const struct option_info *option_info (enum option option);

/* The command line itself is wrong. */
#define CLI_USAGE ERROR_USAGE

struct session_process;

struct arguments {
  struct strlist values[OPTION_COUNT]; /* a flag that was given has one empty value */
  struct strlist operands;
  struct session_process *process; /* NULL: nothing is launched */
};

/* Reads ARGV, NULL-terminated. ACCEPTED ends with OPTION_COUNT. With COMMAND the first operand ends the
 * options. */
int arguments_parse (char *const *argv, const enum option *accepted, bool command,
                     struct arguments *ret_arguments, struct error *err);

bool arguments_have (const struct arguments *arguments, enum option option);
/* The value, or NULL when the option was not given. */
const char *arguments_text (const struct arguments *arguments, enum option option);

void arguments_clear (struct arguments *arguments);
#define cleanup_arguments cleanup (arguments_clear)
