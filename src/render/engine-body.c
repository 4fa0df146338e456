/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "render-engine-body-internal.h"

#include <ctype.h>
#include <string.h>

#include "base-number.h"
#include "base-path.h"
#include "render-oci-seccomp.h"

bool engine_has_mount (const struct plan_mount *mount)
{
  static const char *const theirs[] = { "/proc", "/sys", "/dev" };

  for (size_t i = 0; i < ARRAY_LEN (theirs); i++)
    if (path_is_within (mount->target, theirs[i]))
      return true;
  return false;
}

uint64_t engine_shm_size (const struct launch *launch)
{
  uint64_t size = 0;

  for (size_t i = 0; i < launch->mount_count; i++) {
    const struct strlist *options = &launch->mounts[i].options;

    if (strcmp (launch->mounts[i].target, "/dev/shm") != 0)
      continue;
    for (size_t k = 0; k < options->count; k++)
      if (str_has_prefix (options->items[k], "size="))
        number_parse (options->items[k] + strlen ("size="), UINT64_MAX, &size);
  }
  return size;
}

char *engine_tmpfs_options (const struct plan_mount *mount)
{
  cleanup_strbuf struct strbuf text = { 0 };

  /* Engines add noexec unless "exec" is set. */
  strbuf_add (&text, plan_mount_has (mount, "noexec") ? "rw" : "rw,exec");
  for (size_t i = 0; i < mount->options.count; i++)
    strbuf_addf (&text, ",%s", mount->options.items[i]);
  return strbuf_take (&text);
}

const char *engine_network (const struct plan *plan)
{
  switch (plan->settings.values[SETTING_NETWORK_MODE].level) {
  case NETWORK_ENGINE: return "default";
  case NETWORK_HOST: return "host";
  default: return "none";
  }
}

char *engine_limit_name (const char *name)
{
  char *text = strdup (str_has_prefix (name, "RLIMIT_") ? name + strlen ("RLIMIT_") : name);

  for (char *c = text; c != NULL && *c != '\0'; c++)
    *c = (char) tolower ((unsigned char) *c);
  return text;
}

void engine_write_command (struct json_writer *w, const char *key, const struct launch *launch)
{
  json_array_begin (w, key);
  for (size_t i = 0; i < launch->init.count; i++)
    json_string (w, NULL, launch->init.items[i]);
  for (size_t i = 0; i < launch->argv.count; i++)
    json_string (w, NULL, launch->argv.items[i]);
  json_array_end (w);
}

void engine_write_labels (struct json_writer *w, const char *key, const struct plan *plan,
                          const struct launch *launch)
{
  json_object_begin (w, key);
  json_string (w, "io.tyrum.owner", plan->owner);
  json_string (w, "io.tyrum.profile", plan->profile_name);
  json_string (w, "io.tyrum.profile.digest", plan->profile_digest);
  json_string (w, "io.tyrum.run", launch->run_id);
  json_object_end (w);
}

void engine_write_no_health_check (struct json_writer *w, const char *key)
{
  json_object_begin (w, key);
  json_array_begin (w, "Test");
  json_string (w, NULL, "NONE");
  json_array_end (w);
  json_object_end (w);
}

int engine_filter_text (const struct plan *plan, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  char *text = NULL;
  int r;

  oci_seccomp_write (&w, NULL, plan->filter, false);
  r = json_finish (&w, &text, err);
  if (r < 0)
    return r;
  text[strcspn (text, "\n")] = '\0';
  *ret_text = text;
  return 0;
}
