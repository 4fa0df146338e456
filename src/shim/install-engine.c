/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-install-engine.h"

#include <errno.h>
#include <string.h>

#include "base-json-edit.h"
#include "base-json-write.h"
#include "base-limits.h"

/* What Podman and CRI-O take for runtimes that log as we do; a list in a file replaces the built-in one. */
static const char *const json_runtimes[] = { "crun", "crun-vm", "runc", "kata", "runsc", "youki", "krun" };

static int read_daemon (const char *file, const char *text, size_t len, struct json_node **ret_tree,
                        struct error *err)
{
  static const struct json_limits limits = { LIMIT_PROFILE_BYTES, LIMIT_PROFILE_DEPTH, LIMIT_PROFILE_NODES,
                                             .comments = false };
  cleanup_json struct json_node *tree = NULL;
  int r;

  /* An empty file is what a package leaves. */
  if (text == NULL || text[strspn (text, " \t\r\n")] == '\0') {
    *ret_tree = json_new (JSON_OBJECT);
    return *ret_tree ? 0 : error_oom (err);
  }
  r = json_read (file, text, len, &limits, &tree, err);
  if (r == 0 && tree->type != JSON_OBJECT)
    r = error_set (err, -EINVAL, "%s: expected an object, found %s", file, json_type_text (tree->type));
  if (r < 0)
    return r;
  *ret_tree = take_ptr (tree);
  return 0;
}

/* Whether the entry NAME is ours: it has our path and nothing else. */
static bool is_ours (const struct json_node *entry, const char *path)
{
  const struct json_node *said = json_get (entry, "path");

  return said != NULL && said->type == JSON_STRING && strcmp (said->text, path) == 0;
}

static int set_entry (const char *file, struct json_node *runtimes, const char *directory, const char *name,
                      bool remove, struct error *err)
{
  cleanup_free char *key = str_format ("tyrum-%s", name), *path = str_format ("%s/tyrum-%s", directory, name);
  const struct json_node *there = key ? json_get (runtimes, key) : NULL;
  struct json_node *entry;

  if (key == NULL || path == NULL)
    return error_oom (err);
  if (there != NULL && !is_ours (there, path))
    return error_set (err, -EEXIST, "%s: there is a runtime '%s' that is not ours; rename it first", file,
                      key);
  if (remove) {
    json_remove (runtimes, key);
    return 0;
  }
  entry = json_new (JSON_OBJECT);
  if (json_set (runtimes, key, entry) < 0 || json_set (entry, "path", json_new_text (JSON_STRING, path)) < 0)
    return error_oom (err);
  return 0;
}

int install_docker (const char *file, const char *text, size_t len, const char *directory,
                    const struct strlist *names, bool remove, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  cleanup_json struct json_node *tree = NULL;
  struct json_node *runtimes;
  int r = read_daemon (file, text, len, &tree, err);

  if (r < 0)
    return r;
  if (json_get (tree, "runtimes") == NULL && json_set (tree, "runtimes", json_new (JSON_OBJECT)) < 0)
    return error_oom (err);
  runtimes = json_edit (tree, "runtimes");
  if (runtimes->type != JSON_OBJECT)
    return error_set (err, -EINVAL, "%s: runtimes: expected an object, found %s", file,
                      json_type_text (runtimes->type));
  for (size_t i = 0; r == 0 && i < names->count; i++)
    r = set_entry (file, runtimes, directory, names->items[i], remove, err);
  if (r < 0)
    return r;
  if (runtimes->count == 0)
    json_remove (tree, "runtimes");
  json_copy (&w, NULL, tree);
  return json_finish (&w, ret_text, err);
}

int install_podman (const char *directory, const struct strlist *names, char **ret_text, struct error *err)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  strbuf_add (
      &buf,
      "# Written by 'tyrum-oci install-runtime podman', and removed by the same with --remove.\n[engine]\n"
      "runtime_supports_json = [");
  for (size_t i = 0; i < ARRAY_LEN (json_runtimes); i++)
    strbuf_addf (&buf, "\"%s\", ", json_runtimes[i]);
  for (size_t i = 0; i < names->count; i++)
    strbuf_addf (&buf, "%s\"tyrum-%s\"", i > 0 ? ", " : "", names->items[i]);
  strbuf_add (&buf, "]\n\n[engine.runtimes]\n");
  for (size_t i = 0; i < names->count; i++)
    strbuf_addf (&buf, "tyrum-%s = [\"%s/tyrum-%s\"]\n", names->items[i], directory, names->items[i]);
  *ret_text = strbuf_take (&buf);
  return *ret_text ? 0 : error_oom (err);
}
