/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-verb.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "session-process.h"

const char *verb_name (const struct verb *verb)
{
  const char *space = strrchr (verb->path, ' ');

  return space ? space + 1 : verb->path;
}

int verb_find (const struct verb *verb, const char *name, const struct verb **ret_verb, struct error *err)
{
  const char *names[24];
  size_t count = 0;
  const char *near;
  const char *what = verb->path[0] != '\0' ? verb->path : "tyrum-oci";

  for (const struct verb *const *v = verb->verbs; v != NULL && *v != NULL; v++) {
    if (strcmp (verb_name (*v), name) == 0) {
      *ret_verb = *v;
      return 0;
    }
    if (count < ARRAY_LEN (names))
      names[count++] = verb_name (*v);
  }
  for (const struct verb_absent *absent = verb->absent; absent != NULL && absent->name != NULL; absent++)
    if (strcmp (absent->name, name) == 0)
      return error_set (err, CLI_USAGE, "'%s' has no verb '%s': %s", what, name, absent->why);
  if (count == 0)
    return error_set (err, CLI_USAGE, "'%s' has no verb '%s' below it", what, name);
  near = str_nearest (name, names, count);
  if (near != NULL)
    return error_set (err, CLI_USAGE, "'%s' has no verb '%s'; did you mean '%s'?", what, name, near);
  return error_set (err, CLI_USAGE, "'%s' has no verb '%s'; --help shows them", what, name);
}

bool verb_takes (const struct verb *verb, enum option option)
{
  for (const enum option *o = verb->options; *o != OPTION_COUNT; o++)
    if (*o == option)
      return true;
  for (const struct verb *const *v = verb->verbs; v != NULL && *v != NULL; v++)
    if (verb_takes (*v, option))
      return true;
  return false;
}

char *verb_usage (const struct verb *verb)
{
  bool optional = verb->options != NULL && verb->options[0] != OPTION_COUNT;

  return str_format ("tyrum-oci%s%s%s%s%s", verb->path[0] != '\0' ? " " : "", verb->path,
                     optional ? " [OPTION...]" : "", verb->operands ? " " : "",
                     verb->operands ? verb->operands : "");
}

const char *verb_prefix (const struct verb *verb, int result)
{
  const char *prefix = result == CLI_USAGE ? verb->usage_prefix : verb->error_prefix;

  return prefix ? prefix : "tyrum-oci";
}

int verb_status (const struct verb *verb, int result, const struct output *output)
{
  if (result == 0)
    return output->status;
  if (verb->payload)
    return EXIT_NOT_RUN;
  return result == CLI_USAGE ? 2 : 1;
}

int verb_follow_parent (const struct arguments *arguments, struct error *err)
{
  pid_t parent = getppid ();

  if (!arguments_have (arguments, OPTION_WITH_PARENT) || arguments->process->helper != NULL)
    return 0;
  if (prctl (PR_SET_PDEATHSIG, SIGTERM) < 0)
    return error_set_errno (err, errno, "cannot set the signal for the end of the parent");
  return parent == getppid () ? 0 : error_set (err, -ESRCH, "the parent process has already ended");
}
