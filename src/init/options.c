#include <config.h>

#include "init-options.h"

#include <errno.h>
#include <string.h>

static int parse_carrier (const char *word, enum carrier *ret_carrier, struct failure *failure)
{
  if (!word)
    return failure_set (failure, -EINVAL, "--carrier needs a value: fd or stdio", NULL);
  if (strcmp (word, "fd") == 0)
    *ret_carrier = CARRIER_FD;
  else if (strcmp (word, "stdio") == 0)
    *ret_carrier = CARRIER_STDIO;
  else
    return failure_set (failure, -EINVAL, "--carrier takes fd or stdio, not", word);
  return 0;
}

int options_parse (char *const argv[], struct options *ret_options, struct failure *failure)
{
  struct options options = { .carrier = CARRIER_FD };
  char *const *word = argv[0] ? argv + 1 : argv;
  int r;

  for (; *word && strcmp (*word, "--") != 0; word++) {
    if (strcmp (*word, "--tty") == 0) {
      options.tty = true;
    } else if (strcmp (*word, "--carrier") == 0) {
      r = parse_carrier (word[1], &options.carrier, failure);
      if (r < 0)
        return r;
      word++;
    } else {
      return failure_set (failure, -EINVAL, "unknown option", *word);
    }
  }
  if (!*word || !word[1])
    return failure_set (failure, -EINVAL,
                        "no command; usage: tyrum-oci-init [--carrier fd|stdio] [--tty] -- COMMAND [ARG...]",
                        NULL);
  options.command = word + 1;
  *ret_options = options;
  return 0;
}
