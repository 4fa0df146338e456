/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images of an engine: whether one is there, and pulling it. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "engine-api.h"
#include "engine-values.h"

/* A slow registry may delay the engine, but not for ever. */
#define PULL_QUIET_MS 120000u

int engine_has_image (struct engine *engine, const char *image, bool *ret_there, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  cleanup_free char *name = http_escape (image);
  cleanup_free char *path = name ? str_format ("/images/%s/%s", name, engine->api->image_verb) : NULL;
  int r = path ? engine_call (engine, "look for the image", "GET", path, NULL, STATUS_NOT_FOUND, &reply, err)
               : error_oom (err);

  if (r < 0)
    return r;
  *ret_there = reply.status != STATUS_NOT_FOUND;
  return 0;
}

struct pull {
  struct values values;
  engine_tell *tell;
  void *data;
};

static int on_step (const char *text, size_t len, void *data, struct error *err)
{
  struct pull *pull = data;
  cleanup_free char *line = NULL;
  int r = reply_progress (text, len, &line, err);

  if (r == 0 && line != NULL && pull->tell != NULL)
    pull->tell (line, pull->data);
  return r;
}

static int on_bytes (const char *bytes, size_t len, void *data, struct error *err)
{
  struct pull *pull = data;

  return values_take (&pull->values, bytes, len, err);
}

/* Without a tag Docker would pull every tag. A colon before the last slash belongs to a port. */
static char *tagged_name (const char *image)
{
  const char *last = strrchr (image, '/');
  bool tagged = strchr (last ? last : image, ':') != NULL || strchr (image, '@') != NULL;

  return str_format ("%s%s", image, tagged ? "" : ":latest");
}

int engine_pull (struct engine *engine, const char *image, engine_tell *tell, void *data, struct error *err)
{
  struct pull pull = { .values = { .each = on_step }, .tell = tell, .data = data };
  cleanup_free char *name = tagged_name (image), *escaped = name ? http_escape (name) : NULL;
  cleanup_free char *path =
      escaped ? str_format ("%s/images/%s%s", engine->prefix, engine->api->pull_verb, escaped) : NULL;
  cleanup_http_reply struct http_reply reply = { 0 };
  struct http_call call = { .method = "POST", .path = path, .quiet_ms = PULL_QUIET_MS, .sink = on_bytes };
  bool whole_values;
  int r;

  pull.values.data = &pull;
  call.sink_data = &pull;
  r = path ? http_do (engine->http, &call, &reply, err) : error_oom (err);
  whole_values = values_are_whole (&pull.values);
  values_clear (&pull.values);
  if (r == 0 && reply.status >= 400)
    r = engine_refuse (engine, "do it", &reply, err);
  else if (r == 0 && !whole_values)
    r = error_set (err, -EPIPE, "the engine's progress report ended before it was complete");
  return r < 0 ? error_prefix (err, "pull image '%s'", image) : 0;
}
