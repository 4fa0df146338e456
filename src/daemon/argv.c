#include <config.h>

#include "daemon-argv.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>

#include "base-number.h"

int words_read (int argc, char **argv, struct words *ret_argv, struct error *err)
{
  static const struct option options[] = { { "socket", required_argument, NULL, 's' },
                                           { "idle", required_argument, NULL, 'i' },
                                           { "background", no_argument, NULL, 'b' },
                                           { NULL, 0, NULL, 0 } };
  int option;

  opterr = 0;
  while ((option = getopt_long (argc, argv, "", options, NULL)) != -1) {
    if (option == 's')
      ret_argv->socket = optarg;
    else if (option == 'b')
      ret_argv->background = true;
    else if (option != 'i')
      return error_set (err, -EINVAL, "unknown option '%s'", argv[optind - 1]);
    else if (!number_parse_duration (optarg, &ret_argv->idle) || ret_argv->idle == 0)
      return error_set (err, -EINVAL, "--idle: '%s' is not a time such as 10m", optarg);
    /* Callers are elsewhere. */
    if (option == 's' && optarg[0] != '/')
      return error_set (
          err, -EINVAL,
          "--socket: '%s' does not begin at /; callers are in other directories, so give the whole path",
          optarg);
  }
  return optind == argc ? 0 : error_set (err, -EINVAL, "'%s' is one word too many", argv[optind]);
}
