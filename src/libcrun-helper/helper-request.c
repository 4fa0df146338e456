/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "libcrun-helper-helper-request.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base-argv.h"
#include "base-cleanup.h"
#include "base-limits.h"
#include "base-number.h"
#include "base-path.h"
#include "wire-libcrun-helper.h"

enum { OPTION_BUNDLE, OPTION_STATE, OPTION_ID, OPTION_NO_CGROUP, OPTION_CONSOLE, OPTION_PRESERVE };

static const struct argv_option options[] = {
  [OPTION_BUNDLE] = { "bundle", true },
  [OPTION_STATE] = { "state", true },
  [OPTION_ID] = { "id", true },
  [OPTION_NO_CGROUP] = { "no-cgroup", false },
  [OPTION_CONSOLE] = { "console-socket", true },
  [OPTION_PRESERVE] = { "preserve-fds", true },
};

static int take_path (const char *option, const char *path, const char **ret_path, struct error *err)
{
  if (!path_is_normal (path) || strlen (path) > LIMIT_PATH_BYTES)
    return error_set (err, -EINVAL,
                      "--%s: '%s' is not a path from / of at most %zu bytes, without '.' and '..'", option,
                      path, LIMIT_PATH_BYTES);
  *ret_path = path;
  return 0;
}

/* The alphabet that every version of libcrun accepts; 1.28 and later accept nothing else. */
static int take_id (const char *id, const char **ret_id, struct error *err)
{
  static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.";
  size_t len = strlen (id);

  if (len == 0 || len > LIMIT_NAME_BYTES || id[0] == '.' || strspn (id, first) != len)
    return error_set (err, -EINVAL,
                      "--id: '%s' is not a name of at most %zu letters, digits, '_', '+', '-' and '.', "
                      "the first of which is not '.'",
                      id, LIMIT_NAME_BYTES);
  *ret_id = id;
  return 0;
}

static int take_preserve (const char *text, int *ret_count, struct error *err)
{
  uint64_t count;

  if (!number_parse (text, LIMIT_HELPER_FDS, &count))
    return error_set (err, -EINVAL, "--preserve-fds: '%s' is not a number from 0 to %u", text,
                      LIMIT_HELPER_FDS);
  *ret_count = (int) count;
  return 0;
}

static int take_option (const struct argv_reader *reader, struct helper_request *request, struct error *err)
{
  const char *value = reader->value;

  switch (reader->option) {
  case OPTION_BUNDLE: return take_path ("bundle", value, &request->bundle, err);
  case OPTION_STATE: return take_path ("state", value, &request->state, err);
  case OPTION_ID: return take_id (value, &request->id, err);
  case OPTION_NO_CGROUP: request->no_cgroup = true; return 0;
  case OPTION_CONSOLE: return take_path ("console-socket", value, &request->console_socket, err);
  default: return take_preserve (value, &request->preserve_fds, err);
  }
}

int helper_request_parse (char *const *argv, struct helper_request *ret_request, struct error *err)
{
  struct argv_reader reader = { .rest = argv, .options = options, .count = ARRAY_LEN (options) };
  struct helper_request request = { 0 };
  enum argv_kind kind;

  while ((kind = argv_next (&reader)) == ARGV_OPTION) {
    int r = take_option (&reader, &request, err);

    if (r < 0)
      return r;
  }
  if (kind != ARGV_END)
    return error_set (err, -EINVAL, "'%s' is not an option here, or lacks its value", reader.word);
  if (request.bundle == NULL || request.state == NULL || request.id == NULL)
    return error_set (err, -EINVAL, "--bundle, --state and --id are needed");
  request.control_fd = 3 + request.preserve_fds;
  *ret_request = request;
  return 0;
}
