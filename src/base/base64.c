/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-base64.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

/* The value of C, 0 to 63, or -1. */
static int digit (char c)
{
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  if (c == '+' || c == '-')
    return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

int base64_parse (const char *text, char **ret_bytes, size_t *ret_len, struct error *err)
{
  size_t len = strlen (text), padding = 0, count = 0;
  cleanup_free char *bytes = NULL;
  unsigned bits = 0;

  while (len > 0 && padding < 2 && text[len - 1] == '=') {
    len--;
    padding++;
  }
  if (len % 4 == 1 || (padding > 0 && (len + padding) % 4 != 0))
    return error_set (err, -EINVAL, "not base64: %zu is not a possible length", len + padding);
  bytes = malloc (len / 4 * 3 + 3);
  if (bytes == NULL)
    return error_oom (err);
  for (size_t i = 0; i < len; i++) {
    int value = digit (text[i]);

    if (value < 0)
      return error_set (err, -EINVAL, "not base64: character %zu is not in its alphabet", i + 1);
    bits = bits << 6 | (unsigned) value;
    if (i % 4 > 0)
      bytes[count++] = (char) (bits >> (6 - 2 * (i % 4)) & 0xff);
  }
  if ((len % 4 == 2 && (bits & 0xf) != 0) || (len % 4 == 3 && (bits & 0x3) != 0))
    return error_set (err, -EINVAL, "not base64: the last character has stray bits");
  bytes[count] = '\0';
  *ret_bytes = take_ptr (bytes);
  *ret_len = count;
  return 0;
}

char *base64_encode (const void *bytes, size_t len)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  enum { PADDING = 64 };
  const unsigned char *from = bytes;
  char *text = len < SIZE_MAX / 4 * 3 - 3 ? malloc ((len + 2) / 3 * 4 + 1) : NULL, *to = text;

  if (text == NULL)
    return NULL;
  for (size_t i = 0; i < len; i += 3) {
    unsigned second = i + 1 < len ? from[i + 1] : 0, third = i + 2 < len ? from[i + 2] : 0;
    unsigned bits = (unsigned) from[i] << 16 | second << 8 | third;

    *to++ = digits[bits >> 18];
    *to++ = digits[bits >> 12 & 63];
    *to++ = digits[i + 1 < len ? bits >> 6 & 63 : PADDING];
    *to++ = digits[i + 2 < len ? bits & 63 : PADDING];
  }
  *to = '\0';
  return text;
}
