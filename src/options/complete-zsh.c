/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completion for zsh: one function for each verb, each a list for _arguments. */
#include <config.h>

#include "options-complete.h"

static const char head[] =
    "#compdef tyrum-oci\n"
    "# printed by 'tyrum-oci help --format zsh'\n"
    "\n"
    "_tyrum_oci_names () {\n"
    "  local -a names\n"
    "  names=(${(f)\"$(_call_program profiles tyrum-oci profile list --names 2>/dev/null)\"})\n"
    "  _describe -t profiles profile names\n"
    "  _files -g '*.json'\n"
    "}\n";

#define APOSTROPHE "'\\''"

/* The part of an _arguments specification that completes a value: ":MESSAGE:ACTION". */
static void add_action (struct strbuf *out, const char *message, enum complete complete,
                        const struct option_info *info)
{
  strbuf_add (out, ":");
  complete_quote (out, message, ":", APOSTROPHE);
  strbuf_add (out, ":");
  switch (complete) {
  case COMPLETE_FILE: strbuf_add (out, "_files"); break;
  case COMPLETE_DIRECTORY:
    strbuf_add (out, "{");
    if (info != NULL && info->words != NULL) {
      strbuf_add (out, "compadd ");
      complete_words (out, info, " ");
      strbuf_add (out, "; ");
    }
    strbuf_add (out, "_files -/}");
    break;
  case COMPLETE_PROFILE: strbuf_add (out, "_tyrum_oci_names"); break;
  case COMPLETE_COMMAND: strbuf_add (out, "_command_names -e"); break;
  case COMPLETE_VERB: strbuf_add (out, "_tyrum_oci__verbs"); break;
  case COMPLETE_WORDS:
  case COMPLETE_CONTROL: {
    cleanup_strbuf struct strbuf words = { 0 };

    complete_words (&words, info, " ");
    out->failed = out->failed || words.failed;
    strbuf_add (out, "(");
    complete_quote (out, words.text ? words.text : "", ":", APOSTROPHE);
    strbuf_add (out, ")");
    break;
  }
  case COMPLETE_NOTHING: strbuf_add (out, " "); break;
  }
}

static void add_option (struct strbuf *out, enum option option)
{
  const struct option_info *info = option_info (option);

  strbuf_addf (out, " \\\n    '%s--%s%s[", info->repeats ? "*" : "", info->name, info->value ? "=" : "");
  complete_quote (out, info->help, "[]:", APOSTROPHE);
  strbuf_add (out, "]");
  if (info->value != NULL)
    add_action (out, info->value, info->complete, info);
  strbuf_add (out, "'");
}

static void add_options (struct strbuf *out, const struct verb *verb)
{
  for (const enum option *o = verb->options; *o != OPTION_COUNT; o++)
    add_option (out, *o);
  add_option (out, OPTION_HELP);
}

static void begin_function (struct strbuf *out, const struct verb *verb, const char *suffix)
{
  strbuf_add (out, "\n_tyrum_oci_");
  complete_function (out, verb);
  strbuf_addf (out, "%s () {\n", suffix);
}

/* A verb with sub-verbs: a list of them, and a function that calls the sub-verb's own. */
static void add_group (struct strbuf *out, const struct verb *verb)
{
  begin_function (out, verb, "_verbs");
  strbuf_add (out, "  local -a verbs=(\n");
  for (const struct verb *const *v = verb->verbs; *v != NULL; v++) {
    strbuf_addf (out, "    '%s:", verb_name (*v));
    complete_quote (out, (*v)->summary, "", APOSTROPHE);
    strbuf_add (out, "'\n");
  }
  strbuf_add (out, "  )\n  _describe -t verbs verb verbs\n}\n");

  begin_function (out, verb, "");
  strbuf_add (out, "  local curcontext=$curcontext state line\n"
                   "  typeset -A opt_args\n"
                   "  _arguments -C");
  add_options (out, verb);
  strbuf_add (out, " \\\n    '1:verb:_tyrum_oci_");
  complete_function (out, verb);
  strbuf_add (out, "_verbs' '*::argument:->rest'\n"
                   "  [[ $state == rest ]] || return\n"
                   "  case $line[1] in\n");
  for (const struct verb *const *v = verb->verbs; *v != NULL; v++) {
    strbuf_addf (out, "  %s) _tyrum_oci_", verb_name (*v));
    complete_function (out, *v);
    strbuf_add (out, " ;;\n");
  }
  strbuf_add (out, "  esac\n}\n");
}

static void add_verb (struct strbuf *out, const struct verb *verb)
{
  if (verb->verbs != NULL) {
    add_group (out, verb);
    for (const struct verb *const *v = verb->verbs; *v != NULL; v++)
      add_verb (out, *v);
    return;
  }
  begin_function (out, verb, "");
  strbuf_addf (out, "  _arguments%s", verb->command ? " -S" : "");
  add_options (out, verb);
  if (verb->operands != NULL) {
    strbuf_addf (out, " \\\n    '%s", verb->command ? "(-)1" : "*");
    add_action (out, verb->command ? "command" : verb->operands, verb->complete, NULL);
    strbuf_add (out, verb->command ? "' '*::argument:_normal'" : "'");
  }
  strbuf_add (out, "\n}\n");
}

void help_zsh (struct strbuf *out)
{
  strbuf_add (out, head);
  add_verb (out, &verb_root);
  strbuf_add (out, "\n_tyrum_oci_ \"$@\"\n");
}
