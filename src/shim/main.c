/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tyrum-oci-runtime: an OCI runtime for Docker, Podman, containerd and CRI-O that holds their containers to a
 * profile. It reads the command line, does what the verb asks, and becomes the low-level runtime. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "host-facts.h"
#include "shim-log.h"
#include "shim-verbs.h"

/* A file opened later must not become one of the standard streams. */
static int hold_standard_streams (void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", O_RDWR) != fd)
      return -1;
  return 0;
}

static const char *directory_of (const char *variable, const char *built)
{
  const char *value = secure_getenv (variable);

  return value != NULL && value[0] != '\0' ? value : built;
}

static int refuse_restore (struct call *call, struct error *err)
{
  (void) call;
  return error_set (err, -EOPNOTSUPP,
                    "restore: a checkpoint brings its processes along as they were, which no profile "
                    "has restricted; start the container anew");
}

static int dispatch (struct call *call, struct error *err)
{
  static int (*const verbs[]) (struct call *, struct error *) = {
    [VERB_NONE] = verb_pass,         [VERB_CREATE] = verb_create, [VERB_RUN] = verb_run_container,
    [VERB_RESTORE] = refuse_restore, [VERB_EXEC] = verb_exec,     [VERB_UPDATE] = verb_update,
    [VERB_START] = verb_start,       [VERB_DELETE] = verb_delete, [VERB_FEATURES] = verb_features,
    [VERB_OTHER] = verb_pass,
  };
  int r = host_look_state_dir (&call->state, err);

  if (r == 0 && call->command->id != NULL)
    r = record_read (call->state, call->command, &call->record, &call->known, err);
  return r < 0 ? r : verbs[call->command->verb](call, err);
}

int main (int argc, char **argv)
{
  cleanup_error struct error err = { 0 };
  struct command command = { 0 };
  struct call call = { .command = &command,
                       .code = -1,
                       .lock = -1,
                       .program = argc > 0 ? argv[0] : "",
                       .config_dir = directory_of ("TYRUM_OCI_CONFDIR", TYRUM_OCI_SYSCONFDIR),
                       .data_dir = directory_of ("TYRUM_OCI_DATADIR", TYRUM_OCI_DATADIR) };
  int r;

  if (hold_standard_streams () < 0)
    return 1;
  r = command_parse (argv + (argc > 0), &command, &err);
  if (r == 0)
    r = dispatch (&call, &err);
  if (r < 0)
    log_write (&command, LOG_LEVEL_ERROR, error_text (&err));
  free (call.state);
  record_clear (&call.record);
  return r < 0 ? 1 : r;
}
