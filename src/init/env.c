/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-env.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "init-options.h"

static bool is_named (const char *names, const char *variable, size_t len)
{
  while (*names != '\0') {
    size_t word = strcspn (names, ",");

    if (word == len && memcmp (names, variable, len) == 0)
      return true;
    names += word + (names[word] == ',');
  }
  return false;
}

int environment_restart (char *argv[], const char *names, struct failure *failure)
{
  char **to = environ;

  for (char **from = environ; *from != NULL; from++)
    if (is_named (names, *from, strcspn (*from, "=")))
      *to++ = *from;
  *to = NULL;
  for (char **word = argv; *word != NULL; word++)
    if (strcmp (*word, OPTION_KEEP_ENV) == 0) {
      /* Removes the option and its value. */
      for (char **next = word; (next[0] = next[2]) != NULL; next++)
        continue;
      break;
    }
  execve (argv[0], argv, environ);
  return failure_set_errno (failure, errno, "cannot execute again", argv[0]);
}
