/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-step.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-path.h"

#define TIMEOUT_DEFAULT STEP_TIMEOUT_DEFAULT
#define TIMEOUT_MAX     300000u
#define OUTPUT_MAX      512000u

/* What JavaScript's trim() removes, as UTF-8. */
static const char *const blanks[] = {
  "\t",           "\n",           "\v",           "\f",           "\r",           " ",
  "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83",
  "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89",
  "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
  "\xef\xbb\xbf",
};

/* The bytes of a blank at the start of the text, or at its end; 0: there is none. */
static size_t blank_at (const char *text, size_t len, bool end)
{
  for (size_t i = 0; i < ARRAY_LEN (blanks); i++) {
    size_t size = strlen (blanks[i]);

    if (size <= len && memcmp (end ? text + len - size : text, blanks[i], size) == 0)
      return size;
  }
  return 0;
}

void step_trim (const char **text, size_t *len)
{
  size_t size;

  while ((size = blank_at (*text, *len, false)) > 0) {
    *text += size;
    *len -= size;
  }
  while ((size = blank_at (*text, *len, true)) > 0)
    *len -= size;
}

bool step_is_blank (const char *text)
{
  size_t len = strlen (text);

  step_trim (&text, &len);
  return len == 0;
}

/* Tyrum's words for whatever is wrong with a member of the payload. */
static int refuse_member (const char *name, struct error *err)
{
  return error_set (err, -EINVAL, "missing/invalid %s", name);
}

static int read_name (const struct json_node *tree, const char *name, const char **ret_text,
                      struct error *err)
{
  const struct json_node *node = json_get (tree, name);

  if (node == NULL || node->type != JSON_STRING || step_is_blank (node->text))
    return refuse_member (name, err);
  *ret_text = node->text;
  return 0;
}

static int check_optional_name (const struct json_node *tree, const char *name, struct error *err)
{
  const struct json_node *node = json_get (tree, name);
  const char *ignored;

  return node == NULL || node->type == JSON_NULL ? 0 : read_name (tree, name, &ignored, err);
}

/* One that is blank counts as none. */
static int read_snapshot (const struct json_node *tree, const char **ret_text, struct error *err)
{
  static const char name[] = "policy_snapshot_id";
  const struct json_node *node = json_get (tree, name);

  *ret_text = NULL;
  if (node == NULL || node->type == JSON_NULL)
    return 0;
  if (node->type != JSON_STRING)
    return refuse_member (name, err);
  *ret_text = step_is_blank (node->text) ? NULL : node->text;
  return 0;
}

/* In the order in which Tyrum looks at them: the first that is wrong is named. */
static int read_names (const struct json_node *tree, struct step *step, struct error *err)
{
  const char *ignored;
  int r = read_name (tree, "tenant_id", &ignored, err);

  if (r == 0)
    r = read_name (tree, "turn_id", &step->turn_id, err);
  if (r == 0)
    r = read_name (tree, "step_id", &step->step_id, err);
  if (r == 0)
    r = read_name (tree, "attempt_id", &step->attempt_id, err);
  if (r == 0)
    r = check_optional_name (tree, "approval_id", err);
  if (r == 0)
    r = check_optional_name (tree, "agent_id", err);
  if (r == 0)
    r = read_name (tree, "key", &ignored, err);
  if (r == 0)
    r = read_name (tree, "workspace_id", &step->workspace_id, err);
  return r < 0 ? r : read_snapshot (tree, &step->policy_snapshot_id, err);
}

static int check_position (const struct json_node *tree, struct error *err)
{
  const struct json_node *index = json_get (tree, "step_index");
  cleanup_error struct error bad = { 0 };
  const char *ignored;

  if (read_name (tree, "plan_id", &ignored, &bad) < 0 || index == NULL || index->type != JSON_NUMBER
      || strtod (index->text, NULL) < 0)
    return refuse_member ("plan_id or step_index", err);
  return 0;
}

/* A number from 1 on without its fraction, MAX at most; 0 where there is none: what is no number, or none
 * that JavaScript calls finite, is ignored. A number below 1 gives LEAST. */
static uint64_t read_number (const struct json_node *object, const char *key, uint64_t least, uint64_t max)
{
  const struct json_node *node = json_get (object, key);
  /* The reader let only numbers by the grammar of JSON pass. One that is too large is infinite here. */
  double value = node != NULL && node->type == JSON_NUMBER ? strtod (node->text, NULL) : HUGE_VAL;

  if (value >= HUGE_VAL || value <= -HUGE_VAL)
    return 0;
  if (value < 1)
    return least;
  return value < (double) max ? (uint64_t) value : max;
}

static int read_action (const struct json_node *tree, struct step *step, struct error *err)
{
  static const struct json_node none = { .type = JSON_OBJECT };
  const struct json_node *action = json_get (tree, "action"), *type, *args;

  if (action == NULL || action->type != JSON_OBJECT)
    return error_set (err, -EINVAL, "invalid action: expected an object, found %s",
                      action ? json_type_text (action->type) : "nothing");
  type = json_get (action, "type");
  if (type == NULL || type->type != JSON_STRING || step_is_blank (type->text))
    return error_set (err, -EINVAL, "invalid action: 'type' is not the name of an action");
  args = json_get (action, "args");
  if (args != NULL && args->type != JSON_OBJECT)
    return error_set (err, -EINVAL, "invalid action: args: expected an object, found %s",
                      json_type_text (args->type));
  step->type = type->text;
  step->args = args ? args : &none;
  return 0;
}

int step_parse (const char *text, size_t len, struct step *ret_step, struct error *err)
{
  static const struct json_limits limits = { LIMIT_PAYLOAD_BYTES, LIMIT_PAYLOAD_DEPTH, LIMIT_PAYLOAD_NODES,
                                             .comments = false, .string = LIMIT_PAYLOAD_BYTES };
  cleanup_step struct step step = { 0 };
  int r;

  step_trim (&text, &len);
  if (len == 0)
    return error_set (err, -EINVAL, "toolrunner expects a JSON request on stdin or --payload-b64");
  r = json_read ("payload", text, len, &limits, &step.tree, err);
  if (r < 0)
    return r;
  if (step.tree->type != JSON_OBJECT)
    return error_set (err, -EINVAL, "payload: expected an object, found %s",
                      json_type_text (step.tree->type));
  r = read_names (step.tree, &step, err);
  if (r == 0)
    r = check_position (step.tree, err);
  if (r == 0)
    r = read_action (step.tree, &step, err);
  if (r < 0)
    return r;
  step.timeout_ms = read_number (step.tree, "timeout_ms", 1, TIMEOUT_MAX);
  if (step.timeout_ms == 0)
    step.timeout_ms = TIMEOUT_DEFAULT;
  *ret_step = step;
  step = (struct step){ 0 };
  return 0;
}

void step_clear (struct step *step)
{
  json_free (step->tree);
  *step = (struct step){ 0 };
}

int step_normal_path (const char *path, char **ret_path)
{
  cleanup_strbuf struct strbuf out = { 0 };
  bool absolute = path[0] == '/';

  strbuf_add (&out, "");
  while (*path != '\0') {
    size_t part;

    path += strspn (path, "/");
    part = strcspn (path, "/");
    if (part == 2 && memcmp (path, "..", 2) == 0) {
      char *slash = out.len > 0 && !out.failed ? strrchr (out.text, '/') : NULL;

      if (out.len == 0 || out.failed)
        return out.failed ? -ENOMEM : -EPERM;
      out.len = slash ? (size_t) (slash - out.text) : 0;
      out.text[out.len] = '\0';
    } else if (part > 0 && !(part == 1 && path[0] == '.')) {
      strbuf_add (&out, out.len > 0 || absolute ? "/" : "");
      strbuf_add_bytes (&out, path, part);
    }
    path += part;
  }
  if (absolute && out.len == 0)
    strbuf_add (&out, "/");
  *ret_path = strbuf_take (&out);
  return *ret_path ? 0 : -ENOMEM;
}

int step_command_cwd (const struct step *step, const char *workspace, struct step_command *command,
                      struct error *err)
{
  const struct json_node *node = json_get (step->args, "cwd");
  const char *cwd = node && node->type == JSON_STRING ? node->text : ".";
  cleanup_free char *normal = NULL;
  int r;

  if (strlen (cwd) > LIMIT_PATH_BYTES)
    return error_set (err, -ENAMETOOLONG, "spawn ENAMETOOLONG");
  r = step_normal_path (cwd, &normal);
  if (r == 0 && normal[0] == '/') {
    const char *rest = path_is_within (normal, workspace) ? normal + strlen (workspace) : NULL;
    char *inner = rest ? strdup (rest + strspn (rest, "/")) : NULL;

    r = inner ? 0 : rest ? -ENOMEM : -EPERM;
    free (normal);
    normal = inner;
  }
  if (r == -ENOMEM)
    return error_oom (err);
  if (r < 0)
    return error_set (err, r, "path escapes workspace: %s", cwd);
  free (command->cwd);
  command->cwd = take_ptr (normal);
  return 0;
}

/* The kernel's bound for one string, and a little less than that for all of them: init is executed with them
 * first, and has arguments of its own. */
#define STRING_MAX  ((size_t) 128 * 1024)
#define STRINGS_MAX ((size_t) 2 * 1024 * 1024 - STRING_MAX)

static int check_size (const struct strlist *argv, struct error *err)
{
  size_t sum = 0;

  for (size_t i = 0; i < argv->count; i++) {
    size_t size = strlen (argv->items[i]) + 1;

    sum += size + sizeof (char *);
    if (size > STRING_MAX || sum > STRINGS_MAX)
      return error_set (err, -E2BIG, "spawn E2BIG");
  }
  return 0;
}

static int read_argv (const struct step *step, struct strlist *argv, struct error *err)
{
  const struct json_node *cmd = json_get (step->args, "cmd"), *args = json_get (step->args, "args");

  if (cmd == NULL || cmd->type != JSON_STRING || cmd->text[0] == '\0')
    return error_set (err, -EINVAL, "missing required argument: cmd");
  if (args != NULL && args->type != JSON_ARRAY)
    args = NULL;
  if (args != NULL && args->count >= LIMIT_ARGUMENTS)
    return error_set (err, -EINVAL, "args.args has more than %zu members", LIMIT_ARGUMENTS - 1);
  if (strlist_add (argv, cmd->text) < 0)
    return error_oom (err);
  for (size_t i = 0; args != NULL && i < args->count; i++)
    if (args->items[i]->type == JSON_STRING && strlist_add (argv, args->items[i]->text) < 0)
      return error_oom (err);
  return check_size (argv, err);
}

int step_command_read (const struct step *step, struct step_command *ret_command, struct error *err)
{
  cleanup_step_command struct step_command command = { 0 };
  int r = read_argv (step, &command.argv, err);

  if (r < 0)
    return r;
  command.timeout_ms = read_number (step->args, "timeout_ms", 1, step->timeout_ms);
  if (command.timeout_ms == 0)
    command.timeout_ms = step->timeout_ms < TIMEOUT_DEFAULT ? step->timeout_ms : TIMEOUT_DEFAULT;
  command.max_output = read_number (step->args, "max_output_bytes", 0, OUTPUT_MAX);
  if (command.max_output == 0)
    command.max_output = STEP_OUTPUT_DEFAULT;
  *ret_command = command;
  command = (struct step_command){ 0 };
  return 0;
}

/* Recursion is as deep as the reader let the payload be. */
static bool find_secret (const struct json_node *node, struct strbuf *where)
{
  size_t len = where->len;

  if (node->type == JSON_STRING)
    return str_has_prefix (node->text, "secret:");
  for (size_t i = 0; i < node->count; i++) {
    if (node->type == JSON_OBJECT)
      strbuf_addf (where, ".%s", node->keys[i].name);
    else
      strbuf_addf (where, "[%zu]", i);
    if (where->failed || find_secret (node->items[i], where))
      return true;
    where->len = len;
    where->text[len] = '\0';
  }
  return false;
}

int step_find_secret (const struct step *step, char **ret_where, struct error *err)
{
  cleanup_strbuf struct strbuf where = { 0 };
  bool found;

  strbuf_add (&where, "args");
  found = !where.failed && find_secret (step->args, &where);
  if (where.failed)
    return error_oom (err);
  *ret_where = found ? strbuf_take (&where) : NULL;
  return 0;
}

void step_command_clear (struct step_command *command)
{
  strlist_clear (&command->argv);
  free (command->cwd);
  *command = (struct step_command){ 0 };
}
