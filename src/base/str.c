/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool strbuf_reserve (struct strbuf *buf, size_t len)
{
  size_t size = buf->size ? buf->size : 256;
  char *text;

  if (buf->failed || len >= SIZE_MAX - buf->len - 1) {
    buf->failed = true;
    return false;
  }
  while (size < buf->len + len + 1)
    size = size > SIZE_MAX / 2 ? buf->len + len + 1 : size * 2;
  if (size == buf->size)
    return true;
  text = realloc (buf->text, size);
  if (text == NULL) {
    buf->failed = true;
    return false;
  }
  buf->text = text;
  buf->size = size;
  return true;
}

void strbuf_add_bytes (struct strbuf *buf, const char *bytes, size_t len)
{
  char *at = strbuf_extend (buf, len);

  if (at != NULL && len > 0)
    memcpy (at, bytes, len);
}

void strbuf_add (struct strbuf *buf, const char *text)
{
  strbuf_add_bytes (buf, text, strlen (text));
}

void strbuf_addf (struct strbuf *buf, const char *format, ...)
{
  cleanup_free char *text = NULL;
  va_list ap;

  va_start (ap, format);
  if (vasprintf (&text, format, ap) < 0)
    text = NULL;
  va_end (ap);
  if (text == NULL)
    buf->failed = true;
  else
    strbuf_add (buf, text);
}

char *strbuf_take (struct strbuf *buf)
{
  char *text;

  if (buf->text == NULL)
    strbuf_add_bytes (buf, "", 0);
  if (buf->failed) {
    strbuf_clear (buf);
    return NULL;
  }
  text = buf->text;
  *buf = (struct strbuf){ 0 };
  return text;
}

void strbuf_clear (struct strbuf *buf)
{
  free (buf->text);
  *buf = (struct strbuf){ 0 };
}

int strlist_add_take (struct strlist *list, char *text)
{
  size_t count = list->count;

  if (text == NULL)
    return -ENOMEM;
  if ((count & (count - 1)) == 0) { /* full, unless the list was longer before: capacity doubles */
    char **items = realloc (list->items, (count ? 2 * count : 1) * sizeof (*items));

    if (items == NULL) {
      free (text);
      return -ENOMEM;
    }
    list->items = items;
  }
  list->items[list->count++] = text;
  return 0;
}

int strlist_add (struct strlist *list, const char *text)
{
  return strlist_add_take (list, strdup (text));
}

int strlist_copy (const struct strlist *from, struct strlist *ret_list)
{
  cleanup_strlist struct strlist copy = { 0 };

  for (size_t i = 0; i < from->count; i++)
    if (strlist_add (&copy, from->items[i]) < 0)
      return -ENOMEM;
  *ret_list = copy;
  copy = (struct strlist){ 0 };
  return 0;
}

bool strlist_equal (const struct strlist *a, const struct strlist *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (strcmp (a->items[i], b->items[i]) != 0)
      return false;
  return true;
}

void strlist_clear (struct strlist *list)
{
  for (size_t i = 0; i < list->count; i++)
    free (list->items[i]);
  free (list->items);
  *list = (struct strlist){ 0 };
}

/* Finds TEXT, or the index where it would be inserted. */
static bool set_find (const struct strlist *set, const char *text, size_t *ret_at)
{
  size_t low = 0, high = set->count;

  while (low < high) {
    size_t mid = low + (high - low) / 2;
    int order = strcmp (set->items[mid], text);

    if (order == 0) {
      *ret_at = mid;
      return true;
    }
    if (order < 0)
      low = mid + 1;
    else
      high = mid;
  }
  *ret_at = low;
  return false;
}

int strset_add (struct strlist *set, const char *text)
{
  size_t at;
  char *added;

  if (set_find (set, text, &at))
    return 0;
  if (strlist_add (set, text) < 0)
    return -ENOMEM;
  added = set->items[set->count - 1];
  memmove (set->items + at + 1, set->items + at, (set->count - 1 - at) * sizeof (*set->items));
  set->items[at] = added;
  return 0;
}

bool strset_has (const struct strlist *set, const char *text)
{
  size_t at;

  return set_find (set, text, &at);
}

bool strset_subset (const struct strlist *small, const struct strlist *big)
{
  for (size_t i = 0; i < small->count; i++)
    if (!strset_has (big, small->items[i]))
      return false;
  return true;
}

int strset_union (const struct strlist *a, const struct strlist *b, struct strlist *ret_set)
{
  cleanup_strlist struct strlist set = { 0 };

  if (strlist_copy (a, &set) < 0)
    return -ENOMEM;
  for (size_t i = 0; i < b->count; i++)
    if (strset_add (&set, b->items[i]) < 0)
      return -ENOMEM;
  *ret_set = set;
  set = (struct strlist){ 0 };
  return 0;
}

int strset_intersect (const struct strlist *a, const struct strlist *b, struct strlist *ret_set)
{
  cleanup_strlist struct strlist set = { 0 };

  for (size_t i = 0; i < a->count; i++)
    if (strset_has (b, a->items[i]) && strlist_add (&set, a->items[i]) < 0)
      return -ENOMEM;
  *ret_set = set;
  set = (struct strlist){ 0 };
  return 0;
}

bool str_equal (const char *a, const char *b)
{
  return a == b || (a != NULL && b != NULL && strcmp (a, b) == 0);
}

bool str_has_prefix (const char *text, const char *prefix)
{
  return strncmp (text, prefix, strlen (prefix)) == 0;
}

bool str_has_suffix (const char *text, const char *suffix)
{
  size_t len = strlen (text), tail = strlen (suffix);

  return len >= tail && strcmp (text + len - tail, suffix) == 0;
}

/* vasprintf grows its memory, which takes longer than the formatting; most texts fit into a local buffer. */
char *str_format (const char *format, ...)
{
  char small[256], *text = NULL;
  va_list ap;
  int len;

  va_start (ap, format);
  len = vsnprintf (small, sizeof (small), format, ap);
  va_end (ap);
  if (len >= 0 && (size_t) len < sizeof (small))
    return strdup (small);
  va_start (ap, format);
  if (vasprintf (&text, format, ap) < 0)
    text = NULL;
  va_end (ap);
  return text;
}

/* The length of the sequence that starts with LEAD, which is not ASCII; 0 if none does. *RET_LOW and
 * *RET_HIGH bound its second byte, which excludes overlong forms, surrogates and values past U+10FFFF. */
static size_t utf8_sequence (unsigned char lead, unsigned char *ret_low, unsigned char *ret_high)
{
  *ret_low = 0x80;
  *ret_high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf)
    return 2;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0)
      *ret_low = 0xa0;
    if (lead == 0xed)
      *ret_high = 0x9f;
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (lead == 0xf0)
      *ret_low = 0x90;
    if (lead == 0xf4)
      *ret_high = 0x8f;
    return 4;
  }
  return 0;
}

size_t str_utf8_prefix (const char *text, size_t len, size_t *ret_bad)
{
  const unsigned char *p = (const unsigned char *) text;
  size_t i = 0;

  while (i < len) {
    unsigned char low, high;
    size_t n, k = 1;

    if (p[i] < 0x80) {
      i++;
      continue;
    }
    n = utf8_sequence (p[i], &low, &high);

    for (; k < n && k < len - i && p[i + k] >= low && p[i + k] <= high; k++) {
      low = 0x80;
      high = 0xbf;
    }
    if (n == 0 || k < n) {
      *ret_bad = k;
      return i;
    }
    i += n;
  }
  *ret_bad = 0;
  return len;
}

bool str_is_utf8 (const char *text, size_t len)
{
  size_t bad;

  return str_utf8_prefix (text, len, &bad) == len;
}

#define NEAREST_MAX 48

/* Edit distance with insertions, deletions, substitutions and swaps of neighbours. */
static size_t distance (const char *a, const char *b)
{
  size_t la = strlen (a), lb = strlen (b);
  size_t rows[3][NEAREST_MAX + 1];

  if (la > NEAREST_MAX || lb > NEAREST_MAX)
    return SIZE_MAX;
  for (size_t j = 0; j <= lb; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= la; i++) {
    size_t *now = rows[i % 3], *last = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];

    now[0] = i;
    for (size_t j = 1; j <= lb; j++) {
      size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);

      if (last[j] + 1 < best)
        best = last[j] + 1;
      if (now[j - 1] + 1 < best)
        best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return rows[la % 3][lb];
}

const char *str_nearest (const char *text, const char *const *names, size_t count)
{
  const char *nearest = NULL;
  size_t best = SIZE_MAX;

  for (size_t i = 0; i < count; i++) {
    size_t d = distance (text, names[i]);
    size_t bound = strlen (names[i]) <= 4 ? 1 : (strlen (names[i]) + 1) / 3;

    if (d <= bound && d < best) {
      best = d;
      nearest = names[i];
    }
  }
  return nearest;
}
