/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-command.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-str.h"

static const struct {
  const char *name;
  enum runtime_verb verb;
} verbs[] = {
  { "create", VERB_CREATE }, { "run", VERB_RUN },           { "restore", VERB_RESTORE },
  { "exec", VERB_EXEC },     { "update", VERB_UPDATE },     { "start", VERB_START },
  { "delete", VERB_DELETE }, { "features", VERB_FEATURES }, { "state", VERB_OTHER },
  { "kill", VERB_OTHER },    { "ps", VERB_OTHER },          { "list", VERB_OTHER },
  { "pause", VERB_OTHER },   { "resume", VERB_OTHER },      { "events", VERB_OTHER },
  { "spec", VERB_OTHER },    { "checkpoint", VERB_OTHER },  { "help", VERB_OTHER },
};

/* Of Podman's ids, all of them hexadecimal digits. */
#define ENGINE_ID_BYTES 64

#define NOWHERE   SIZE_MAX
#define AT(field) offsetof (struct command, field)

/* What takes a value. FIELD is where it goes, NOWHERE for those that only pass. */
struct flag {
  const char *name; /* without dashes; one letter stands behind one dash */
  size_t field;
  bool forbidden;
};

static const struct flag global_flags[] = {
  { "root", AT (root), false },         { "log", AT (log), false }, { "log-format", AT (log_format), false },
  { "log-level", NOWHERE, false },      { "criu", NOWHERE, false }, { "rootless", NOWHERE, false },
  { "cgroup-manager", NOWHERE, false },
};

static const struct flag create_flags[] = {
  { "bundle", AT (bundle), false },
  { "b", AT (bundle), false },
  { "config", AT (config), false },
  { "f", AT (config), false },
  { "pid-file", AT (pid_file), false },
  { "console-socket", AT (console_socket), false },
  { "pidfd-socket", NOWHERE, false },
  { "notify-socket", NOWHERE, false },
  { "preserve-fds", AT (preserve_fds), false },
};

/* With a process file given these are ignored by the runtimes we know; by others they may not be. */
static const struct flag exec_flags[] = {
  { "process", AT (process), false },
  { "p", AT (process), false },
  { "pid-file", AT (pid_file), false },
  { "console-socket", NOWHERE, false },
  { "pidfd-socket", NOWHERE, false },
  { "preserve-fds", AT (preserve_fds), false },
  { "cap", NOWHERE, true },
  { "c", NOWHERE, true },
  { "user", NOWHERE, true },
  { "u", NOWHERE, true },
  { "apparmor", NOWHERE, true },
  { "process-label", NOWHERE, true },
  { "cgroup", NOWHERE, true },
  { "additional-gids", NOWHERE, true },
  { "g", NOWHERE, true },
  { "env", NOWHERE, true },
  { "e", NOWHERE, true },
  { "cwd", NOWHERE, true },
};

static const struct flag update_flags[] = {
  { "resources", AT (resources), false },
  { "r", AT (resources), false },
  { "memory", NOWHERE, true },
  { "m", NOWHERE, true },
  { "memory-reservation", NOWHERE, true },
  { "memory-swap", NOWHERE, true },
  { "kernel-memory", NOWHERE, true },
  { "kernel-memory-tcp", NOWHERE, true },
  { "pids-limit", NOWHERE, true },
  { "cpu-period", NOWHERE, true },
  { "cpu-quota", NOWHERE, true },
  { "cpu-share", NOWHERE, true },
  { "cpu-shares", NOWHERE, true },
  { "cpuset-cpus", NOWHERE, true },
  { "cpuset-mems", NOWHERE, true },
  { "cpu-rt-period", NOWHERE, true },
  { "cpu-rt-runtime", NOWHERE, true },
  { "blkio-weight", NOWHERE, true },
  { "l3-cache-schema", NOWHERE, true },
  { "mem-bw-schema", NOWHERE, true },
};

static const struct flag other_flags[] = {
  { "format", NOWHERE, false },     { "f", NOWHERE, false },         { "signal", NOWHERE, false },
  { "interval", NOWHERE, false },   { "bundle", NOWHERE, false },    { "b", NOWHERE, false },
  { "image-path", NOWHERE, false }, { "work-path", NOWHERE, false }, { "parent-path", NOWHERE, false },
};

static const struct flag *flags_of (enum runtime_verb verb, size_t *ret_count)
{
  switch (verb) {
  case VERB_NONE: *ret_count = ARRAY_LEN (global_flags); return global_flags;
  case VERB_CREATE:
  case VERB_RUN: *ret_count = ARRAY_LEN (create_flags); return create_flags;
  case VERB_EXEC: *ret_count = ARRAY_LEN (exec_flags); return exec_flags;
  case VERB_UPDATE: *ret_count = ARRAY_LEN (update_flags); return update_flags;
  /* Its -f is the one that forces, and has no value. */
  case VERB_DELETE: *ret_count = 0; return NULL;
  default: *ret_count = ARRAY_LEN (other_flags); return other_flags;
  }
}

/* The name of a flag without dashes and value. */
static size_t name_length (const char *name)
{
  return strcspn (name, "=");
}

static const struct flag *find_flag (enum runtime_verb verb, const char *name)
{
  size_t count, len = name_length (name);
  const struct flag *flags = flags_of (verb, &count);

  for (size_t i = 0; i < count; i++)
    if (strlen (flags[i].name) == len && strncmp (flags[i].name, name, len) == 0)
      return &flags[i];
  return NULL;
}

static bool find_verb (const char *word, enum runtime_verb *ret_verb)
{
  for (size_t i = 0; i < ARRAY_LEN (verbs); i++)
    if (strcmp (verbs[i].name, word) == 0) {
      *ret_verb = verbs[i].verb;
      return true;
    }
  return false;
}

static void store (struct command *command, const struct flag *flag, size_t at, size_t prefix)
{
  struct flag_value *value;

  if (flag->forbidden)
    command->forbidden = flag->name;
  if (flag->field == NOWHERE)
    return;
  value = (struct flag_value *) (void *) ((char *) command + flag->field);
  *value = (struct flag_value){ command->argv[at] + prefix, at, prefix };
}

/* Written alone, or with true or false behind it. Our own waiting needs a subreaper, whatever is asked. */
bool command_is_of_run (struct command *command, const char *word, bool **ret_target)
{
  const struct {
    const char *name;
    bool *target;
  } flags[] = {
    { "detach", &command->detach },
    { "d", &command->detach },
    { "keep", &command->keep },
    { "no-subreaper", NULL },
  };
  const char *name = word + strspn (word, "-");
  size_t len = name_length (name);

  for (size_t i = 0; name != word && i < ARRAY_LEN (flags); i++)
    if (strlen (flags[i].name) == len && strncmp (flags[i].name, name, len) == 0) {
      *ret_target = flags[i].target;
      return true;
    }
  return false;
}

static int take_bare (struct command *command, const char *word, struct error *err)
{
  const char *value = strchr (word, '=');
  bool *target = NULL;

  if (!command_is_of_run (command, word, &target) || target == NULL)
    return 0;
  if (value != NULL && strcmp (value, "=true") != 0 && strcmp (value, "=false") != 0)
    return error_set (err, -EINVAL, "'%s' is neither true nor false", word);
  *target = value == NULL || strcmp (value, "=true") == 0;
  return 0;
}

/* Of these a flag names a document that is met, or says what one would. */
static bool is_met (enum runtime_verb verb)
{
  return verb == VERB_CREATE || verb == VERB_RUN || verb == VERB_EXEC || verb == VERB_UPDATE;
}

/* Runtimes written in C take the beginning of a flag's name for the flag, several letters behind one dash for
 * several flags, and what stands behind such a letter for its value; those written in Go do not. A second
 * document given in such a way would be read by them and not by us. */
static bool is_written_out (enum runtime_verb verb, const char *word)
{
  const char *name = word + strspn (word, "-");
  size_t count, len = name_length (name);
  const struct flag *flags = flags_of (verb, &count);

  if (!is_met (verb))
    return true;
  if (name == word + 1)
    return name[1] == '\0';
  for (size_t i = 0; find_flag (verb, name) == NULL && i < count; i++)
    if (strncmp (flags[i].name, name, len) == 0)
      return false;
  return true;
}

/* Takes the flag at *AT, and its value if that is a word of its own. */
static int take_flag (struct command *command, size_t *at, struct error *err)
{
  const char *word = command->argv[*at];
  const char *name = word + strspn (word, "-");
  bool joined = strchr (name, '=') != NULL;
  const struct flag *flag = find_flag (command->verb, name);
  enum runtime_verb ignored;

  if (!is_written_out (command->verb, word))
    return error_set (err, -EINVAL,
                      "'%s': write the whole name of a flag behind two dashes, or one letter behind one",
                      word);
  if (flag != NULL && joined) {
    store (command, flag, *at, (size_t) (strchr (word, '=') + 1 - word));
    return 0;
  }
  if (flag != NULL) {
    if (*at + 1 >= command->count)
      return error_set (err, -EINVAL, "'%s' has no value", word);
    store (command, flag, ++*at, 0);
    return 0;
  }
  if (command->verb == VERB_RUN)
    return take_bare (command, word, err);
  /* Engines say it all in one document. Whatever else an update has is a limit of some newer runtime's. */
  if (command->verb == VERB_UPDATE)
    command->forbidden = name;
  /* Unknown before the verb: a word behind it that is no flag and no verb must be its value. */
  if (command->verb == VERB_NONE && !joined && *at + 1 < command->count && command->argv[*at + 1][0] != '-'
      && !find_verb (command->argv[*at + 1], &ignored))
    ++*at;
  return 0;
}

/* Only the first word that is no flag is the id; kill has a signal behind it. A verb that is met has nothing:
 * what looks like it is the value of a flag that we do not know, or the id that we took for one. exec without
 * a process file has a command there, and is refused for that. */
static int check_words (const struct command *command, struct error *err)
{
  if (!is_met (command->verb) && command->verb != VERB_START)
    return 0;
  if (command->id == NULL)
    return error_set (err, -EINVAL, "no id for the container");
  if (command->behind == NULL || (command->verb == VERB_EXEC && command->process.text == NULL))
    return 0;
  return error_set (
      err, -EINVAL,
      "'%s' and '%s' cannot both be the id of a container; the value of a flag that is not known "
      "here is written as --flag=VALUE",
      command->id, command->behind);
}

static int take_word (struct command *command, size_t at, struct error *err)
{
  const char *word = command->argv[at];

  if (command->verb != VERB_NONE) {
    if (command->id == NULL)
      command->id = word;
    else if (command->behind == NULL)
      command->behind = word;
    return 0;
  }
  if (!find_verb (word, &command->verb))
    return error_set (err, -EINVAL, "unknown verb '%s'", word);
  command->verb_at = at;
  return 0;
}

bool command_id_is_valid (const char *id)
{
  size_t len = strspn (id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+.-");

  return len > 0 && len <= LIMIT_CONTAINER_ID_BYTES && id[len] == '\0' && id[0] != '.';
}

int command_parse (char *const *argv, struct command *ret_command, struct error *err)
{
  struct command command = { .argv = argv };
  bool flags_end = false;
  int r = 0;

  while (argv[command.count] != NULL)
    if (++command.count > LIMIT_ARGUMENTS)
      return error_set (err, -E2BIG, "the command line has more than %zu words", LIMIT_ARGUMENTS);
  /* What comes behind restore does not matter: it is refused. */
  for (size_t i = 0; r == 0 && i < command.count && command.verb != VERB_RESTORE; i++) {
    if (!flags_end && strcmp (argv[i], "--") == 0)
      flags_end = true;
    else if (!flags_end && argv[i][0] == '-' && argv[i][1] != '\0')
      r = take_flag (&command, &i, err);
    else
      r = take_word (&command, i, err);
  }
  if (r == 0)
    r = check_words (&command, err);
  if (r == 0 && command.id != NULL && !command_id_is_valid (command.id))
    r = error_set (err, -EINVAL, "'%s' is not the id of a container", command.id);
  if (r < 0) {
    ret_command->log = command.log;
    ret_command->log_format = command.log_format;
    return r;
  }
  *ret_command = command;
  return 0;
}

const char *command_id_of_cgroup (const char *path)
{
  static const char *const before[] = { "/libpod-", ":libpod:" };
  size_t len = strlen (path);
  const char *id = len > ENGINE_ID_BYTES ? path + len - ENGINE_ID_BYTES : NULL;

  if (id == NULL || strspn (id, "0123456789abcdef") != ENGINE_ID_BYTES)
    return NULL;
  for (size_t i = 0; i < ARRAY_LEN (before); i++) {
    size_t named = strlen (before[i]);

    if (len >= ENGINE_ID_BYTES + named && strncmp (id - named, before[i], named) == 0)
      return id;
  }
  return NULL;
}
