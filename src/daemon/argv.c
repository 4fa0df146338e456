/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "daemon-argv.h"

#include <errno.h>

#include "base-argv.h"
#include "base-cleanup.h"
#include "base-number.h"

enum { OPTION_SOCKET, OPTION_IDLE, OPTION_BACKGROUND };

static const struct argv_option options[] = {
  [OPTION_SOCKET] = { "socket", true },
  [OPTION_IDLE] = { "idle", true },
  [OPTION_BACKGROUND] = { "background", false },
};

static int take_option (const struct argv_reader *reader, struct words *words, struct error *err)
{
  const char *value = reader->value;

  switch (reader->option) {
  case OPTION_BACKGROUND: words->background = true; return 0;
  case OPTION_IDLE:
    return number_parse_duration (value, &words->idle) && words->idle != 0
               ? 0
               : error_set (err, -EINVAL, "--idle: '%s' is not a time such as 10m", value);
  default:
    words->socket = value;
    /* Callers are elsewhere. */
    return value[0] == '/'
               ? 0
               : error_set (err, -EINVAL,
                            "--socket: '%s' does not begin at /; callers are in other directories, so "
                            "give the whole path",
                            value);
  }
}

int words_read (char *const *argv, struct words *ret_argv, struct error *err)
{
  struct argv_reader reader = { .rest = argv, .options = options, .count = ARRAY_LEN (options) };
  enum argv_kind kind;

  while ((kind = argv_next (&reader)) == ARGV_OPTION) {
    int r = take_option (&reader, ret_argv, err);

    if (r < 0)
      return r;
  }
  return kind == ARGV_END
             ? 0
             : error_set (err, -EINVAL, "'%s' is not an option here, or lacks its value", reader.word);
}
