#include <config.h>

#include "init-options.h"

#include <errno.h>
#include <string.h>

static int parse_transport (const char *word, enum transport *ret_transport, struct failure *failure)
{
  if (!word)
    return failure_set (failure, -EINVAL, "--transport needs a value: fd, socket, stdio or call", NULL);
  if (strcmp (word, "fd") == 0)
    *ret_transport = TRANSPORT_FD;
  else if (strcmp (word, "stdio") == 0)
    *ret_transport = TRANSPORT_STDIO;
  else if (strcmp (word, "socket") == 0)
    *ret_transport = TRANSPORT_SOCKET;
  else if (strcmp (word, "call") == 0)
    *ret_transport = TRANSPORT_CALL;
  else
    return failure_set (failure, -EINVAL, "--transport takes fd, socket, stdio or call, not", word);
  return 0;
}

/* A limit that this program was not given by us is no reason to guess. */
static int parse_open_files (const char *word, unsigned *ret_count, struct failure *failure)
{
  unsigned count = 0;

  for (const char *p = word; p && *p >= '0' && *p <= '9' && count < 100 * 1000 * 1000; p++) {
    count = count * 10 + (unsigned) (*p - '0');
    if (!p[1] && count >= OPEN_FILES_MIN) {
      *ret_count = count;
      return 0;
    }
  }
  return failure_set (failure, -EINVAL, "--open-files needs a number from 16 on, not",
                      word ? word : "nothing");
}

int options_parse (char *const argv[], struct options *ret_options, struct failure *failure)
{
  struct options options = { .transport = TRANSPORT_FD };
  char *const *word = argv[0] ? argv + 1 : argv;
  int r;

  for (; *word && strcmp (*word, "--") != 0; word++) {
    if (strcmp (*word, "--tty") == 0) {
      options.tty = true;
    } else if (strcmp (*word, "--held") == 0) {
      options.held = true;
    } else if (strcmp (*word, "--open-files") == 0) {
      r = parse_open_files (word[1], &options.open_files, failure);
      if (r < 0)
        return r;
      word++;
    } else if (strcmp (*word, OPTION_KEEP_ENV) == 0) {
      if (!word[1])
        return failure_set (failure, -EINVAL, "--keep-env needs a value: NAME,NAME,...", NULL);
      options.keep_env = *++word;
    } else if (strcmp (*word, "--transport") == 0) {
      r = parse_transport (word[1], &options.transport, failure);
      if (r < 0)
        return r;
      word++;
    } else {
      return failure_set (failure, -EINVAL, "unknown option", *word);
    }
  }
  if (options.held && *word && !word[1] && options.transport == TRANSPORT_FD && !options.tty
      && !options.keep_env) {
    *ret_options = options;
    return 0;
  }
  if (!*word || !word[1] || options.held)
    return failure_set (
        failure, -EINVAL,
        "no command; usage: tyrum-oci-init [--transport fd|socket|stdio|call] [--tty] [--open-files N] "
        "[--keep-env NAMES] -- COMMAND [ARG...]",
        NULL);
  options.command = word + 1;
  *ret_options = options;
  return 0;
}
