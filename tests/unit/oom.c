/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "oom.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

/* The linker's names: a call of malloc becomes __wrap_malloc, and __real_malloc is libc's. */
void *__real_malloc (size_t size);
void *__real_calloc (size_t count, size_t size);
void *__real_realloc (void *block, size_t size);
void __real_free (void *block);
char *__real_strdup (const char *text);
char *__real_strndup (const char *text, size_t len);
int __real_vasprintf (char **ret_text, const char *format, va_list ap);

void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t count, size_t size);
void *__wrap_realloc (void *block, size_t size);
void __wrap_free (void *block);
char *__wrap_strdup (const char *text);
char *__wrap_strndup (const char *text, size_t len);
int __wrap_vasprintf (char **ret_text, const char *format, va_list ap);
int __wrap_asprintf (char **ret_text, const char *format, ...);
int __wrap___vasprintf_chk (char **ret_text, int flag, const char *format, va_list ap);
int __wrap___asprintf_chk (char **ret_text, int flag, const char *format, ...);

static bool armed;
static bool stays_failed;
static bool struck;
static unsigned long countdown;
static long live;

void oom_fail_at (unsigned long nth, bool and_after)
{
  armed = true;
  stays_failed = and_after;
  struck = false;
  countdown = nth;
}

bool oom_stop (void)
{
  armed = false;
  return struck;
}

long oom_live (void)
{
  return live;
}

static bool fails (void)
{
  if (!armed || (struck && !stays_failed))
    return false;
  if (!struck && --countdown > 0)
    return false;
  struck = true;
  errno = ENOMEM;
  return true;
}

static void *counted (void *block)
{
  if (block != NULL)
    live++;
  return block;
}

void *__wrap_malloc (size_t size)
{
  return fails () ? NULL : counted (__real_malloc (size));
}

void *__wrap_calloc (size_t count, size_t size)
{
  return fails () ? NULL : counted (__real_calloc (count, size));
}

void *__wrap_realloc (void *block, size_t size)
{
  if (fails ())
    return NULL;
  return block == NULL ? counted (__real_realloc (NULL, size)) : __real_realloc (block, size);
}

void __wrap_free (void *block)
{
  if (block != NULL)
    live--;
  __real_free (block);
}

char *__wrap_strdup (const char *text)
{
  return fails () ? NULL : counted (__real_strdup (text));
}

char *__wrap_strndup (const char *text, size_t len)
{
  return fails () ? NULL : counted (__real_strndup (text, len));
}

int __wrap_vasprintf (char **ret_text, const char *format, va_list ap)
{
  int len;

  /* The content of *RET_TEXT is undefined after a failure; make it one that nobody may free. */
  if (fails ()) {
    *ret_text = (char *) -1;
    return -1;
  }
  len = __real_vasprintf (ret_text, format, ap);
  if (len >= 0)
    counted (*ret_text);
  return len;
}

int __wrap_asprintf (char **ret_text, const char *format, ...)
{
  va_list ap;
  int len;

  va_start (ap, format);
  len = __wrap_vasprintf (ret_text, format, ap);
  va_end (ap);
  return len;
}

/* What -D_FORTIFY_SOURCE makes of the two; the flag only asks for further checks of the format. */

int __wrap___vasprintf_chk (char **ret_text, int flag, const char *format, va_list ap)
{
  (void) flag;
  return __wrap_vasprintf (ret_text, format, ap);
}

int __wrap___asprintf_chk (char **ret_text, int flag, const char *format, ...)
{
  va_list ap;
  int len;

  (void) flag;
  va_start (ap, format);
  len = __wrap_vasprintf (ret_text, format, ap);
  va_end (ap);
  return len;
}
