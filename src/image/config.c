/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An image's configuration, and the file oci-layout. */
#include <config.h>

#include "image-document.h"

#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "image-json-internal.h"
#include "image-name-internal.h"

static JSON_READER (add_diff)
{
  struct image_config *config = at;
  int r = image_json_digest (place, node, config->diffs[config->diff_count], err);

  if (r == 0)
    config->diff_count++;
  return r;
}

static int read_diffs (const struct json_place *place, const struct json_node *tree,
                       struct image_config *into, struct error *err)
{
  const struct json_place below = { .parent = place, .name = "rootfs" };
  const struct json_place list = { .parent = &below, .name = "diff_ids" };
  const struct json_node *rootfs = NULL, *type = NULL, *diffs = NULL;
  int r = image_json_member (place, tree, "rootfs", JSON_OBJECT, true, &rootfs, err);

  if (r == 0)
    r = image_json_member (&below, rootfs, "type", JSON_STRING, true, &type, err);
  if (r == 0 && strcmp (type->text, "layers") != 0)
    r = json_fail (&below, type, err, "type is not 'layers'");
  if (r == 0)
    r = image_json_member (&below, rootfs, "diff_ids", JSON_ARRAY, false, &diffs, err);
  /* Go writes an image without layers as null. */
  if (r < 0 || diffs == NULL)
    return r;
  if (diffs->count > LIMIT_IMAGE_LAYERS)
    return json_fail (&list, diffs, err, "more than %zu entries", LIMIT_IMAGE_LAYERS);
  into->diffs = calloc (diffs->count > 0 ? diffs->count : 1, sizeof (*into->diffs));
  if (into->diffs == NULL)
    return error_oom (err);
  return json_read_array (&list, diffs, JSON_STRING, LIMIT_IMAGE_LAYERS, add_diff, into, err);
}

/* The process that the image would run by default. */
static int read_process (const struct json_place *place, const struct json_node *tree,
                         struct image_config *into, struct error *err)
{
  const struct json_place below = { .parent = place, .name = "config" };
  const struct json_node *process = NULL;
  int r = image_json_member (place, tree, "config", JSON_OBJECT, false, &process, err);

  if (r < 0 || process == NULL)
    return r;
  r = image_json_text (&below, process, "User", false, &into->user, err);
  if (r == 0)
    r = image_json_text (&below, process, "WorkingDir", false, &into->working_directory, err);
  if (r == 0)
    r = image_json_strings (&below, process, "Env", &into->environment, err);
  if (r == 0)
    r = image_json_strings (&below, process, "Entrypoint", &into->entrypoint, err);
  if (r == 0)
    r = image_json_strings (&below, process, "Cmd", &into->command, err);
  return r;
}

int image_config_parse (const char *name, const char *text, size_t len, struct image_config *ret_config,
                        struct error *err)
{
  const struct json_place place = { .name = name };
  cleanup_image_config struct image_config config = { 0 };
  cleanup_json struct json_node *tree = NULL;
  int r = image_json_read (name, text, len, &tree, err);

  if (r == 0)
    r = image_json_text (&place, tree, "os", true, &config.os, err);
  if (r == 0)
    r = image_json_text (&place, tree, "architecture", true, &config.architecture, err);
  if (r == 0)
    r = read_diffs (&place, tree, &config, err);
  if (r == 0)
    r = read_process (&place, tree, &config, err);
  if (r < 0)
    return r;
  *ret_config = config;
  config = (struct image_config){ 0 };
  return 0;
}

void image_config_clear (struct image_config *config)
{
  free (config->os);
  free (config->architecture);
  free (config->user);
  free (config->working_directory);
  strlist_clear (&config->environment);
  strlist_clear (&config->entrypoint);
  strlist_clear (&config->command);
  free (config->diffs);
  *config = (struct image_config){ 0 };
}

int image_mark_parse (const char *name, const char *text, size_t len, struct error *err)
{
  const struct json_place place = { .name = name };
  cleanup_json struct json_node *tree = NULL;
  const struct json_node *version = NULL;
  char shown[IMAGE_SHOWN];
  int r = image_json_read (name, text, len, &tree, err);

  if (r == 0)
    r = image_json_member (&place, tree, "imageLayoutVersion", JSON_STRING, true, &version, err);
  if (r == 0 && strcmp (version->text, "1.0.0") != 0)
    r = json_fail (&place, version, err, "imageLayoutVersion is '%s', expected 1.0.0",
                   image_show (version->text, shown));
  return r;
}
