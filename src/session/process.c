/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-process.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile-find.h"
#include "session-paths.h"

void session_process_clear (struct session_process *process)
{
  configuration_free (process->configuration);
  free (process->client);
  *process = (struct session_process){ 0 };
}

/* The text after the process id in VARIABLE; NULL if the id is not that of this process. */
static const char *from_client (const char *variable)
{
  const char *text = getenv (variable);
  size_t len = text ? strcspn (text, ":") : 0;
  char number[16];

  snprintf (number, sizeof (number), "%d", (int) getpid ());
  return text != NULL && len == strlen (number) && strncmp (text, number, len) == 0 ? text + len : NULL;
}

void session_process_from_client (struct session_process *process)
{
  const char *path = from_client (DAEMON_CLIENT), *asked = from_client (DAEMON_ASKED);

  if (asked != NULL)
    process->daemon_asked = strcmp (asked, DAEMON_ASKED_NONE) == 0 ? DAEMON_NOT_THERE : DAEMON_NOT_TAKEN;
  if (path != NULL && path[0] == ':' && path[1] == '/')
    process->client = strdup (path + 1);
  unsetenv (DAEMON_ASKED);
  unsetenv (DAEMON_CLIENT);
}

void session_process_from_caller (struct session_process *process, pid_t pid)
{
  char path[32], client[PATH_MAX];
  ssize_t len;

  snprintf (path, sizeof (path), "/proc/%d/exe", (int) pid);
  len = readlink (path, client, sizeof (client));
  if (len > 0 && client[0] == '/')
    process->client = strndup (client, (size_t) len);
}

int session_process_configuration (struct session_process *process,
                                   const struct configuration **ret_configuration, struct error *err)
{
  cleanup_profile_store struct profile_store store = { 0 };
  int r = 0;

  if (process->configuration == NULL) {
    r = profile_store_init (&store, paths_directory ("TYRUM_OCI_CONFDIR", TYRUM_OCI_SYSCONFDIR), NULL,
                            paths_directory ("TYRUM_OCI_DATADIR", TYRUM_OCI_DATADIR), NULL, err);
    if (r == 0)
      r = configuration_load (&store, &process->configuration, err);
  }
  if (r == 0)
    *ret_configuration = process->configuration;
  return r;
}
