/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-log.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-json-write.h"

static const char *const names[] = { "info", "warning", "error" };

/* RFC 3339, which engines written in Go insist on. */
static void now (char text[32])
{
  time_t seconds = time (NULL);
  struct tm parts;

  if (gmtime_r (&seconds, &parts) == NULL || strftime (text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
    snprintf (text, 32, "1970-01-01T00:00:00Z");
}

static char *json_line (enum log_level level, const char *text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  char *line = NULL, time_text[32];

  now (time_text);
  json_object_begin (&w, NULL);
  json_string (&w, "level", names[level]);
  json_bytes (&w, "msg", text, strlen (text));
  json_string (&w, "time", time_text);
  json_object_end (&w);
  return json_finish (&w, &line, err) < 0 ? NULL : line;
}

void log_write_to (int fd, const struct command *command, enum log_level level, const char *text)
{
  const char *format = command->log_format.text;
  bool json = format == NULL || strcmp (format, "text") != 0;
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *line =
      json ? json_line (level, text, &ignored) : str_format ("%s: %s\n", names[level], text);

  if (line != NULL && write (fd, line, strlen (line)) < 0)
    return;
}

void log_write (const struct command *command, enum log_level level, const char *text)
{
  const char *path = command->log.text;
  cleanup_close int fd =
      path && path[0] != '\0' ? open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;

  if (fd >= 0)
    log_write_to (fd, command, level, text);
  if (level == LOG_LEVEL_ERROR)
    fprintf (stderr, "%s\n", text);
}
