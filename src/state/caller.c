/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "state-caller.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "posture-proc.h"

/* The first lines of /proc/PID/status, up to NStgid. */
#define STATUS_BYTES 1024

#define NAME_KEY "Name:\t"
#define IDS_KEY  "\nNStgid:"

static size_t read_status (pid_t thread, char *text, size_t size)
{
  char path[64];
  cleanup_close int fd = -1;
  ssize_t n;

  snprintf (path, sizeof (path), "/proc/%d/status", (int) thread);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  n = fd >= 0 ? read (fd, text, size - 1) : 0;
  n = n < 0 ? 0 : n;
  text[n] = '\0';
  return (size_t) n;
}

void caller_read (pid_t thread, struct caller *ret_caller)
{
  char text[STATUS_BYTES];
  const char *ids;
  uint64_t id = 0;

  *ret_caller = (struct caller){ 0 };
  if (read_status (thread, text, sizeof (text)) == 0 || strncmp (text, NAME_KEY, strlen (NAME_KEY)) != 0)
    return;
  snprintf (ret_caller->program, CALLER_SIZE, "%.*s", (int) strcspn (text + strlen (NAME_KEY), "\n"),
            text + strlen (NAME_KEY));
  for (char *p = ret_caller->program; *p != '\0'; p++)
    if (*p < ' ' || *p > '~')
      *p = '?';
  /* One id for each namespace; the last is the innermost. */
  ids = strstr (text, IDS_KEY);
  for (ids = ids ? ids + strlen (IDS_KEY) : ""; proc_number_next (&ids, &id);)
    continue;
  ret_caller->pid = id <= INT32_MAX ? (uint32_t) id : 0;
}
