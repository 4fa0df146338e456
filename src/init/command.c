/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "wire-answers.h"
#include "wire-init.h"

/* There is no allocator. Pages that are never touched take no memory. */
static char text[LIMIT_ASK_BYTES];
static char *argv[LIMIT_COMMAND_TEXTS + 1], *env[LIMIT_COMMAND_TEXTS + 1];

/* The text at *AT, which ends with a NUL before END; NULL if there is none. */
static char *next_text (char **at, const char *end)
{
  char *found = *at;
  const char *nul = found < end ? memchr (found, '\0', (size_t) (end - found)) : NULL;

  if (!nul)
    return NULL;
  *at = found + (nul - found) + 1;
  return found;
}

static int split (char **at, const char *end, char **list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    list[i] = next_text (at, end);
    if (!list[i])
      return -EBADMSG;
  }
  list[count] = NULL;
  return 0;
}

int command_take (const unsigned char *bytes, size_t length, struct options *options, struct failure *failure)
{
  struct handshake_command head;
  const char *directory, *end;
  char *at = text;

  if (!options->prewarmed || options->command || length < sizeof head || length - sizeof head > sizeof text)
    return failure_set (failure, -EBADMSG, "the supervisor's command is malformed or unexpected", NULL);
  memcpy (&head, bytes, sizeof head);
  memcpy (text, bytes + sizeof head, length - sizeof head);
  end = text + (length - sizeof head);
  directory = next_text (&at, end);
  if (!directory || head.argv == 0 || head.argv > LIMIT_COMMAND_TEXTS || head.env > LIMIT_COMMAND_TEXTS
      || split (&at, end, argv, head.argv) < 0 || split (&at, end, env, head.env) < 0 || at != end)
    return failure_set (failure, -EBADMSG, "the supervisor's command is malformed", NULL);
  if (chdir (directory) < 0)
    return failure_set_errno (failure, errno, "cannot enter", directory);
  options->command = argv;
  environ = env;
  return 0;
}
