/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-help.h"

#include <string.h>

/* Longer lines of prose are hard to read. */
#define PROSE_WIDTH  92u
#define LABEL_INDENT 2u
#define TEXT_INDENT  26u

static unsigned prose_width (const struct output *output)
{
  return output->width < PROSE_WIDTH ? output->width : PROSE_WIDTH;
}

static void add_title (struct output *output, const char *title)
{
  strbuf_add (&output->out, "\n");
  text_tone (&output->out, title, strlen (title), TONE_BOLD, output->colour);
  strbuf_add (&output->out, "\n");
}

/* A label with its text beside it, or below it if the label is long. */
static void add_entry (struct output *output, const char *label, const char *text)
{
  size_t used = LABEL_INDENT + strlen (label);

  strbuf_addf (&output->out, "%*s%s", (int) LABEL_INDENT, "", label);
  if (used + 2 > TEXT_INDENT) {
    strbuf_add (&output->out, "\n");
    used = 0;
  }
  strbuf_addf (&output->out, "%*s", (int) (TEXT_INDENT - used), "");
  text_wrap (&output->out, text, TEXT_INDENT, TEXT_INDENT, prose_width (output));
}

static int add_option (struct output *output, enum option option, struct error *err)
{
  const struct option_info *info = option_info (option);
  cleanup_free char *label =
      str_format ("--%s%s%s", info->name, info->value ? " " : "", info->value ? info->value : "");
  cleanup_free char *text = str_format ("%s%s", info->help, info->repeats ? "; repeatable" : "");

  if (label == NULL || text == NULL)
    return error_oom (err);
  add_entry (output, label, text);
  return 0;
}

static int add_options (const struct verb *verb, struct output *output, struct error *err)
{
  int r = 0;

  add_title (output, "Options");
  for (const enum option *o = verb->options; r == 0 && *o != OPTION_COUNT; o++)
    r = add_option (output, *o, err);
  return r < 0 ? r : add_option (output, OPTION_HELP, err);
}

static void add_examples (const struct verb *verb, struct output *output)
{
  if (verb->examples == NULL)
    return;
  add_title (output, "Examples");
  for (const struct verb_example *e = verb->examples; e->command != NULL; e++)
    strbuf_addf (&output->out, "  %s\n      %s\n", e->command, e->what);
}

int help_text (const struct verb *verb, struct output *output, struct error *err)
{
  cleanup_free char *usage = verb_usage (verb);
  int r;

  if (usage == NULL)
    return error_oom (err);
  strbuf_addf (&output->out, "usage: %s\n\n", usage);
  text_wrap (&output->out, verb->description, 0, 0, prose_width (output));
  if (verb->verbs != NULL) {
    add_title (output, "Verbs");
    for (const struct verb *const *v = verb->verbs; *v != NULL; v++)
      add_entry (output, verb_name (*v), (*v)->summary);
  }
  r = add_options (verb, output, err);
  if (r < 0)
    return r;
  add_examples (verb, output);
  if (verb == &verb_root) {
    add_title (output, "Exit status");
    for (const struct verb_exit *s = verb_statuses; s->status != NULL; s++)
      add_entry (output, s->status, s->meaning);
  }
  return 0;
}

static const struct {
  const char *name;
  void (*print) (struct strbuf *out);
} formats[] = {
  { "text", NULL }, { "man", help_man }, { "bash", help_bash }, { "zsh", help_zsh }, { "fish", help_fish },
};

static int unknown_format (const char *name, struct error *err)
{
  const char *names[ARRAY_LEN (formats)];
  const char *near;

  for (size_t i = 0; i < ARRAY_LEN (formats); i++)
    names[i] = formats[i].name;
  near = str_nearest (name, names, ARRAY_LEN (names));
  if (near != NULL)
    return error_set (err, CLI_USAGE, "--format: there is no format '%s'; did you mean '%s'?", name, near);
  return error_set (err, CLI_USAGE, "--format: there is no format '%s'; there are text, man, bash, zsh, fish",
                    name);
}

static int print_whole (const char *name, struct output *output, struct error *err)
{
  for (size_t i = 0; i < ARRAY_LEN (formats); i++)
    if (strcmp (formats[i].name, name) == 0) {
      formats[i].print (&output->out);
      return 0;
    }
  return unknown_format (name, err);
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  const char *format = arguments_text (arguments, OPTION_FORMAT);
  const struct strlist *words = &arguments->operands;
  const struct verb *verb = &verb_root;
  int r = 0;

  for (size_t i = 0; r == 0 && i < words->count; i++)
    r = verb_find (verb, words->items[i], &verb, err);
  if (r < 0)
    return r;
  if (format == NULL || strcmp (format, "text") == 0)
    return help_text (verb, output, err);
  if (words->count > 0)
    return error_set (err, CLI_USAGE, "--format: '%s' is about the whole program, not about '%s'", format,
                      verb->path);
  return print_whole (format, output, err);
}

static const enum option options[] = { OPTION_FORMAT, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci help profile diff", "the help of one verb, as its --help prints it" },
  { "tyrum-oci help --format bash >~/.local/share/bash-completion/completions/tyrum-oci",
    "completion for one's own shell" },
  { NULL, NULL },
};

const struct verb verb_help = {
  .path = "help",
  .summary = "print help, the manual page or shell completions",
  .description =
      "Prints the help of the program or of one verb; the manual page and the completions are about the "
      "whole program. All of it comes from the tables that the command line is read with.",
  .operands = "[VERB...]",
  .max = 2,
  .complete = COMPLETE_VERB,
  .options = options,
  .examples = examples,
  .run = run,
};
