/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "wire-daemon-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

int daemon_request_check (const struct daemon_request *request)
{
  return request->magic == DAEMON_MAGIC && request->version == DAEMON_VERSION
                 && request->size <= LIMIT_DAEMON_BYTES && request->argv <= request->size
                 && request->env <= request->size
             ? 0
             : -EPROTO;
}

/* COUNT strings from *AT on, each of which begins before END. */
static int split (char **at, const char *end, size_t count, char ***ret_list)
{
  cleanup_free char **list = calloc (count + 1, sizeof (*list));

  if (list == NULL)
    return -ENOMEM;
  for (size_t i = 0; i < count; i++) {
    if (*at >= end)
      return -EPROTO;
    list[i] = *at;
    *at += strlen (*at) + 1;
  }
  *ret_list = take_ptr (list);
  return 0;
}

int daemon_request_split (const struct daemon_request *request, char *text, char ***ret_argv, char ***ret_env)
{
  cleanup_free char **argv = NULL;
  cleanup_free char **env = NULL;
  const char *end = text + request->size;
  char *at = text;
  int r = split (&at, end, request->argv, &argv);

  if (r == 0)
    r = split (&at, end, request->env, &env);
  /* The last string ends before END, not with the NUL after TEXT. */
  if (r == 0 && at != end)
    r = -EPROTO;
  if (r < 0)
    return r;
  *ret_argv = take_ptr (argv);
  *ret_env = take_ptr (env);
  return 0;
}
