/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-argv.h"

#include <string.h>

static bool find (struct argv_reader *reader, const char *name, size_t len)
{
  for (size_t i = 0; i < reader->count; i++)
    if (strncmp (reader->options[i].name, name, len) == 0 && reader->options[i].name[len] == '\0') {
      reader->option = i;
      return true;
    }
  return false;
}

/* In "--profile --json" the value of --profile was forgotten; a value that starts with dashes is rare. */
static enum argv_kind take_value (struct argv_reader *reader)
{
  if (*reader->rest == NULL || strncmp (*reader->rest, "--", 2) == 0)
    return ARGV_NO_VALUE;
  reader->value = *reader->rest++;
  return ARGV_OPTION;
}

enum argv_kind argv_next (struct argv_reader *reader)
{
  const char *word = reader->word = *reader->rest;
  size_t len;

  reader->value = NULL;
  if (word == NULL)
    return ARGV_END;
  reader->rest++;
  if (word[0] != '-' || word[1] == '\0')
    return ARGV_OPERAND;
  if (strcmp (word, "--") == 0)
    return ARGV_SEPARATOR;
  len = word[1] == '-' ? strcspn (word + 2, "=") : 0;
  if (len == 0 || !find (reader, word + 2, len))
    return ARGV_UNKNOWN;
  if (word[2 + len] == '=')
    reader->value = word + 3 + len;
  if (!reader->options[reader->option].takes_value)
    return reader->value ? ARGV_SURPLUS : ARGV_OPTION;
  return reader->value ? ARGV_OPTION : take_value (reader);
}
