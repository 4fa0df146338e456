#include <config.h>

#include "wire-daemon-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

int launcher_request_check (const struct launcher_request *request)
{
  return request->magic == LAUNCHER_MAGIC && request->version == LAUNCHER_VERSION
                 && request->size <= LIMIT_LAUNCHER_BYTES && request->words <= request->size
                 && request->variables <= request->size
             ? 0
             : -EPROTO;
}

/* COUNT texts from *AT on, each of which begins before END. */
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

int launcher_request_split (const struct launcher_request *request, char *text, char ***ret_words,
                            char ***ret_variables)
{
  cleanup_free char **words = NULL;
  cleanup_free char **variables = NULL;
  const char *end = text + request->size;
  char *at = text;
  int r = split (&at, end, request->words, &words);

  if (r == 0)
    r = split (&at, end, request->variables, &variables);
  /* The last text ends before END, and not by the NUL behind it. */
  if (r == 0 && at != end)
    r = -EPROTO;
  if (r < 0)
    return r;
  *ret_words = take_ptr (words);
  *ret_variables = take_ptr (variables);
  return 0;
}
