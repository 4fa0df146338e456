/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-complete.h"

#include <string.h>

#include "control-backend.h"
#include "control-catalogue.h"

static void add_name (struct strbuf *out, size_t start, const char *separator, const char *prefix,
                      const char *name)
{
  strbuf_addf (out, "%s%s%s", out->len > start ? separator : "", prefix, name);
}

void complete_valued (struct strbuf *out, const char *separator)
{
  size_t start = out->len;

  for (enum option o = 0; o < OPTION_COUNT; o++)
    if (option_info (o)->value != NULL && verb_takes (&verb_root, o))
      add_name (out, start, separator, "--", option_info (o)->name);
}

void complete_options (struct strbuf *out, const struct verb *verb, const char *separator)
{
  size_t start = out->len;

  for (const enum option *o = verb->options; *o != OPTION_COUNT; o++)
    add_name (out, start, separator, "--", option_info (*o)->name);
  add_name (out, start, separator, "--", option_info (OPTION_HELP)->name);
}

void complete_verbs (struct strbuf *out, const struct verb *verb, const char *separator)
{
  size_t start = out->len;

  for (const struct verb *const *v = verb->verbs; v != NULL && *v != NULL; v++)
    add_name (out, start, separator, "", verb_name (*v));
}

void complete_words (struct strbuf *out, const struct option_info *info, const char *separator)
{
  size_t start = out->len;

  for (const char *const *word = info->words; word != NULL && *word != NULL; word++)
    add_name (out, start, separator, "", *word);
  for (size_t i = 0; info->word_of != NULL && backends[i] != NULL; i++) {
    const char *word = info->word_of (backends[i]);

    if (word != NULL && (i == 0 || !str_equal (word, info->word_of (backends[i - 1]))))
      add_name (out, start, separator, "", word);
  }
  for (enum control c = 0; info->complete == COMPLETE_CONTROL && c < CONTROL_COUNT; c++)
    add_name (out, start, separator, "", control_info (c)->name);
}

void complete_quote (struct strbuf *out, const char *text, const char *special, const char *apostrophe)
{
  for (; *text != '\0'; text++) {
    if (*text == '\'') {
      strbuf_add (out, apostrophe);
      continue;
    }
    if (strchr (special, *text) != NULL)
      strbuf_add (out, "\\");
    strbuf_add_bytes (out, text, 1);
  }
}

void complete_function (struct strbuf *out, const struct verb *verb)
{
  for (const char *p = verb->path; *p != '\0'; p++)
    strbuf_add_bytes (out, *p == ' ' ? "_" : p, 1);
}
