/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment of a run: an allow-list, never a deny-list.
 *
 * Later sources override earlier ones: our defaults, the caller's variables that environment.pass allows, the
 * request's (also only those that pass allows), environment.set. Sorted, so that equal plans render equally.
 */
#include <config.h>

#include "plan-draft-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "control-syntax.h"

static int compare_names (const char *a, const char *b)
{
  size_t la = strcspn (a, "="), lb = strcspn (b, "=");
  int order = strncmp (a, b, la < lb ? la : lb);

  return order != 0 ? order : (la > lb) - (la < lb);
}

/* Inserts "NAME=VALUE" in order, or replaces the value of NAME. Takes ASSIGNMENT. */
static int set_variable (struct draft *draft, char *assignment)
{
  struct strlist *env = &draft->plan->env;
  size_t at = 0;

  if (assignment == NULL)
    return error_oom (draft->err);
  if (!str_is_utf8 (assignment, strlen (assignment))) {
    error_set (draft->err, -EILSEQ,
               "environment.clean: the value of '%.*s' is not valid UTF-8, which the container's JSON "
               "configuration cannot hold",
               (int) strcspn (assignment, "="), assignment);
    free (assignment);
    return -EILSEQ;
  }
  while (at < env->count && compare_names (env->items[at], assignment) < 0)
    at++;
  if (at < env->count && compare_names (env->items[at], assignment) == 0) {
    free (env->items[at]);
    env->items[at] = assignment;
    return 0;
  }
  if (env->count >= LIMIT_ENVIRONMENT) {
    free (assignment);
    return error_set (draft->err, -E2BIG, "environment.clean: more than %zu variables", LIMIT_ENVIRONMENT);
  }
  if (strlist_add_take (env, assignment) < 0)
    return error_oom (draft->err);
  memmove (env->items + at + 1, env->items + at, (env->count - 1 - at) * sizeof (*env->items));
  env->items[at] = assignment;
  return 0;
}

static const char *caller_value (const struct request *request, const char *name)
{
  for (size_t i = 0; i < request->caller_env.count; i++)
    if (compare_names (request->caller_env.items[i], name) == 0)
      return request->caller_env.items[i];
  return NULL;
}

static int pass_from_caller (struct draft *draft)
{
  const struct request *request = draft->request;

  for (size_t i = 0; i < request->caller_env.count; i++) {
    const char *assignment = request->caller_env.items[i];
    cleanup_free char *name = strndup (assignment, strcspn (assignment, "="));
    int r;

    if (name == NULL)
      return error_oom (draft->err);
    if (strchr (assignment, '=') == NULL || !syntax_is_variable (name)
        || !request_env_allowed (&draft->plan->settings, name))
      continue;
    r = set_variable (draft, strdup (assignment));
    if (r < 0)
      return r;
  }
  return 0;
}

/* --env NAME takes the caller's value; a variable that the caller lacks is no error, as in a shell. */
static int set_from_request (struct draft *draft)
{
  const struct request *request = draft->request;

  for (size_t i = 0; i < request->env.count; i++) {
    const char *asked = request->env.items[i];
    const char *assignment = strchr (asked, '=') ? asked : caller_value (request, asked);
    int r = assignment ? set_variable (draft, strdup (assignment)) : 0;

    if (r < 0)
      return r;
  }
  return 0;
}

int draft_env (struct draft *draft)
{
  const struct grants *fixed = &draft_value (draft, SETTING_ENVIRONMENT_SET)->grants;
  bool workspace = draft_value (draft, SETTING_WORKSPACE)->level != WORKSPACE_NONE;
  int r;

  r = set_variable (draft, strdup ("PATH=/usr/local/bin:/usr/bin:/bin"));
  if (r == 0)
    r = set_variable (draft, strdup (workspace ? "HOME=/workspace" : "HOME=/"));
  if (r == 0 && draft->request->terminal)
    r = set_variable (draft, strdup ("TERM=xterm"));
  if (r == 0)
    r = pass_from_caller (draft);
  if (r == 0)
    r = set_from_request (draft);
  for (size_t i = 0; r == 0 && i < fixed->count; i++)
    r = set_variable (draft, str_format ("%s=%s", fixed->items[i].name, fixed->items[i].source));
  return r;
}
