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

static int take_option (const struct argv_reader *reader, struct daemon_options *given, struct error *err)
{
  const char *value = reader->value;

  switch (reader->option) {
  case OPTION_BACKGROUND: given->background = true; return 0;
  case OPTION_IDLE:
    return number_parse_duration (value, &given->idle) && given->idle != 0
               ? 0
               : error_set (err, -EINVAL, "--idle: '%s' is not a time such as 10m", value);
  default:
    given->socket = value;
    return value[0] == '/'
               ? 0
               : error_set (err, -EINVAL,
                            "--socket: '%s' is not an absolute path, and callers are in other directories",
                            value);
  }
}

int daemon_options_read (char *const *argv, struct daemon_options *ret_options, struct error *err)
{
  struct argv_reader reader = { .rest = argv, .options = options, .count = ARRAY_LEN (options) };
  enum argv_kind kind;

  while ((kind = argv_next (&reader)) == ARGV_OPTION) {
    int r = take_option (&reader, ret_options, err);

    if (r < 0)
      return r;
  }
  return kind == ARGV_END
             ? 0
             : error_set (err, -EINVAL, "'%s' is no option of this program, or lacks its value", reader.word);
}
