/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "restrict-restrict.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "base-limits.h"
#include "base-number.h"
#include "profile-source.h"
#include "restrict-internal.h"

/* How many changes a message names. */
#define SHOWN_CHANGES 8u

#define HOSTNAME "tyrum" /* as in a run of our own */

int spec_read (const char *name, const char *text, size_t len, struct json_node **ret_tree, struct error *err)
{
  static const struct json_limits limits = { LIMIT_SPEC_BYTES, LIMIT_SPEC_DEPTH, LIMIT_SPEC_NODES,
                                             .comments = false };
  cleanup_json struct json_node *tree = NULL;
  int r = json_read (name, text, len, &limits, &tree, err);

  if (r < 0)
    return r;
  if (tree->type != JSON_OBJECT)
    return error_set (err, -EINVAL, "%s: expected an object, found %s", name, json_type_text (tree->type));
  *ret_tree = take_ptr (tree);
  return 0;
}

int spec_write (const struct json_node *tree, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };

  json_copy (&w, NULL, tree);
  return json_finish (&w, ret_text, err);
}

void spec_changes_clear (struct spec_changes *changes)
{
  for (size_t i = 0; i < changes->count; i++)
    free (changes->items[i].what);
  free (changes->items);
  *changes = (struct spec_changes){ 0 };
}

char *spec_changes_text (const struct spec_changes *changes)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  for (size_t i = 0; i < changes->count && i < SHOWN_CHANGES; i++)
    strbuf_addf (&buf, "%s%s: %s", i > 0 ? "; " : "", control_info (changes->items[i].control)->name,
                 changes->items[i].what);
  if (changes->count > SHOWN_CHANGES)
    strbuf_addf (&buf, "; and %zu more", changes->count - SHOWN_CHANGES);
  strbuf_add (&buf, "");
  return strbuf_take (&buf);
}

const struct value *restrict_value (const struct meet *m, enum setting setting)
{
  return &m->policy->settings->values[setting];
}

uint64_t restrict_number (const struct meet *m, enum setting setting, uint64_t otherwise)
{
  const struct value *value = restrict_value (m, setting);

  return value_is_set (value) ? value->number : otherwise;
}

void restrict_note (struct meet *m, enum control control, const char *format, ...)
{
  struct spec_change *items;
  char *what = NULL;
  va_list ap;

  if (m->changes->count >= LIMIT_SPEC_CHANGES)
    return;
  va_start (ap, format);
  if (vasprintf (&what, format, ap) < 0)
    what = NULL;
  va_end (ap);
  items = realloc (m->changes->items, (m->changes->count + 1) * sizeof (*items));
  if (items != NULL)
    m->changes->items = items;
  if (items == NULL || what == NULL) {
    free (what);
    m->failed = true;
    return;
  }
  items[m->changes->count++] = (struct spec_change){ control, what };
}

int restrict_refuse (struct meet *m, enum control control, const char *format, ...)
{
  cleanup_free char *what = NULL;
  va_list ap;

  va_start (ap, format);
  if (vasprintf (&what, format, ap) < 0)
    what = NULL;
  va_end (ap);
  if (what == NULL)
    return error_oom (m->err);
  return error_set (m->err, -EPERM, "%s: %s", control_info (control)->name, what);
}

int restrict_find (struct meet *m, struct json_node *parent, const char *key, enum json_type type,
                   struct json_node **ret_node)
{
  struct json_node *node = json_edit (parent, key);

  if (node != NULL && node->type == JSON_NULL)
    node = NULL;
  if (node != NULL && node->type != type)
    return error_set (m->err, -EINVAL, "%s:%u:%u: %s: expected %s, found %s", m->document, node->line,
                      node->column, key, json_type_text (type), json_type_text (node->type));
  *ret_node = node;
  return 0;
}

int restrict_make (struct meet *m, struct json_node *parent, const char *key, enum json_type type,
                   struct json_node **ret_node)
{
  int r = restrict_find (m, parent, key, type, ret_node);

  if (r < 0 || *ret_node != NULL)
    return r;
  if (json_set (parent, key, json_new (type)) < 0)
    return error_oom (m->err);
  *ret_node = json_edit (parent, key);
  return 0;
}

int restrict_find_number (struct meet *m, struct json_node *parent, const char *key, bool *ret_there,
                          int64_t *ret_number)
{
  struct json_node *node = NULL;
  uint64_t number = 0;
  bool negative;
  int r = restrict_find (m, parent, key, JSON_NUMBER, &node);

  if (r < 0)
    return r;
  *ret_there = node != NULL;
  if (node == NULL)
    return 0;
  negative = node->text[0] == '-';
  if (!number_parse (node->text + negative, INT64_MAX, &number)) {
    /* Limits of "none" are written as the largest unsigned number. */
    if (negative || !number_parse (node->text, UINT64_MAX, &number))
      return error_set (m->err, -EINVAL, "%s:%u:%u: %s: '%s' is not a whole number", m->document, node->line,
                        node->column, key, node->text);
    number = INT64_MAX;
  }
  *ret_number = negative ? -(int64_t) number : (int64_t) number;
  return 0;
}

int restrict_find_text (struct meet *m, struct json_node *parent, const char *key, const char **ret_text)
{
  struct json_node *node = NULL;
  int r = restrict_find (m, parent, key, JSON_STRING, &node);

  if (r < 0)
    return r;
  *ret_text = node ? node->text : NULL;
  return 0;
}

void restrict_set (struct meet *m, struct json_node *object, const char *key, struct json_node *value)
{
  if (json_set (object, key, value) < 0)
    m->failed = true;
}

void restrict_append (struct meet *m, struct json_node *array, struct json_node *value)
{
  if (json_append (array, value) < 0)
    m->failed = true;
}

void restrict_append_text (struct meet *m, struct json_node *array, const char *text)
{
  restrict_append (m, array, json_new_text (JSON_STRING, text));
}

int restrict_items (struct meet *m, const struct json_node *array, const char *what, enum json_type type)
{
  for (size_t i = 0; i < array->count; i++)
    if (array->items[i]->type != type)
      return error_set (m->err, -EINVAL, "%s:%u:%u: %s[%zu]: expected %s, found %s", m->document,
                        array->items[i]->line, array->items[i]->column, what, i, json_type_text (type),
                        json_type_text (array->items[i]->type));
  return 0;
}

bool texts_have (const struct json_node *array, const char *text)
{
  for (size_t i = 0; i < array->count; i++)
    if (array->items[i]->type == JSON_STRING && strcmp (array->items[i]->text, text) == 0)
      return true;
  return false;
}

/* Settings that cannot be enforced in a container that an engine starts. */
int spec_policy_check (const struct spec_policy *policy, struct error *err)
{
  static const struct {
    enum control control;
    const char *why;
  } impossible[] = {
    { CONTROL_TOOLS, "which programs are executed cannot be limited in an engine's container" },
    { CONTROL_LIMITS_DISK, "an OCI specification has no disk limit" },
  };
  const struct settings *settings = policy->settings;
  unsigned type = settings->values[SETTING_ISOLATION_TYPE].level;

  if (type == ISOLATION_DISABLED)
    return error_set (err, -EPERM,
                      "isolation.type: profile '%s' has no sandbox, so no engine can be given it",
                      policy->profile);
  if (type != ISOLATION_CONTAINER)
    return error_set (err, -EOPNOTSUPP,
                      "isolation.type: profile '%s' asks for '%s', and an engine's runtime gives containers",
                      policy->profile, setting_info (SETTING_ISOLATION_TYPE)->levels[type]);
  if (settings->values[SETTING_NETWORK_MODE].level == NETWORK_ALLOW)
    return error_set (err, -EOPNOTSUPP,
                      "network.mode: profile '%s' allows peers by name, which no engine filters; use none or "
                      "engine",
                      policy->profile);
  for (size_t i = 0; i < ARRAY_LEN (impossible); i++)
    if (control_is_required (impossible[i].control, settings))
      return error_set (err, -EOPNOTSUPP, "%s: profile '%s' requires it, and %s",
                        control_info (impossible[i].control)->name, policy->profile, impossible[i].why);
  return 0;
}

/* By every name of what is mounted there; FACT may not have been traced. *RET_PART is what is forbidden. */
static const char *forbidden_root (const struct path_fact *fact, const struct path_fact **ret_part)
{
  const char *why = source_forbidden_root (fact->real);

  if (fact->magic)
    why = "a link in /proc is on the way, which leads elsewhere for each process";
  if (why == NULL && fact->filesystem != NULL)
    why = spec_kernels_filesystem (fact->filesystem);
  for (size_t i = 0; why == NULL && i < fact->place_count; i++)
    why = source_forbidden_root (fact->places[i].path);
  for (size_t i = 0; i < fact->below_count && why == NULL; i++)
    if ((why = forbidden_root (&fact->below[i], ret_part)) != NULL)
      return why;
  *ret_part = fact;
  return why;
}

int spec_check_root (const struct path_fact *fact, struct error *err)
{
  const struct path_fact *part = fact;
  const char *why = forbidden_root (fact, &part);
  bool below = part != fact;

  return why ? error_set (
             err, -EPERM,
             "%s: '%s'%s%s%s cannot be the root of a container: %s; start it from an image, or a directory "
             "of its own",
             control_info (CONTROL_WORKSPACE_BOUNDED)->name, fact->magic ? fact->path : fact->real,
             below ? " with '" : "", below ? part->real : "", below ? "' in it" : "", why)
             : 0;
}

/* podman run --rootfs. One in the bundle is judged where it is opened. */
static int check_root_path (struct meet *m, struct json_node *root)
{
  cleanup_free char *normal = NULL;
  const struct path_fact *fact;
  struct path_fact named = { 0 };
  const char *path = NULL;
  int r = restrict_find_text (m, root, "path", &path);

  if (r < 0 || path == NULL || path[0] != '/')
    return r;
  r = spec_normal_path (path, &normal);
  if (r == -ENOMEM)
    return error_oom (m->err);
  if (r < 0)
    return restrict_refuse (m, CONTROL_WORKSPACE_BOUNDED, "the root '%s' is not a path without '..'", path);
  fact = path_facts_find (&m->policy->host->paths, normal);
  named.real = normal;
  return spec_check_root (fact != NULL && fact->real != NULL ? fact : &named, m->err);
}

/* podman run --rootfs DIR:O. An overlay shows what its layers hold, wherever it is mounted itself. */
static int check_layers (struct meet *m)
{
  const struct strlist *layers = m->policy->layers;
  int r = 0;

  for (size_t i = 0; r == 0 && layers != NULL && i < layers->count; i++) {
    const struct path_fact *fact = path_facts_find (&m->policy->host->paths, layers->items[i]);

    if (fact != NULL && fact->real != NULL)
      r = spec_check_root (fact, m->err);
  }
  return r;
}

static int restrict_root (struct meet *m, struct json_node *config)
{
  struct json_node *root = NULL, *flag = NULL;
  int r = restrict_find (m, config, "root", JSON_OBJECT, &root);

  if (r == 0 && root == NULL)
    r = error_set (m->err, -EINVAL, "config.json: there is no root");
  if (r == 0)
    r = check_root_path (m, root);
  if (r == 0)
    r = check_layers (m);
  if (r == 0)
    r = restrict_find (m, root, "readonly", JSON_BOOL, &flag);
  if (r < 0 || restrict_value (m, SETTING_ROOT)->level != ROOT_READ_ONLY || (flag != NULL && flag->flag))
    return r;
  restrict_set (m, root, "readonly", json_new_bool (true));
  restrict_note (m, CONTROL_ROOT_READ_ONLY, "the root file system is made read-only");
  return 0;
}

/* Without a name of its own a container shows the host's. */
static int restrict_hostname (struct meet *m, struct json_node *config)
{
  const char *name = NULL;
  int r = restrict_find_text (m, config, "hostname", &name);

  if (r < 0 || (name != NULL && name[0] != '\0'))
    return r;
  restrict_set (m, config, "hostname", json_new_text (JSON_STRING, HOSTNAME));
  restrict_note (m, CONTROL_NAMESPACE_UTS, "the host's name becomes '" HOSTNAME "'");
  return 0;
}

static int restrict_main_process (struct meet *m, struct json_node *config)
{
  struct json_node *process = NULL;
  int r = restrict_find (m, config, "process", JSON_OBJECT, &process);

  if (r < 0)
    return r;
  if (process == NULL)
    return error_set (m->err, -EINVAL, "config.json: there is no process");
  return restrict_process (m, process);
}

/* In another major version the same keys may mean something else. */
static int check_version (struct meet *m, struct json_node *config)
{
  const char *version = NULL;
  int r = restrict_find_text (m, config, "ociVersion", &version);

  if (r < 0 || version == NULL || str_has_prefix (version, "1."))
    return r;
  return error_set (m->err, -EINVAL,
                    "config.json: ociVersion '%s' is not a version 1 of the OCI specification", version);
}

static int finish (const struct meet *m, int r)
{
  if (r < 0)
    return r;
  return m->failed ? error_oom (m->err) : 0;
}

int restrict_spec (struct json_node *config, const struct spec_policy *policy, struct spec_changes *changes,
                   struct error *err)
{
  static int (*const topics[]) (struct meet *, struct json_node *) = {
    check_version,         restrict_root,   restrict_hostname,    restrict_linux,
    restrict_main_process, restrict_mounts, restrict_annotations,
  };
  struct meet m = {
    .document = "config.json", .policy = policy, .config = config, .changes = changes, .err = err
  };
  int r = spec_policy_check (policy, err);

  if (r == 0)
    r = restrict_keys (&m, config);
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (topics); i++)
    r = topics[i](&m, config);
  return finish (&m, r);
}

int restrict_process_spec (struct json_node *process, const struct spec_policy *policy,
                           struct spec_changes *changes, struct error *err)
{
  struct meet m = { .document = "process", .policy = policy, .changes = changes, .err = err };
  int r = restrict_keys (&m, process);

  return finish (&m, r < 0 ? r : restrict_process (&m, process));
}

int restrict_update (struct json_node *resources, const struct spec_policy *policy,
                     struct spec_changes *changes, struct error *err)
{
  struct meet m = { .document = "resources", .policy = policy, .changes = changes, .err = err };
  int r = restrict_keys (&m, resources);

  return finish (&m, r < 0 ? r : restrict_resources (&m, resources, true));
}
