/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-text.h"

#include <string.h>

static const char cut_off[] = "...";

const char *image_show (const char *text, char shown[IMAGE_SHOWN])
{
  static const char digits[] = "0123456789abcdef";
  const size_t room = IMAGE_SHOWN - sizeof (cut_off);
  size_t len = 0;

  for (const char *p = text ? text : ""; *p != '\0'; p++) {
    unsigned char c = (unsigned char) *p;
    size_t need = c < 0x20 || c > 0x7e || c == '\\' ? 4 : 1;

    if (len + need > room) {
      memcpy (shown + len, cut_off, sizeof (cut_off));
      return shown;
    }
    if (need == 1)
      shown[len++] = *p;
    else {
      shown[len++] = '\\';
      shown[len++] = 'x';
      shown[len++] = digits[c >> 4];
      shown[len++] = digits[c & 15];
    }
  }
  shown[len] = '\0';
  return shown;
}
