/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completion for fish: one line for each verb and for each option of a verb. */
#include <config.h>

#include "options-complete.h"

static const char head[] = "# printed by 'tyrum-oci help --format fish'\n"
                           "\n"
                           "# The words so far that are neither options nor their values.\n"
                           "function __tyrum_oci_path\n"
                           "    set -l path\n"
                           "    set -l skip no\n"
                           "    for word in (commandline -opc)[2..-1]\n"
                           "        if test $skip = yes\n"
                           "            set skip no\n"
                           "            continue\n"
                           "        end\n"
                           "        switch $word\n"
                           "            case ";

static const char functions[] =
    "\n"
    "                set skip yes\n"
    "            case '-*'\n"
    "            case '*'\n"
    "                set path $path $word\n"
    "        end\n"
    "    end\n"
    "    string join ' ' -- $path\n"
    "end\n"
    "\n"
    "# Whether the verb is $argv, and nothing stands behind it yet.\n"
    "function __tyrum_oci_at\n"
    "    set -l path (__tyrum_oci_path)\n"
    "    test \"$path\" = \"$argv\"\n"
    "end\n"
    "\n"
    "# Whether the verb is $argv, whatever stands behind it.\n"
    "function __tyrum_oci_in\n"
    "    set -l path (__tyrum_oci_path)\n"
    "    test \"$path\" = \"$argv\"; or string match -q -- \"$argv *\" \"$path\"\n"
    "end\n"
    "\n"
    "complete -c tyrum-oci -f\n";

#define NAMES "(tyrum-oci profile list --names 2>/dev/null)"

static void add_description (struct strbuf *out, const char *text)
{
  strbuf_add (out, " -d '");
  complete_quote (out, text, "\\", "\\'");
  strbuf_add (out, "'\n");
}

/* EXACT: not after further operands, so that options of the command are not completed as ours. */
static void add_condition (struct strbuf *out, const struct verb *verb, bool exact)
{
  strbuf_addf (out, "complete -c tyrum-oci -n '__tyrum_oci_%s %s'", exact ? "at" : "in",
               verb->path[0] != '\0' ? verb->path : "\"\"");
}

/* -x offers only the list, -r and -F files as well. */
static void add_value (struct strbuf *out, const struct option_info *info)
{
  bool words = info->words != NULL || info->complete == COMPLETE_CONTROL;

  switch (info->complete) {
  case COMPLETE_FILE:
  case COMPLETE_PROFILE: strbuf_add (out, " -r -F"); break;
  case COMPLETE_DIRECTORY: strbuf_add (out, " -x -a '(__fish_complete_directories)'"); break;
  case COMPLETE_NOTHING:
  case COMPLETE_WORDS:
  case COMPLETE_CONTROL:
  case COMPLETE_COMMAND:
  case COMPLETE_VERB: strbuf_add (out, " -x"); break;
  }
  if (info->complete == COMPLETE_PROFILE)
    strbuf_add (out, " -a '" NAMES "'");
  if (!words)
    return;
  strbuf_add (out, " -a '");
  complete_words (out, info, " ");
  strbuf_add (out, "'");
}

static void add_option (struct strbuf *out, const struct verb *verb, enum option option)
{
  const struct option_info *info = option_info (option);

  add_condition (out, verb, verb->command || verb == &verb_root);
  strbuf_addf (out, " -l %s", info->name);
  if (info->value != NULL)
    add_value (out, info);
  add_description (out, info->help);
}

static void add_operands (struct strbuf *out, const struct verb *verb)
{
  switch (verb->complete) {
  case COMPLETE_PROFILE:
    add_condition (out, verb, false);
    strbuf_add (out, " -F -a '" NAMES "'\n");
    break;
  case COMPLETE_COMMAND:
    add_condition (out, verb, true);
    strbuf_add (out, " -a '(__fish_complete_command)'\n");
    add_condition (out, verb, false);
    strbuf_add (out, " -F\n");
    break;
  case COMPLETE_FILE:
    add_condition (out, verb, false);
    strbuf_add (out, " -F\n");
    break;
  case COMPLETE_NOTHING:
  case COMPLETE_WORDS:
  case COMPLETE_DIRECTORY:
  case COMPLETE_CONTROL:
  case COMPLETE_VERB: break;
  }
}

/* VERB's sub-verbs, completed right after WHERE. */
static void add_names (struct strbuf *out, const struct verb *where, const struct verb *verb)
{
  for (const struct verb *const *v = verb->verbs; v != NULL && *v != NULL; v++) {
    add_condition (out, where, true);
    strbuf_addf (out, " -a %s", verb_name (*v));
    add_description (out, (*v)->summary);
  }
}

static void add_verb (struct strbuf *out, const struct verb *verb)
{
  strbuf_add (out, "\n");
  add_names (out, verb, verb->verbs == NULL && verb->complete == COMPLETE_VERB ? &verb_root : verb);
  for (const enum option *o = verb->options; *o != OPTION_COUNT; o++)
    add_option (out, verb, *o);
  add_option (out, verb, OPTION_HELP);
  add_operands (out, verb);
  for (const struct verb *const *v = verb->verbs; v != NULL && *v != NULL; v++)
    add_verb (out, *v);
}

void help_fish (struct strbuf *out)
{
  strbuf_add (out, head);
  complete_valued (out, " ");
  strbuf_add (out, functions);
  add_verb (out, &verb_root);
}
