/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds paths and host names in messages of programs, by heuristics. Pure. */
#include <config.h>

#include "denial-infer-internal.h"

#include <ctype.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-str.h"

static bool is_quote (char c)
{
  return c == '\'' || c == '"' || c == '`';
}

/* U+2018 to U+201F: E2 80 98 to E2 80 9F in UTF-8, of which the first four are single quotes. */
void message_straighten (char *line)
{
  const unsigned char *from = (const unsigned char *) line;
  char *to = line;

  while (*from != '\0')
    if (from[0] == 0xe2 && from[1] == 0x80 && from[2] >= 0x98 && from[2] <= 0x9f) {
      *to++ = from[2] <= 0x9b ? '\'' : '"';
      from += 3;
    } else {
      *to++ = (char) *from++;
    }
  *to = '\0';
}

/* A character before a path, or after an unquoted one. A backslash escapes a quote inside quotes. */
static bool ends_word (char c)
{
  return c == '\0' || isspace ((unsigned char) c) || is_quote (c) || strchr (":,;()[]<>=\\", c) != NULL;
}

/* Drops "//", "/." and "/.." from an absolute PATH, in place. */
static void make_normal (char *path)
{
  char *to = path;
  const char *from = path;

  while (*from != '\0') {
    size_t len;

    from += strspn (from, "/");
    len = strcspn (from, "/");
    if (len == 2 && from[0] == '.' && from[1] == '.') {
      while (to > path && *--to != '/')
        continue;
    } else if (len > 0 && !(len == 1 && from[0] == '.')) {
      *to++ = '/';
      memmove (to, from, len);
      to += len;
    }
    from += len;
  }
  if (to == path)
    *to++ = '/';
  *to = '\0';
}

/* Whether LEN bytes at WORD look like a relative path: in quotes, or with a slash. */
static bool is_relative (const char *word, size_t len, char before)
{
  if (len == 0 || !(isalnum ((unsigned char) word[0]) || word[0] == '.' || word[0] == '_'))
    return false;
  if (is_quote (before))
    return word[len] == before;
  return memchr (word, '/', len) != NULL;
}

char *message_next_path (const char **text, const char *cwd, bool *ret_relative)
{
  const char *start = *text;
  const char *at = start;

  while (*at != '\0') {
    const char before = *(at > start ? at - 1 : " ");
    const char *quoted = is_quote (before) ? strchr (at, before) : NULL;
    size_t len = quoted ? (size_t) (quoted - at) : 0;
    char *path = NULL;

    if (!ends_word (before)) {
      at++;
      continue;
    }
    if (quoted != NULL && len > 0 && at[len - 1] == '\\')
      len--;
    if (quoted == NULL)
      while (!ends_word (at[len]))
        len++;
    /* "://" is part of a URL, not of a path. */
    if (at[0] == '/' && !(before == ':' && at[1] == '/'))
      path = strndup (at, len);
    else if (is_relative (at, len, before))
      path = str_format ("%s/%.*s", cwd, (int) len, at);
    if (path == NULL) {
      at++;
      continue;
    }
    *ret_relative = at[0] != '/';
    *text = at + len + (quoted != NULL);
    make_normal (path);
    return path;
  }
  *text = at;
  return NULL;
}

char *message_host (const char *text)
{
  size_t len = 0;
  bool letters = false;

  /* Typographic quotes begin with 0xe2. */
  while (*text != '\0'
         && (isspace ((unsigned char) *text) || is_quote (*text) || *text == ':' || *text == '('
             || (unsigned char) *text >= 0x80))
    text++;
  if (str_has_prefix (text, "address "))
    return message_host (text + strlen ("address "));
  if (str_has_prefix (text, "name "))
    return message_host (text + strlen ("name "));
  for (; isalnum ((unsigned char) text[len]) || text[len] == '.' || text[len] == '-' || text[len] == '_';
       len++)
    letters = letters || isalpha ((unsigned char) text[len]);
  while (len > 0 && text[len - 1] == '.')
    len--;
  return len > 0 && letters ? strndup (text, len) : NULL;
}

bool message_host_is_local (const char *host)
{
  /* RFC 6761 and RFC 6762: not in the public DNS. */
  static const char *const reserved[] = { ".invalid", ".test", ".localhost", ".local", ".internal" };

  if (strchr (host, '.') == NULL)
    return true;
  for (size_t i = 0; i < ARRAY_LEN (reserved); i++)
    if (str_has_suffix (host, reserved[i]))
      return true;
  return strstr (host, "..") != NULL;
}
