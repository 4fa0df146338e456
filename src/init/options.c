/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-options.h"

#include <errno.h>
#include <string.h>

#include "base-argv.h"

static int parse_transport (const char *word, enum transport *ret_transport, struct failure *failure)
{
  static const char *const names[] = { [TRANSPORT_FD] = "fd",
                                       [TRANSPORT_SOCKET] = "socket",
                                       [TRANSPORT_STDIO] = "stdio",
                                       [TRANSPORT_CALL] = "call" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp (word, names[i]) == 0) {
      *ret_transport = (enum transport) i;
      return 0;
    }
  return failure_set (failure, -EINVAL, "--transport takes fd, socket, stdio or call, not", word);
}

/* Strict: a number that tyrum-oci would not write is an error. */
static int parse_open_files (const char *word, unsigned *ret_count, struct failure *failure)
{
  unsigned count = 0;

  for (const char *p = word; *p >= '0' && *p <= '9' && count < 100 * 1000 * 1000; p++) {
    count = count * 10 + (unsigned) (*p - '0');
    if (!p[1] && count >= OPEN_FILES_MIN) {
      *ret_count = count;
      return 0;
    }
  }
  return failure_set (failure, -EINVAL, "--open-files needs a number from 16 on, not", word);
}

enum { OPTION_TTY, OPTION_PREWARMED, OPTION_OPEN_FILES, OPTION_KEEP, OPTION_TRANSPORT };

static const struct argv_option table[] = {
  [OPTION_TTY] = { "tty", false },
  [OPTION_PREWARMED] = { "prewarmed", false },
  [OPTION_OPEN_FILES] = { "open-files", true },
  [OPTION_KEEP] = { &OPTION_KEEP_ENV[2], true },
  [OPTION_TRANSPORT] = { "transport", true },
};

static int take_option (const struct argv_reader *reader, struct options *options, struct failure *failure)
{
  switch (reader->option) {
  case OPTION_TTY: options->tty = true; return 0;
  case OPTION_PREWARMED: options->prewarmed = true; return 0;
  case OPTION_OPEN_FILES: return parse_open_files (reader->value, &options->open_files, failure);
  case OPTION_KEEP: options->keep_env = reader->value; return 0;
  default: return parse_transport (reader->value, &options->transport, failure);
  }
}

int options_parse (char *const argv[], struct options *ret_options, struct failure *failure)
{
  struct argv_reader reader = {
    argv[0] ? argv + 1 : argv, table, sizeof (table) / sizeof (*table), NULL, 0, NULL
  };
  struct options options = { .transport = TRANSPORT_FD };
  enum argv_kind kind;

  while ((kind = argv_next (&reader)) == ARGV_OPTION) {
    int r = take_option (&reader, &options, failure);

    if (r < 0)
      return r;
  }
  if (kind == ARGV_NO_VALUE)
    return failure_set (failure, -EINVAL, "there is no value for", reader.word);
  if (kind != ARGV_SEPARATOR && kind != ARGV_END)
    return failure_set (failure, -EINVAL, "unknown option", reader.word);
  if (options.prewarmed && kind == ARGV_SEPARATOR && !*reader.rest && options.transport == TRANSPORT_FD
      && !options.tty && !options.keep_env) {
    *ret_options = options;
    return 0;
  }
  if (!*reader.rest || options.prewarmed)
    return failure_set (
        failure, -EINVAL,
        "no command; usage: tyrum-oci-init [--transport fd|socket|stdio|call] [--tty] [--open-files N] "
        "[--keep-env NAMES] -- COMMAND [ARG...]",
        NULL);
  options.command = reader.rest;
  *ret_options = options;
  return 0;
}
