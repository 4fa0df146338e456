#include <config.h>

#include "libcrun-helper-helper-request.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "base-limits.h"
#include "base-number.h"
#include "base-path.h"
#include "wire-libcrun-helper.h"

enum { OPTION_BUNDLE = 256, OPTION_STATE, OPTION_ID, OPTION_NO_CGROUP, OPTION_CONSOLE, OPTION_PRESERVE };

static const struct option options[] = {
  { "bundle", required_argument, NULL, OPTION_BUNDLE },
  { "state", required_argument, NULL, OPTION_STATE },
  { "id", required_argument, NULL, OPTION_ID },
  { "no-cgroup", no_argument, NULL, OPTION_NO_CGROUP },
  { "console-socket", required_argument, NULL, OPTION_CONSOLE },
  { "preserve-fds", required_argument, NULL, OPTION_PRESERVE },
  { NULL, 0, NULL, 0 },
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

/* What every version of libcrun takes; 1.28 and later take nothing else. */
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

static int take_option (int option, struct helper_request *request, struct error *err)
{
  switch (option) {
  case OPTION_BUNDLE: return take_path ("bundle", optarg, &request->bundle, err);
  case OPTION_STATE: return take_path ("state", optarg, &request->state, err);
  case OPTION_ID: return take_id (optarg, &request->id, err);
  case OPTION_NO_CGROUP: request->no_cgroup = true; return 0;
  case OPTION_CONSOLE: return take_path ("console-socket", optarg, &request->console_socket, err);
  case OPTION_PRESERVE: return take_preserve (optarg, &request->preserve_fds, err);
  default: return error_set (err, -EINVAL, "an option is unknown or lacks its value");
  }
}

int helper_request_parse (int argc, char **argv, struct helper_request *ret_request, struct error *err)
{
  struct helper_request request = { 0 };
  int option;

  opterr = 0;
  /* From the start: in the daemon that stays another command line was read before this one. */
  optind = 0;
  while ((option = getopt_long (argc, argv, "", options, NULL)) != -1) {
    int r = take_option (option, &request, err);

    if (r < 0)
      return r;
  }
  if (optind < argc)
    return error_set (err, -EINVAL, "'%s' is not an option", argv[optind]);
  if (request.bundle == NULL || request.state == NULL || request.id == NULL)
    return error_set (err, -EINVAL, "--bundle, --state and --id are needed");
  request.control_fd = 3 + request.preserve_fds;
  *ret_request = request;
  return 0;
}
