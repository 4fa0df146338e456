/* start: the last moment before the command runs, when the engine has done all that it will do. */
#include <config.h>

#include "runtime-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-limits.h"
#include "runtime-network.h"
#include "runtime-observe.h"

static int read_pid (const char *path, pid_t *ret_pid, struct error *err)
{
  cleanup_free char *text = NULL;
  uint64_t pid = 0;
  int r = file_read (AT_FDCWD, path, 64, &text, NULL, err);

  if (r < 0)
    return r;
  text[strcspn (text, " \n")] = '\0';
  if (!number_parse (text, LIMIT_PIDS_MAX, &pid) || pid < 2)
    return error_set (err, -EINVAL, "'%s' does not hold the number of a process", path);
  *ret_pid = (pid_t) pid;
  return 0;
}

int verb_start (struct call *call, struct error *err)
{
  pid_t pid = 0;
  int r;

  if (!call->known)
    return error_set (err, -ENOENT, "container '%s' was not made by this runtime",
                      call->command->id ? call->command->id : "");
  r = read_pid (call->record.pid_file, &pid, err);
  if (r == 0 && call->record.no_network)
    r = network_empty (pid, err);
  if (r < 0)
    return r;
  return call->record.proof ? observe_start (call, pid, err) : verb_pass (call, err);
}
