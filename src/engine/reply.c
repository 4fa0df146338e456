/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "engine-reply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-base64.h"
#include "base-limits.h"
#include "base-number.h"

#define MESSAGE_BYTES ((size_t) 2048)

/* Engines report modes as Go's os.FileMode. */
#define MODE_LINK (1L << 27)

int reply_read (const char *text, size_t len, struct json_node **ret_tree, struct error *err)
{
  static const struct json_limits limits = { LIMIT_ENGINE_REPLY_BYTES, LIMIT_ENGINE_REPLY_DEPTH,
                                             LIMIT_ENGINE_REPLY_NODES, .comments = false };
  int r = json_read ("reply", text, len, &limits, ret_tree, err);

  if (r == 0 || r == -ENOMEM)
    return r;
  err->code = -EPROTO;
  return error_prefix (err, "the engine's answer");
}

const struct json_node *reply_at (const struct json_node *tree, const char *path)
{
  while (tree != NULL && *path != '\0') {
    size_t len = strcspn (path, ".");
    const struct json_node *found = NULL;

    for (size_t i = 0; tree->type == JSON_OBJECT && i < tree->count; i++)
      if (strncmp (tree->keys[i].name, path, len) == 0 && tree->keys[i].name[len] == '\0')
        found = tree->items[i];
    tree = found;
    path += len + (path[len] == '.');
  }
  return tree;
}

static const char *text_at (const struct json_node *tree, const char *path)
{
  const struct json_node *node = reply_at (tree, path);

  return node != NULL && node->type == JSON_STRING ? node->text : NULL;
}

/* An engine's message can be any bytes; ours is one line of limited length. */
static char *one_line (const char *text, size_t len)
{
  char *line = strndup (text, len < MESSAGE_BYTES ? len : MESSAGE_BYTES);

  for (char *c = line; c != NULL && *c != '\0'; c++)
    if ((unsigned char) *c < ' ')
      *c = ' ';
  for (size_t end = line ? strlen (line) : 0; end > 0 && line[end - 1] == ' '; end--)
    line[end - 1] = '\0';
  return line;
}

/* Never an empty text. */
static char *reason_of (const char *text, size_t len)
{
  char *line = one_line (text, len);

  if (line == NULL || line[0] != '\0')
    return line;
  free (line);
  return strdup ("it gave no reason");
}

char *reply_message (const char *text, size_t len)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_json struct json_node *tree = NULL;
  const char *message = NULL;

  if (reply_read (text, len, &tree, &ignored) == 0)
    message = text_at (tree, "message");
  return message ? reason_of (message, strlen (message)) : reason_of (text, len);
}

static int missing (const char *what, struct error *err)
{
  return error_set (err, -EPROTO, "the engine's answer has no %s", what);
}

int reply_created (const char *text, size_t len, char **ret_id, struct strlist *ret_warnings,
                   struct error *err)
{
  cleanup_json struct json_node *tree = NULL;
  cleanup_strlist struct strlist warnings = { 0 };
  const struct json_node *said;
  const char *id;
  int r = reply_read (text, len, &tree, err);

  if (r < 0)
    return r;
  id = text_at (tree, "Id");
  /* The id becomes part of URL paths. */
  if (id == NULL || id[0] == '\0' || strspn (id, "0123456789abcdef") != strlen (id))
    return missing ("id of a container", err);
  said = reply_at (tree, "Warnings");
  for (size_t i = 0; said != NULL && said->type == JSON_ARRAY && i < said->count; i++)
    if (said->items[i]->type == JSON_STRING
        && strlist_add_take (&warnings, one_line (said->items[i]->text, strlen (said->items[i]->text))) < 0)
      return error_oom (err);
  *ret_id = strdup (id);
  if (*ret_id == NULL)
    return error_oom (err);
  *ret_warnings = warnings;
  warnings = (struct strlist){ 0 };
  return 0;
}

/* Reads an integer that may be negative, as exit codes are in old engines. */
static bool integer_at (const struct json_node *tree, const char *path, long max, long *ret_number)
{
  const struct json_node *node = reply_at (tree, path);
  uint64_t number;
  bool negative;

  if (node == NULL || node->type != JSON_NUMBER)
    return false;
  negative = node->text[0] == '-';
  if (!number_parse (node->text + negative, (uint64_t) max, &number))
    return false;
  *ret_number = negative ? -(long) number : (long) number;
  return true;
}

static bool flag_at (const struct json_node *tree, const char *path)
{
  const struct json_node *node = reply_at (tree, path);

  return node != NULL && node->type == JSON_BOOL && node->flag;
}

int reply_state (const struct json_node *inspected, struct container_state *ret_state, struct error *err)
{
  const char *status = text_at (inspected, "State.Status");
  const struct json_node *running = reply_at (inspected, "State.Running");
  const char *runtime = text_at (inspected, "OCIRuntime");
  struct container_state state = { 0 };
  long pid = 0, code = 0;

  if (status == NULL || running == NULL || running->type != JSON_BOOL
      || !integer_at (inspected, "State.Pid", INT32_MAX, &pid) || pid < 0)
    return missing ("state of the container", err);
  state.started = strcmp (status, "created") != 0 && strcmp (status, "configured") != 0
                  && strcmp (status, "initialized") != 0;
  state.running = running->flag;
  state.pid = (pid_t) pid;
  state.oom_killed = flag_at (inspected, "State.OOMKilled");
  if (!integer_at (inspected, "State.ExitCode", INT32_MAX, &code))
    return missing ("exit code of the container", err);
  state.code = (int) code;
  if (runtime == NULL)
    runtime = text_at (inspected, "HostConfig.Runtime");
  if (runtime != NULL) {
    state.runtime = strdup (runtime);
    if (state.runtime == NULL)
      return error_oom (err);
  }
  *ret_state = state;
  return 0;
}

void container_state_clear (struct container_state *state)
{
  free (state->runtime);
  *state = (struct container_state){ 0 };
}

int reply_is_link (const char *stat, bool *ret_link, struct error *err)
{
  cleanup_json struct json_node *tree = NULL;
  cleanup_free char *text = NULL;
  size_t len = 0;
  long mode = 0;
  int r = base64_parse (stat, &text, &len, err);

  if (r < 0 && r != -ENOMEM) {
    err->code = -EPROTO;
    return error_prefix (err, "the engine's answer");
  }
  if (r == 0)
    r = reply_read (text, len, &tree, err);
  if (r < 0)
    return r;
  if (!integer_at (tree, "mode", UINT32_MAX, &mode) || mode < 0)
    return missing ("mode of a path", err);
  *ret_link = (mode & MODE_LINK) != 0;
  return 0;
}

/* Docker puts a slash before names. */
static bool is_named (const struct json_node *container, const char *prefix, const char *rest)
{
  const struct json_node *names = reply_at (container, "Names");

  for (size_t i = 0; names != NULL && names->type == JSON_ARRAY && i < names->count; i++) {
    const char *name = names->items[i]->type == JSON_STRING ? names->items[i]->text : "";

    name += name[0] == '/';
    if (str_has_prefix (name, prefix) && strcmp (name + strlen (prefix), rest) == 0)
      return true;
  }
  return false;
}

int reply_containers (const char *text, size_t len, const char *label, const char *prefix,
                      struct strlist *ret_ids, struct strlist *ret_values, struct error *err)
{
  cleanup_strlist struct strlist ids = { 0 }, values = { 0 };
  cleanup_json struct json_node *tree = NULL;
  int r = reply_read (text, len, &tree, err);

  if (r < 0)
    return r;
  /* Podman sends null for an empty list. */
  if (tree->type != JSON_ARRAY && tree->type != JSON_NULL)
    return missing ("list of containers", err);
  for (size_t i = 0; i < tree->count; i++) {
    const char *id = text_at (tree->items[i], "Id");
    const struct json_node *labels = reply_at (tree->items[i], "Labels");
    const struct json_node *value =
        labels != NULL && labels->type == JSON_OBJECT ? json_get (labels, label) : NULL;

    if (id == NULL || id[0] == '\0' || strspn (id, "0123456789abcdef") != strlen (id))
      return missing ("id of a container", err);
    if (value == NULL || value->type != JSON_STRING || !is_named (tree->items[i], prefix, value->text))
      continue;
    if (strlist_add (&ids, id) < 0 || strlist_add (&values, value->text) < 0)
      return error_oom (err);
  }
  *ret_ids = ids;
  *ret_values = values;
  ids = values = (struct strlist){ 0 };
  return 0;
}

int reply_progress (const char *text, size_t len, char **ret_line, struct error *err)
{
  static const char *const keys[] = { "stream", "status" };
  cleanup_json struct json_node *tree = NULL;
  const char *id, *message = NULL, *failure;
  int r = reply_read (text, len, &tree, err);

  if (r < 0)
    return r;
  failure = text_at (tree, "error");
  if (failure != NULL) {
    cleanup_free char *line = reason_of (failure, strlen (failure));

    return line ? error_set (err, -EIO, "%s", line) : error_oom (err);
  }
  for (size_t i = 0; i < ARRAY_LEN (keys) && message == NULL; i++)
    message = text_at (tree, keys[i]);
  id = text_at (tree, "id");
  *ret_line = NULL;
  /* Progress bars are for terminals only; skip them. */
  if (message == NULL || json_get (tree, "progress") != NULL)
    return 0;
  *ret_line = id != NULL ? str_format ("%s: %s", id, message) : strdup (message);
  if (*ret_line == NULL)
    return error_oom (err);
  for (char *c = *ret_line; *c != '\0'; c++)
    if ((unsigned char) *c < ' ')
      *c = c[1] == '\0' ? '\0' : ' ';
  return 0;
}

bool reply_version (const char *text, unsigned *ret_major, unsigned *ret_minor)
{
  const char *minor = strchr (text, '.');
  cleanup_free char *first = minor ? strndup (text, (size_t) (minor - text)) : NULL;
  cleanup_free char *second = minor ? strndup (minor + 1, strspn (minor + 1, "0123456789")) : NULL;
  uint64_t a, b;

  if (first == NULL || second == NULL || !number_parse (first, 1000, &a) || !number_parse (second, 1000, &b))
    return false;
  *ret_major = (unsigned) a;
  *ret_minor = (unsigned) b;
  return true;
}
