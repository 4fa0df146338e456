/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-path.h"

#define TIMEOUT_DEFAULT 60000u
#define TIMEOUT_MAX     300000u
#define OUTPUT_DEFAULT  32768u
#define OUTPUT_MAX      512000u

static bool is_blank (const char *text)
{
  return text[strspn (text, " \t\r\n\v\f")] == '\0';
}

static int need (const struct json_node *object, const char *where, const char *key, enum json_type type,
                 const struct json_node **ret_node, struct error *err)
{
  const struct json_node *node = json_get (object, key);

  if (node == NULL)
    return error_set (err, -EINVAL, "%s%s is missing", where, key);
  if (node->type != type)
    return error_set (err, -EINVAL, "%s%s: expected %s, found %s", where, key, json_type_text (type),
                      json_type_text (node->type));
  if (type == JSON_STRING && is_blank (node->text))
    return error_set (err, -EINVAL, "%s%s is blank", where, key);
  *ret_node = node;
  return 0;
}

static int need_names (const struct json_node *tree, struct step *step, struct error *err)
{
  static const char *const names[] = { "tenant_id", "turn_id",      "step_id", "attempt_id",
                                       "key",       "workspace_id", "plan_id" };
  const struct json_node *found[ARRAY_LEN (names)];
  int r = 0;

  for (size_t i = 0; r == 0 && i < ARRAY_LEN (names); i++)
    r = need (tree, "", names[i], JSON_STRING, &found[i], err);
  if (r < 0)
    return r;
  step->turn_id = found[1]->text;
  step->step_id = found[2]->text;
  step->attempt_id = found[3]->text;
  step->workspace_id = found[5]->text;
  return 0;
}

static int check_optional_names (const struct json_node *tree, struct error *err)
{
  static const char *const names[] = { "approval_id", "agent_id", "policy_snapshot_id" };

  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    const struct json_node *node = json_get (tree, names[i]);

    if (node != NULL && node->type != JSON_STRING && node->type != JSON_NULL)
      return error_set (err, -EINVAL, "%s: expected a string or null, found %s", names[i],
                        json_type_text (node->type));
  }
  return 0;
}

/* A number of the contract's, which is any that JavaScript has, brought within 1 and MAX. */
static int clamp (const struct json_node *object, const char *where, const char *key, uint64_t fallback,
                  uint64_t max, uint64_t *ret_value, struct error *err)
{
  const struct json_node *node = json_get (object, key);
  double value;

  if (node == NULL || node->type == JSON_NULL) {
    *ret_value = fallback;
    return 0;
  }
  if (node->type != JSON_NUMBER)
    return error_set (err, -EINVAL, "%s%s: expected a number, found %s", where, key,
                      json_type_text (node->type));
  /* The reader let only numbers by the grammar of JSON pass. One that is too large is infinite here. */
  value = strtod (node->text, NULL);
  if (!(value > 1))
    *ret_value = 1;
  else
    *ret_value = value < (double) max ? (uint64_t) value : max;
  return 0;
}

static int read_action (const struct json_node *tree, struct step *step, struct error *err)
{
  const struct json_node *action = NULL, *type = NULL;
  int r = need (tree, "", "action", JSON_OBJECT, &action, err);

  if (r == 0)
    r = need (action, "action.", "type", JSON_STRING, &type, err);
  if (r == 0)
    r = need (action, "action.", "args", JSON_OBJECT, &step->args, err);
  if (r == 0)
    step->type = type->text;
  return r;
}

int step_parse (const char *text, size_t len, struct step *ret_step, struct error *err)
{
  static const struct json_limits limits = { LIMIT_PAYLOAD_BYTES, LIMIT_PAYLOAD_DEPTH, LIMIT_PAYLOAD_NODES,
                                             .comments = false, .string = LIMIT_PAYLOAD_BYTES };
  cleanup_step struct step step = { 0 };
  const struct json_node *index;
  int r = json_read ("payload", text, len, &limits, &step.tree, err);

  if (r < 0)
    return r;
  if (step.tree->type != JSON_OBJECT)
    return error_set (err, -EINVAL, "payload: expected an object, found %s",
                      json_type_text (step.tree->type));
  r = need_names (step.tree, &step, err);
  if (r == 0)
    r = need (step.tree, "", "step_index", JSON_NUMBER, &index, err);
  if (r == 0 && index->text[0] == '-')
    r = error_set (err, -EINVAL, "step_index: %s is less than 0", index->text);
  if (r == 0)
    r = read_action (step.tree, &step, err);
  if (r == 0)
    r = check_optional_names (step.tree, err);
  if (r == 0)
    r = clamp (step.tree, "", "timeout_ms", TIMEOUT_DEFAULT, TIMEOUT_MAX, &step.timeout_ms, err);
  if (r < 0)
    return r;
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

static int read_cwd (const struct step *step, const char *workspace, char **ret_cwd, struct error *err)
{
  const struct json_node *node = json_get (step->args, "cwd");
  const char *cwd = node && node->type == JSON_STRING ? node->text : ".";
  cleanup_free char *normal = NULL;
  int r;

  if (node != NULL && node->type != JSON_STRING && node->type != JSON_NULL)
    return error_set (err, -EINVAL, "args.cwd: expected a string, found %s", json_type_text (node->type));
  if (strlen (cwd) > LIMIT_PATH_BYTES)
    return error_set (err, -EINVAL, "args.cwd is longer than %zu bytes", LIMIT_PATH_BYTES);
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
    return error_set (err, r, "args.cwd: '%s' is outside of the workspace", cwd);
  *ret_cwd = take_ptr (normal);
  return 0;
}

static int read_argv (const struct step *step, struct strlist *argv, struct error *err)
{
  const struct json_node *cmd, *args = json_get (step->args, "args");
  int r = need (step->args, "args.", "cmd", JSON_STRING, &cmd, err);

  if (r < 0)
    return r;
  if (args != NULL && args->type != JSON_ARRAY && args->type != JSON_NULL)
    return error_set (err, -EINVAL, "args.args: expected an array, found %s", json_type_text (args->type));
  if (args != NULL && args->count >= LIMIT_ARGUMENTS)
    return error_set (err, -EINVAL, "args.args has more than %zu words", LIMIT_ARGUMENTS - 1);
  if (strlist_add (argv, cmd->text) < 0)
    return error_oom (err);
  for (size_t i = 0; args != NULL && i < args->count; i++) {
    if (args->items[i]->type != JSON_STRING)
      return error_set (err, -EINVAL, "args.args[%zu]: expected a string, found %s", i,
                        json_type_text (args->items[i]->type));
    if (strlist_add (argv, args->items[i]->text) < 0)
      return error_oom (err);
  }
  return 0;
}

int step_command_read (const struct step *step, const char *workspace, struct step_command *ret_command,
                       struct error *err)
{
  cleanup_step_command struct step_command command = { 0 };
  uint64_t most = step->timeout_ms < TIMEOUT_DEFAULT ? step->timeout_ms : TIMEOUT_DEFAULT;
  int r = read_argv (step, &command.argv, err);

  if (r == 0)
    r = read_cwd (step, workspace, &command.cwd, err);
  if (r == 0)
    r = clamp (step->args, "args.", "timeout_ms", most, TIMEOUT_MAX, &command.timeout_ms, err);
  if (r == 0)
    r = clamp (step->args, "args.", "max_output_bytes", OUTPUT_DEFAULT, OUTPUT_MAX, &command.max_output, err);
  if (r < 0)
    return r;
  *ret_command = command;
  command = (struct step_command){ 0 };
  return 0;
}

void step_command_clear (struct step_command *command)
{
  strlist_clear (&command->argv);
  free (command->cwd);
  *command = (struct step_command){ 0 };
}
