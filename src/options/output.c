/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-output.h"

#include <string.h>

void output_clear (struct output *output)
{
  strbuf_clear (&output->out);
  strbuf_clear (&output->notes);
}

void output_note (struct output *output, const char *text)
{
  strbuf_add (&output->notes, "tyrum-oci: note: ");
  text_clean (&output->notes, text);
  strbuf_add (&output->notes, "\n");
}

/* How many bytes at P are a control character: of ASCII, or C1 in UTF-8 (C2 80 to C2 9F). */
static size_t control_length (const unsigned char *p)
{
  if (p[0] < 0x20 || p[0] == 0x7f)
    return 1;
  return p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f ? 2 : 0;
}

/* KEEP is a control character to leave; '\0': none. */
static void clean (struct strbuf *buf, const char *text, char keep)
{
  const unsigned char *p = (const unsigned char *) text;

  while (*p != '\0') {
    size_t control = *p == (unsigned char) keep ? 0 : control_length (p);

    for (size_t i = 0; i < control; i++)
      strbuf_addf (buf, "\\x%02x", p[i]);
    if (control == 0)
      strbuf_add_bytes (buf, (const char *) p, 1);
    p += control ? control : 1;
  }
}

void text_clean (struct strbuf *buf, const char *text)
{
  clean (buf, text, '\0');
}

void text_clean_lines (struct strbuf *buf, const char *text)
{
  clean (buf, text, '\n');
}

size_t text_columns (const char *text, size_t len)
{
  size_t columns = 0;

  for (size_t i = 0; i < len; i++)
    columns += ((unsigned char) text[i] & 0xc0) != 0x80;
  return columns;
}

static void add_spaces (struct strbuf *buf, unsigned count)
{
  strbuf_addf (buf, "%*s", (int) count, "");
}

void text_wrap (struct strbuf *buf, const char *text, unsigned at, unsigned indent, unsigned width)
{
  size_t column = at;
  bool fresh = true; /* nothing on this line yet */

  while (*text != '\0') {
    size_t len = strcspn (text, " \n");
    size_t columns = text_columns (text, len);

    if (len > 0 && !fresh && column + 1 + columns > width) {
      strbuf_add (buf, "\n");
      add_spaces (buf, indent);
      column = indent;
      fresh = true;
    }
    if (len > 0) {
      strbuf_addf (buf, "%s%.*s", fresh ? "" : " ", (int) len, text);
      column += columns + !fresh;
      fresh = false;
    }
    text += len;
    if (text[0] == '\n' && text[1] == '\n') {
      strbuf_add (buf, "\n\n");
      add_spaces (buf, indent);
      column = indent;
      fresh = true;
    }
    text += strspn (text, " \n");
  }
  strbuf_add (buf, "\n");
}

void text_tone (struct strbuf *buf, const char *text, size_t len, enum tone tone, bool colour)
{
  static const char *const codes[] = { "", "\033[1m", "\033[32m", "\033[33m", "\033[31m" };

  if (!colour || tone == TONE_PLAIN) {
    strbuf_add_bytes (buf, text, len);
    return;
  }
  strbuf_add (buf, codes[tone]);
  strbuf_add_bytes (buf, text, len);
  strbuf_add (buf, "\033[0m");
}

void output_not_executed (struct output *output, const char *command, int errnum)
{
  strbuf_add (&output->notes, "tyrum-oci: cannot execute '");
  text_clean (&output->notes, command);
  strbuf_addf (&output->notes, "': %s\n", strerror (errnum));
}
