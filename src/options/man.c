/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The manual page in roff, from the tables of verbs and options. */
#include <config.h>

#include "options-help.h"

#include <string.h>

struct entry {
  const char *label;
  const char *text;
};

static const struct entry files[] = {
  { TYRUM_OCI_SYSCONFDIR "/profiles/NAME.json", "profiles of the operator" },
  { TYRUM_OCI_SYSCONFDIR "/ceiling.json",
    "what the operator allows on this host, whatever a profile or a request says" },
  { "$XDG_CONFIG_HOME/tyrum-oci/profiles/NAME.json",
    "profiles of a user other than root; the directory is ~/.config where the variable is not set" },
  { TYRUM_OCI_DATADIR "/profiles/NAME.json", "the shipped profiles" },
  { TYRUM_OCI_DATADIR "/profiles/seccomp/NAME.json", "the shipped lists of system calls" },
};

static const struct entry environment[] = {
  { "TYRUM_OCI_CONFDIR", "the operator's directory, instead of " TYRUM_OCI_SYSCONFDIR },
  { "TYRUM_OCI_DATADIR", "the directory of shipped data, instead of " TYRUM_OCI_DATADIR },
  { "XDG_CONFIG_HOME", "where the user's directory is" },
  { "NO_COLOR", "when set and not empty, nothing is coloured; without a terminal nothing is anyway" },
};

/* Text that users may copy: dashes and quotes must not become typographic ones. */
static void add_literal (struct strbuf *out, const char *text)
{
  for (; *text != '\0'; text++)
    switch (*text) {
    case '\\': strbuf_add (out, "\\e"); break;
    case '-': strbuf_add (out, "\\-"); break;
    case '\'': strbuf_add (out, "\\(aq"); break;
    case '`': strbuf_add (out, "\\(ga"); break;
    case '~': strbuf_add (out, "\\(ti"); break;
    case '^': strbuf_add (out, "\\(ha"); break;
    default: strbuf_add_bytes (out, text, 1); break;
    }
}

/* Prose: dashes of options are kept, and an empty line starts a paragraph. */
static void add_prose (struct strbuf *out, const char *text)
{
  char before = ' ';

  if (*text == '.' || *text == '\'')
    strbuf_add (out, "\\&");
  for (; *text != '\0'; before = *text++) {
    if (*text == '\\')
      strbuf_add (out, "\\e");
    else if (*text == '-' && strchr (" -'\"", before) != NULL)
      strbuf_add (out, "\\-");
    else if (text[0] == '\n' && text[1] == '\n') {
      strbuf_add (out, "\n.PP\n");
      text++;
    } else
      strbuf_add_bytes (out, text, 1);
  }
  strbuf_add (out, "\n");
}

/* A tagged paragraph: the label in bold, its value in italics. */
static void add_tagged (struct strbuf *out, const char *label, const char *value, const char *text)
{
  strbuf_add (out, ".TP\n\\fB");
  add_literal (out, label);
  strbuf_add (out, "\\fR");
  if (value != NULL) {
    strbuf_add (out, " \\fI");
    add_literal (out, value);
    strbuf_add (out, "\\fR");
  }
  strbuf_add (out, "\n");
  add_prose (out, text);
}

static void add_option (struct strbuf *out, enum option option)
{
  const struct option_info *info = option_info (option);
  cleanup_free char *label = str_format ("--%s", info->name);
  cleanup_free char *text = str_format ("%s%s", info->help, info->repeats ? "; repeatable" : "");

  if (label == NULL || text == NULL)
    out->failed = true;
  else
    add_tagged (out, label, info->value, text);
}

static void add_usage (struct strbuf *out, const struct verb *verb)
{
  cleanup_free char *usage = verb_usage (verb);

  if (usage == NULL) {
    out->failed = true;
    return;
  }
  add_literal (out, usage);
  strbuf_add (out, "\n");
}

static void add_examples (struct strbuf *out, const struct verb *verb)
{
  for (const struct verb_example *e = verb->examples; e != NULL && e->command != NULL; e++) {
    strbuf_add (out, ".TP\n");
    add_literal (out, e->command);
    strbuf_add (out, "\n");
    add_prose (out, e->what);
  }
}

/* Several verbs take the options of a request; the page lists them once. */
static const enum option request_options[] = { OPTIONS_OF_REQUEST, OPTION_COUNT };

static bool is_of_request (enum option option)
{
  for (const enum option *o = request_options; *o != OPTION_COUNT; o++)
    if (*o == option)
      return true;
  return false;
}

static void add_verb (struct strbuf *out, const struct verb *verb)
{
  bool requests = false;

  strbuf_add (out, ".SS ");
  add_literal (out, verb->path);
  strbuf_add (out, "\n");
  add_usage (out, verb);
  strbuf_add (out, ".PP\n");
  add_prose (out, verb->description);
  for (const enum option *o = verb->options; *o != OPTION_COUNT; o++)
    requests = requests || is_of_request (*o);
  if (requests)
    strbuf_add (out, ".PP\nIt takes the options of a request, and:\n");
  for (const enum option *o = verb->options; *o != OPTION_COUNT; o++)
    if (!is_of_request (*o))
      add_option (out, *o);
}

/* Calls ADD for VERB's sub-verbs, depth first. */
static void each_verb (struct strbuf *out, const struct verb *verb,
                       void (*add) (struct strbuf *out, const struct verb *verb))
{
  for (const struct verb *const *v = verb->verbs; v != NULL && *v != NULL; v++) {
    add (out, *v);
    each_verb (out, *v, add);
  }
}

static void add_synopsis (struct strbuf *out, const struct verb *verb)
{
  if (verb->verbs != NULL)
    return;
  add_usage (out, verb);
  strbuf_add (out, ".br\n");
}

static void add_entries (struct strbuf *out, const char *title, const struct entry *entries, size_t count)
{
  strbuf_addf (out, ".SH %s\n", title);
  for (size_t i = 0; i < count; i++)
    add_tagged (out, entries[i].label, NULL, entries[i].text);
}

void help_man (struct strbuf *out)
{
  strbuf_add (out, ".\\\" Printed by 'tyrum-oci help --format man'.\n"
                   ".TH TYRUM\\-OCI 1 \"\" \"" PACKAGE_NAME " " PACKAGE_VERSION "\" \"User Commands\"\n"
                   ".SH NAME\ntyrum\\-oci \\- ");
  add_literal (out, verb_root.summary);
  strbuf_add (out, "\n.SH SYNOPSIS\n");
  each_verb (out, &verb_root, add_synopsis);
  strbuf_add (out, ".SH DESCRIPTION\n");
  add_prose (out, verb_root.description);
  strbuf_add (out, ".SH OPTIONS\nEvery verb has\n");
  add_option (out, OPTION_HELP);
  strbuf_add (out, ".PP\nand without a verb there is\n");
  for (const enum option *o = verb_root.options; *o != OPTION_COUNT; o++)
    add_option (out, *o);
  strbuf_add (out, ".SS Options of a request\n");
  for (const enum option *o = request_options; *o != OPTION_COUNT; o++)
    add_option (out, *o);
  strbuf_add (out, ".SH VERBS\n");
  each_verb (out, &verb_root, add_verb);
  strbuf_add (out, ".SH EXIT STATUS\n");
  for (const struct verb_exit *s = verb_statuses; s->status != NULL; s++)
    add_tagged (out, s->status, NULL, s->meaning);
  add_entries (out, "FILES", files, ARRAY_LEN (files));
  add_entries (out, "ENVIRONMENT", environment, ARRAY_LEN (environment));
  strbuf_add (out, ".SH EXAMPLES\n");
  add_examples (out, &verb_root);
  each_verb (out, &verb_root, add_examples);
}
