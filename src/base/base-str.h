/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text: a growing buffer, a list of strings, and a few predicates.
 *
 * A failure of the buffer is sticky: append without checks and test once at the end. A list can be
 * used as a sorted set; the set functions keep it sorted and unique, so equal sets are equal item
 * by item and print alike.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-cleanup.h"

struct strbuf {
  char *text; /* NUL-terminated once anything was added */
  size_t len;
  size_t size;
  bool failed;
};

void strbuf_add (struct strbuf *buf, const char *text);
void strbuf_add_bytes (struct strbuf *buf, const char *bytes, size_t len);
void strbuf_addf (struct strbuf *buf, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
/* Returns the text and empties the buffer; NULL if memory ran out. */
char *strbuf_take (struct strbuf *buf);
void strbuf_clear (struct strbuf *buf);
#define cleanup_strbuf cleanup (strbuf_clear)

/* Reserves LEN more bytes and a NUL; false if memory ran out. */
bool strbuf_reserve (struct strbuf *buf, size_t len);

/* Makes the text LEN bytes longer and returns where they start, for the caller to fill; NULL if memory ran
 * out. Inline: a document takes thousands of calls. */
static inline char *strbuf_extend (struct strbuf *buf, size_t len)
{
  char *start;

  if (buf->failed || (len >= buf->size - buf->len && !strbuf_reserve (buf, len)))
    return NULL;
  start = buf->text + buf->len;
  buf->len += len;
  start[len] = '\0';
  return start;
}

/* The capacity is not stored: it is the next power of two of COUNT, so only these functions may add items. */
struct strlist {
  char **items;
  size_t count;
};

int strlist_add (struct strlist *list, const char *text);
int strlist_add_take (struct strlist *list, char *text); /* frees TEXT on failure */
int strlist_copy (const struct strlist *from, struct strlist *ret_list);
bool strlist_equal (const struct strlist *a, const struct strlist *b);
void strlist_clear (struct strlist *list);
#define cleanup_strlist cleanup (strlist_clear)

/* Inserts TEXT in order; a repeat is no error. */
int strset_add (struct strlist *set, const char *text);
bool strset_has (const struct strlist *set, const char *text);
bool strset_subset (const struct strlist *small, const struct strlist *big);
int strset_union (const struct strlist *a, const struct strlist *b, struct strlist *ret_set);
int strset_intersect (const struct strlist *a, const struct strlist *b, struct strlist *ret_set);

bool str_equal (const char *a, const char *b); /* NULL equals only NULL */
bool str_has_prefix (const char *text, const char *prefix);
bool str_has_suffix (const char *text, const char *suffix);
char *str_format (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* Valid UTF-8 as in RFC 3629: no overlong forms, no surrogates. */
bool str_is_utf8 (const char *text, size_t len);

/* The number of leading bytes that are valid UTF-8. *RET_BAD is the number of bytes after them
 * that form one unreadable character (the longest prefix of a valid one, as decoders replace it);
 * 0 at the end of the text. */
size_t str_utf8_prefix (const char *text, size_t len, size_t *ret_bad);

/* The entry of NAMES nearest to TEXT, or NULL when none is near enough to suggest. */
const char *str_nearest (const char *text, const char *const *names, size_t count);
