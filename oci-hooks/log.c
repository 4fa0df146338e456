/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "hook-hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-json-write.h"
#include "state-run-dir.h"

#define DIRECTORY "hooks"
#define NAME      "log.jsonl"

/* Beyond this the log starts anew: it is for people who ask why just now, not a journal. */
#define LOG_BYTES ((size_t) 256 * 1024)

static int make_line (const char *what, const char *id, const char *profile, const char *text,
                      char **ret_line, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };

  json_object_begin (&w, NULL);
  json_number (&w, "time", (uint64_t) time (NULL));
  json_string (&w, "event", what);
  json_bytes (&w, "container", id, strlen (id));
  json_bytes (&w, "profile", profile, strlen (profile));
  if (text != NULL)
    json_bytes (&w, "why", text, strlen (text));
  json_object_end (&w);
  return json_finish (&w, ret_line, err);
}

void hook_write_down (const struct hook *hook, const char *what, const char *id, const char *profile,
                      const char *text)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *line = NULL;
  cleanup_close int directory = -1, fd = -1;
  struct stat st;

  if (make_line (what, id, profile, text, &line, &ignored) < 0)
    return;
  directory = run_state_make (hook->state, DIRECTORY, 0700, &ignored);
  if (directory >= 0)
    fd = openat (directory, NAME, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0 || fstat (fd, &st) < 0)
    return;
  if ((size_t) st.st_size > LOG_BYTES && ftruncate (fd, 0) < 0)
    return;
  if (write (fd, line, strlen (line)) < 0)
    return;
}

int hook_why (struct hook *hook, struct error *err)
{
  cleanup_free char *text = NULL;
  cleanup_close int directory = run_state_open (hook->state, DIRECTORY, err);
  size_t len = 0;
  int r = directory < 0 ? directory : file_read (directory, NAME, LOG_BYTES * 2, &text, &len, err);

  if (r == -ENOENT) {
    error_clear (err);
    return 0;
  }
  if (r == 0 && fwrite (text, 1, len, stdout) != len)
    r = error_set_errno (err, errno, "write the log");
  return r;
}
