/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completion for bash. It needs nothing but bash itself. */
#include <config.h>

#include "options-complete.h"

/* Words are compared here, because compgen -W would expand them. */
static const char head[] = "# bash completion for tyrum-oci, printed by 'tyrum-oci help --format bash'\n"
                           "\n"
                           "_tyrum_oci_words ()\n"
                           "{\n"
                           "  local word\n"
                           "  for word; do\n"
                           "    [[ $word == \"$cur\"* ]] && COMPREPLY+=(\"$word\")\n"
                           "  done\n"
                           "}\n"
                           "\n"
                           "_tyrum_oci_paths ()\n"
                           "{\n"
                           "  local paths\n"
                           "  compopt -o filenames 2>/dev/null\n"
                           "  mapfile -t paths < <(compgen \"$@\" -- \"$cur\")\n"
                           "  COMPREPLY+=(\"${paths[@]}\")\n"
                           "}\n"
                           "\n"
                           "_tyrum_oci_offer ()\n"
                           "{\n"
                           "  local names\n"
                           "  case $1 in\n"
                           "  profile)\n"
                           "    mapfile -t names < <(\"${COMP_WORDS[0]}\" profile list --names 2>/dev/null)\n"
                           "    _tyrum_oci_words \"${names[@]}\"\n"
                           "    _tyrum_oci_paths -f -X '!*.json'\n"
                           "    _tyrum_oci_paths -d\n"
                           "    ;;\n"
                           "  directory) _tyrum_oci_paths -d ;;\n"
                           "  file) _tyrum_oci_paths -f ;;\n"
                           "  command) mapfile -t COMPREPLY < <(compgen -c -- \"$cur\" | sort -u) ;;\n"
                           "  esac\n"
                           "}\n"
                           "\n"
                           "# What the option $1 can be given.\n"
                           "_tyrum_oci_value ()\n"
                           "{\n"
                           "  case $1 in\n";

static const char walk[] =
    "  esac\n"
    "}\n"
    "\n"
    "_tyrum_oci ()\n"
    "{\n"
    "  local cur prev word verb='' operands=0 at=1 end=$COMP_CWORD options=() verbs=() kind='' command=''\n"
    "  COMPREPLY=()\n"
    "  cur=${COMP_WORDS[end]}\n"
    "  # readline cuts words at ':' and '='; put together again what is one word to us\n"
    "  while ((end > 1)) && [[ $cur == :* || ${COMP_WORDS[end - 1]} == *: ]]; do\n"
    "    cur=${COMP_WORDS[--end]}$cur\n"
    "  done\n"
    "  prev=${COMP_WORDS[end - 1]}\n"
    "  if [[ $cur == = ]]; then\n"
    "    cur=''\n"
    "  elif [[ $prev == = ]]; then\n"
    "    prev=${COMP_WORDS[end - 2]}\n"
    "  fi\n"
    "\n"
    "  while ((at < end)); do\n"
    "    word=${COMP_WORDS[at]}\n"
    "    case $word in\n"
    "    --) operands=1 && break ;;\n"
    "    ";

static const char walk_verbs[] = ")\n"
                                 "      ((at + 1 == end)) && break\n"
                                 "      [[ ${COMP_WORDS[at + 1]} == = ]] && ((at++))\n"
                                 "      ((at++))\n"
                                 "      ;;\n"
                                 "    -*) ;;\n"
                                 "    *)\n"
                                 "      case \"$verb/$word\" in\n"
                                 "      ";

static const char walk_end[] = ") verb=${verb:+$verb }$word ;;\n"
                               "      *) operands=$((operands + 1)) ;;\n"
                               "      esac\n"
                               "      ;;\n"
                               "    esac\n"
                               "    ((at++))\n"
                               "  done\n"
                               "\n"
                               "  case $verb in\n";

static const char tail_values[] = "  esac\n"
                                  "  if [[ -n $command ]] && ((operands > 0)); then\n"
                                  "    _tyrum_oci_offer file\n"
                                  "    return\n"
                                  "  fi\n"
                                  "  case $prev in\n"
                                  "  ";

static const char tail[] = ") _tyrum_oci_value \"$prev\" ;;\n"
                           "  *)\n"
                           "    if [[ $cur == -* ]]; then\n"
                           "      _tyrum_oci_words \"${options[@]}\"\n"
                           "    elif ((${#verbs[@]} > 0)); then\n"
                           "      _tyrum_oci_words \"${verbs[@]}\"\n"
                           "    else\n"
                           "      _tyrum_oci_offer \"$kind\"\n"
                           "    fi\n"
                           "    ;;\n"
                           "  esac\n"
                           "  # readline replaces only what follows the last ':'\n"
                           "  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then\n"
                           "    COMPREPLY=(\"${COMPREPLY[@]#\"${cur%\"${cur##*:}\"}\"}\")\n"
                           "  fi\n"
                           "}\n"
                           "\n"
                           "complete -F _tyrum_oci tyrum-oci\n";

static const char *kind_of (enum complete complete)
{
  switch (complete) {
  case COMPLETE_FILE: return "file";
  case COMPLETE_DIRECTORY: return "directory";
  case COMPLETE_PROFILE: return "profile";
  case COMPLETE_COMMAND: return "command";
  case COMPLETE_NOTHING:
  case COMPLETE_WORDS:
  case COMPLETE_CONTROL:
  case COMPLETE_VERB: break;
  }
  return "";
}

static void add_value (struct strbuf *out, const struct option_info *info)
{
  bool words = info->words != NULL || info->complete == COMPLETE_CONTROL;

  if (info->value == NULL || (!words && kind_of (info->complete)[0] == '\0'))
    return;
  strbuf_addf (out, "  --%s)\n", info->name);
  if (words) {
    strbuf_add (out, "    _tyrum_oci_words ");
    complete_words (out, info, " ");
    strbuf_add (out, "\n");
  }
  if (kind_of (info->complete)[0] != '\0')
    strbuf_addf (out, "    _tyrum_oci_offer %s\n", kind_of (info->complete));
  strbuf_add (out, "    ;;\n");
}

/* "/run | /spec | profile/list": the parent and the name of every verb. */
static void add_paths (struct strbuf *out, const struct verb *verb, bool first)
{
  for (const struct verb *const *v = verb->verbs; v != NULL && *v != NULL; v++) {
    strbuf_addf (out, "%s%s/%s", first ? "" : " | ", verb->path, verb_name (*v));
    first = false;
    add_paths (out, *v, false);
  }
}

static void add_verb (struct strbuf *out, const struct verb *verb)
{
  const struct verb *offered = verb->verbs == NULL && verb->complete == COMPLETE_VERB ? &verb_root : verb;

  strbuf_addf (out, "  '%s')\n    options=(", verb->path);
  complete_options (out, verb, " ");
  strbuf_add (out, ")\n    verbs=(");
  complete_verbs (out, offered, " ");
  strbuf_addf (out, ")\n    kind='%s'\n", kind_of (verb->complete));
  if (verb->command)
    strbuf_add (out, "    command=yes\n");
  strbuf_add (out, "    ;;\n");
  for (const struct verb *const *v = verb->verbs; v != NULL && *v != NULL; v++)
    add_verb (out, *v);
}

void help_bash (struct strbuf *out)
{
  strbuf_add (out, head);
  for (enum option o = 0; o < OPTION_COUNT; o++)
    if (verb_takes (&verb_root, o))
      add_value (out, option_info (o));
  strbuf_add (out, walk);
  complete_valued (out, " | ");
  strbuf_add (out, walk_verbs);
  add_paths (out, &verb_root, true);
  strbuf_add (out, walk_end);
  add_verb (out, &verb_root);
  strbuf_add (out, tail_values);
  complete_valued (out, " | ");
  strbuf_add (out, tail);
}
