/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The meet of a specification with a profile, from outside: for tests that are directories of data.
 *
 *   spec-tool config|process|update PROFILE HOST-FACTS CONFIG-DIR [ANNOTATED] <DOCUMENT
 *
 * SPEC_TOOL_POINT is a mount point through a link, SPEC_TOOL_LAYER a directory that the root is an overlay
 * of.
 *
 * Prints { "changes": [{"control", "what"}...], "document": ... }, or says why it is refused and exits
 * with 1. Host facts are a document, so that nothing of this host matters.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-json-write.h"
#include "base-limits.h"
#include "shim-policy.h"

/* "/link/x=/var/x" */
static int read_points (struct policy *policy, char *text)
{
  char *equals = text ? strchr (text, '=') : NULL;

  if (equals == NULL)
    return 0;
  *equals = '\0';
  policy->points.items = calloc (1, sizeof (*policy->points.items));
  if (policy->points.items == NULL)
    return -ENOMEM;
  policy->points.items[policy->points.count++] = (struct spec_point){ strdup (text), strdup (equals + 1) };
  policy->spec.points = &policy->points;
  return 0;
}

static int read_layer (struct policy *policy, const char *text)
{
  policy->spec.layers = &policy->layers;
  return text ? strset_add (&policy->layers, text) : 0;
}

static int open_policy (struct policy *policy, char **argv, struct error *err)
{
  const char *data = getenv ("TYRUM_OCI_DATADIR");
  cleanup_free char *text = NULL;
  size_t len = 0;
  int r = file_read (AT_FDCWD, argv[3], LIMIT_PROFILE_BYTES, &text, &len, err);

  if (r == 0)
    r = host_facts_read (argv[3], text, len, &policy->host, err);
  if (r == 0)
    r = profile_store_init (&policy->store, argv[4], NULL, data ? data : TYRUM_OCI_DATADIR, NULL, err);
  if (r == 0)
    r = ceiling_load (&policy->store, &policy->ceiling, err);
  if (r == 0)
    r = configuration_load (&policy->store, &policy->configuration, err);
  if (r == 0 && argv[5] != NULL && strset_add (&policy->configuration->engines_profiles, argv[5]) < 0)
    r = error_oom (err);
  if (r == 0)
    r = policy_choose (policy, argv[2], argv[5], err);
  if (r < 0)
    return r;
  policy_use_slot (policy, 0);
  policy->spec.container = "0123456789abcdef0123456789abcdef";
  r = read_points (policy, getenv ("SPEC_TOOL_POINT"));
  return r < 0 ? r : read_layer (policy, getenv ("SPEC_TOOL_LAYER"));
}

static int meet (const char *what, struct json_node *tree, const struct policy *policy,
                 struct spec_changes *changes, struct error *err)
{
  if (strcmp (what, "config") == 0)
    return restrict_spec (tree, &policy->spec, changes, err);
  if (strcmp (what, "process") == 0)
    return restrict_process_spec (tree, &policy->spec, changes, err);
  return restrict_update (tree, &policy->spec, changes, err);
}

static int print (const struct json_node *tree, const struct spec_changes *changes, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;
  int r;

  json_object_begin (&w, NULL);
  json_array_begin (&w, "changes");
  for (size_t i = 0; i < changes->count; i++) {
    json_object_begin (&w, NULL);
    json_string (&w, "control", control_info (changes->items[i].control)->name);
    json_string (&w, "what", changes->items[i].what);
    json_object_end (&w);
  }
  json_array_end (&w);
  json_copy (&w, "document", tree);
  json_object_end (&w);
  r = json_finish (&w, &text, err);
  if (r == 0)
    fputs (text, stdout);
  return r;
}

int main (int argc, char **argv)
{
  cleanup_policy struct policy policy = { 0 };
  cleanup_spec_changes struct spec_changes changes = { 0 };
  cleanup_json struct json_node *tree = NULL;
  cleanup_error struct error err = { 0 };
  static char text[4 * 1024 * 1024];
  size_t len;
  int r;

  if (argc < 5)
    return 2;
  /* Without buffers of the C library's, which are never given back: tests count what is. */
  setvbuf (stdin, NULL, _IONBF, 0);
  setvbuf (stdout, NULL, _IONBF, 0);
  len = fread (text, 1, sizeof (text), stdin);
  r = spec_read ("config.json", text, len, &tree, &err);
  if (r == 0)
    r = open_policy (&policy, argv, &err);
  if (r == 0)
    r = meet (argv[1], tree, &policy, &changes, &err);
  if (r == 0)
    r = print (tree, &changes, &err);
  if (r < 0)
    fprintf (stderr, "%s\n", error_text (&err));
  return r < 0;
}
