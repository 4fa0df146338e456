/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

/* Messages quote text from outside. A line break or an escape sequence in it must not reach a terminal or
 * pass for a line of this program. */
static void make_one_line (char *message)
{
  for (unsigned char *p = (unsigned char *) message; p != NULL && *p != '\0'; p++)
    if (*p < 0x20 || *p == 0x7f)
      *p = '?';
}

static int set_message (struct error *err, int code, char *message)
{
  make_one_line (message);
  if (err == NULL || err->code != 0) {
    free (message);
    return code;
  }
  err->code = code;
  err->message = message;
  return code;
}

int error_set (struct error *err, int code, const char *format, ...)
{
  char *message = NULL;
  va_list ap;

  va_start (ap, format);
  if (vasprintf (&message, format, ap) < 0)
    message = NULL;
  va_end (ap);
  return set_message (err, code, message);
}

int error_set_errno (struct error *err, int errnum, const char *format, ...)
{
  cleanup_free char *what = NULL;
  char *message = NULL;
  va_list ap;

  va_start (ap, format);
  if (vasprintf (&what, format, ap) < 0)
    what = NULL;
  va_end (ap);
  if (what == NULL || asprintf (&message, "%s: %s", what, strerror (errnum)) < 0)
    message = NULL;
  return set_message (err, -errnum, message);
}

int error_prefix (struct error *err, const char *format, ...)
{
  cleanup_free char *context = NULL;
  char *message = NULL;
  va_list ap;

  if (err == NULL || err->code == 0)
    return 0;
  va_start (ap, format);
  if (vasprintf (&context, format, ap) < 0)
    context = NULL;
  va_end (ap);
  if (context != NULL && err->message != NULL && asprintf (&message, "%s: %s", context, err->message) >= 0) {
    free (err->message);
    make_one_line (message);
    err->message = message;
  }
  return err->code;
}

int error_oom (struct error *err)
{
  return set_message (err, -ENOMEM, NULL);
}

bool error_is_set (const struct error *err)
{
  return err->code != 0;
}

const char *error_text (const struct error *err)
{
  if (err->message != NULL)
    return err->message;
  return err->code == 0 ? "no error" : "out of memory";
}

void error_clear (struct error *err)
{
  free (err->message);
  err->message = NULL;
  err->code = 0;
}
