/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of an OCI runtime, as engines write it: global flags, a verb, its flags, a container's id.
 *
 * Only what we act upon is understood; every other word stays where it is and goes to the low-level runtime.
 * Values come as "--flag VALUE" and "--flag=VALUE". A flag that we do not know takes the next word for its
 * value only where that word cannot be the verb. An unknown verb is an error: what we do not know we cannot
 * hold to a profile. So are ways of writing a flag that only some runtimes understand, where a flag names
 * what is met.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"

enum runtime_verb {
  VERB_NONE, /* --version and the like */
  VERB_CREATE,
  VERB_RUN,
  VERB_RESTORE,
  VERB_EXEC,
  VERB_UPDATE,
  VERB_START,
  VERB_DELETE,
  VERB_FEATURES,
  VERB_OTHER, /* changes nothing that a profile says */
};

/* A flag's value and where it stands, so that it can be replaced. */
struct flag_value {
  const char *text; /* NULL: not given */
  size_t at;        /* the word that holds it */
  size_t prefix;    /* bytes of that word before the value */
};

struct command {
  char *const *argv; /* all of them, without the program's name; NULL-terminated */
  size_t count;
  enum runtime_verb verb;
  size_t verb_at;
  const char *id;     /* NULL: none given */
  const char *behind; /* the next word that is no flag */

  struct flag_value root, log, log_format;                        /* before the verb */
  struct flag_value bundle, config, pid_file, process, resources; /* behind it */
  struct flag_value preserve_fds, console_socket;
  bool detach, keep;     /* of run */
  const char *forbidden; /* a flag that asks for more by itself, past the documents that are met */
};

/* A flag that run has and create has not; *RET_TARGET, where there is one, is what it sets in COMMAND. */
bool command_is_of_run (struct command *command, const char *word, bool **ret_target);

/* Where it fails, RET_COMMAND still says where errors are logged, as far as that was read. create, run, exec,
 * update and start have an id. */
int command_parse (char *const *argv, struct command *ret_command, struct error *err);

/* Letters, digits, "_+.-"; not a dot first. */
bool command_id_is_valid (const char *id);

/* The id in Podman's name for a container's cgroup, "PARENT/libpod-ID" or "SLICE:libpod:ID": a part of PATH,
 * its end. NULL where it is neither. */
const char *command_id_of_cgroup (const char *path);
