/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-failure.h"

#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The most pieces that a line has: program, text, quote, name, quote, colon, reason, newline. */
#define PIECES_MAX 8

static int keep (struct failure *failure, struct failure cause)
{
  if (failure->code == 0)
    *failure = cause;
  return cause.code;
}

int failure_set (struct failure *failure, int code, const char *text, const char *quoted)
{
  return keep (failure, (struct failure){ .code = code, .text = text, .quoted = quoted });
}

int failure_set_errno (struct failure *failure, int errnum, const char *text, const char *quoted)
{
  return keep (failure,
               (struct failure){ .code = -errnum, .text = text, .quoted = quoted, .errnum = errnum });
}

int failure_set_silent (struct failure *failure, int code)
{
  return keep (failure, (struct failure){ .code = code });
}

static void add (struct iovec *pieces, size_t *count, const char *text)
{
  /* writev only reads; struct iovec has no const. */
  union {
    const char *in;
    void *out;
  } base = { .in = text };

  pieces[(*count)++] = (struct iovec){ .iov_base = base.out, .iov_len = strlen (text) };
}

void failure_print (const struct failure *failure)
{
  struct iovec pieces[PIECES_MAX];
  size_t count = 0;

  if (!failure->text)
    return;
  add (pieces, &count, "tyrum-oci-init: ");
  add (pieces, &count, failure->text);
  if (failure->quoted) {
    add (pieces, &count, " '");
    add (pieces, &count, failure->quoted);
    add (pieces, &count, "'");
  }
  if (failure->errnum) {
    add (pieces, &count, ": ");
    add (pieces, &count, strerror (failure->errnum));
  }
  add (pieces, &count, "\n");
  /* There is no other place to report a failure of this. */
  ssize_t written = writev (STDERR_FILENO, pieces, (int) count);
  (void) written;
}
