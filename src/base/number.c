/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-number.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-limits.h"

struct unit {
  const char *suffix;
  uint64_t factor;
};

/* Largest first, so that formatting finds the shortest text. */
static const struct unit size_units[] = {
  { "T", UINT64_C (1) << 40 },
  { "G", UINT64_C (1) << 30 },
  { "M", UINT64_C (1) << 20 },
  { "K", UINT64_C (1) << 10 },
  { "", 1 },
};

static const struct unit duration_units[] = {
  { "h", 3600 * 1000 },
  { "m", 60 * 1000 },
  { "s", 1000 },
  { "ms", 1 },
};

/* Parses the digits at TEXT; *RET_END is what follows them. */
static bool digits (const char *text, uint64_t max, uint64_t *ret_value, const char **ret_end)
{
  uint64_t value = 0;
  const char *p = text;

  if (*p < '0' || *p > '9')
    return false;
  if (p[0] == '0' && p[1] >= '0' && p[1] <= '9')
    return false;
  for (; *p >= '0' && *p <= '9'; p++) {
    uint64_t digit = (uint64_t) (*p - '0');

    if (__builtin_mul_overflow (value, 10, &value) || __builtin_add_overflow (value, digit, &value))
      return false;
  }
  if (value > max)
    return false;
  *ret_value = value;
  *ret_end = p;
  return true;
}

bool number_parse (const char *text, uint64_t max, uint64_t *ret_value)
{
  const char *end;
  uint64_t value;

  if (!digits (text, max, &value, &end) || *end != '\0')
    return false;
  *ret_value = value;
  return true;
}

static bool parse_with_unit (const char *text, const struct unit *units, size_t count, uint64_t *ret_value)
{
  const char *end;
  uint64_t value;

  if (!digits (text, UINT64_MAX, &value, &end))
    return false;
  for (size_t i = 0; i < count; i++)
    if (strcmp (end, units[i].suffix) == 0) {
      /* At most INT64_MAX, because runtimes and the kernel use signed values. */
      if (__builtin_mul_overflow (value, units[i].factor, &value) || value > INT64_MAX)
        return false;
      *ret_value = value;
      return true;
    }
  return false;
}

bool number_parse_size (const char *text, uint64_t *ret_bytes)
{
  return parse_with_unit (text, size_units, ARRAY_LEN (size_units), ret_bytes);
}

bool number_parse_duration (const char *text, uint64_t *ret_ms)
{
  return parse_with_unit (text, duration_units, ARRAY_LEN (duration_units), ret_ms);
}

bool number_parse_milli (const char *text, uint64_t *ret_milli)
{
  const char *end;
  uint64_t value;
  uint64_t scale = 1000;

  if (!digits (text, 1000 * 1000, &value, &end))
    return false;
  value *= 1000;
  if (*end == '.') {
    end++;
    if (*end == '\0')
      return false;
    for (; *end >= '0' && *end <= '9'; end++) {
      scale /= 10;
      if (scale == 0)
        return false;
      value += (uint64_t) (*end - '0') * scale;
    }
  }
  if (*end != '\0')
    return false;
  *ret_milli = value;
  return true;
}

bool number_parse_ids (const char *text, uint32_t *ret_uid, uint32_t *ret_gid)
{
  const char *end;
  uint64_t uid, gid;

  if (!digits (text, LIMIT_ID_MAX, &uid, &end) || *end != ':')
    return false;
  if (!number_parse (end + 1, LIMIT_ID_MAX, &gid))
    return false;
  *ret_uid = (uint32_t) uid;
  *ret_gid = (uint32_t) gid;
  return true;
}

static void format_with_unit (uint64_t value, const struct unit *units, size_t count, char text[NUMBER_TEXT])
{
  size_t i = 0;

  while (i + 1 < count && (value == 0 || value % units[i].factor != 0))
    i++;
  snprintf (text, NUMBER_TEXT, "%" PRIu64 "%s", value / units[i].factor, units[i].suffix);
}

void number_format_size (uint64_t bytes, char text[NUMBER_TEXT])
{
  format_with_unit (bytes, size_units, ARRAY_LEN (size_units), text);
}

void number_format_duration (uint64_t ms, char text[NUMBER_TEXT])
{
  format_with_unit (ms, duration_units, ARRAY_LEN (duration_units), text);
}

void number_format_milli (uint64_t milli, char text[NUMBER_TEXT])
{
  unsigned part = (unsigned) (milli % 1000);

  if (part == 0)
    snprintf (text, NUMBER_TEXT, "%" PRIu64, milli / 1000);
  else if (part % 100 == 0)
    snprintf (text, NUMBER_TEXT, "%" PRIu64 ".%u", milli / 1000, part / 100);
  else if (part % 10 == 0)
    snprintf (text, NUMBER_TEXT, "%" PRIu64 ".%02u", milli / 1000, part / 10);
  else
    snprintf (text, NUMBER_TEXT, "%" PRIu64 ".%03u", milli / 1000, part);
}
