/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Annotations: those that change a runtime's behaviour are removed. */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* What makes crun load libraries, open host files, skip set-up or start something else, and the like of
 * runsc's, CRIU's and systemd's. */
static const char *const orders[] = {
  "run.oci.",           "krun.", "org.criu.", "dev.gvisor.", "module.wasm.", "org.systemd.property.",
  "io.katacontainers.",
};

const char *spec_annotation (const struct json_node *config, const char *key)
{
  const struct json_node *value = json_get (json_get (config, "annotations"), key);

  return value != NULL && value->type == JSON_STRING ? value->text : NULL;
}

static bool is_order (const char *key)
{
  for (size_t i = 0; i < ARRAY_LEN (orders); i++)
    if (str_has_prefix (key, orders[i]))
      return true;
  return false;
}

/* Ours are written by us; values from outside are not trusted. */
static bool is_ours (const char *key)
{
  return str_has_prefix (key, SPEC_ANNOTATION_PREFIX);
}

static void drop_foreign (struct meet *m, struct json_node *annotations, struct strbuf *dropped)
{
  for (size_t i = 0; i < annotations->count;) {
    const char *key = annotations->keys[i].name;

    if (is_order (key)) {
      strbuf_addf (dropped, "%s%s", dropped->len > 0 ? " " : "", key);
      restrict_note (m, CONTROL_ISOLATION_TYPE, "annotation '%s' dropped, as runtimes take orders from it",
                     key);
    } else if (!is_ours (key) || strcmp (key, SPEC_ANNOTATION_DROPPED) == 0) {
      i++;
      continue;
    }
    json_remove_at (annotations, i);
  }
}

/* One that is no text would be an error of the low-level runtime's, which does not say which. */
static int check_texts (const struct meet *m, const struct json_node *annotations)
{
  for (size_t i = 0; i < annotations->count; i++) {
    const struct json_node *value = annotations->items[i];

    if (value->type != JSON_STRING)
      return error_set (m->err, -EINVAL, "%s:%u:%u: annotation '%s': expected a string, found %s",
                        m->document, value->line, value->column, annotations->keys[i].name,
                        json_type_text (value->type));
  }
  return 0;
}

/* A container's owner who writes ours in another case expects it to have an effect. */
static int check_spelling (const struct meet *m, const struct json_node *annotations)
{
  static const char *const own[] = { SPEC_ANNOTATION_PROFILE, SPEC_ANNOTATION_DIGEST,
                                     SPEC_ANNOTATION_DROPPED };

  for (size_t i = 0; i < annotations->count; i++)
    for (size_t k = 0; k < ARRAY_LEN (own); k++) {
      const char *key = annotations->keys[i].name;

      if (strcasecmp (key, own[k]) == 0 && strcmp (key, own[k]) != 0)
        return error_set (m->err, -EINVAL, "%s: key '%s' is a second spelling of '%s'", m->document, key,
                          own[k]);
    }
  return 0;
}

int restrict_annotations (struct meet *m, struct json_node *config)
{
  cleanup_strbuf struct strbuf dropped = { 0 };
  struct json_node *annotations = NULL;
  int r = restrict_make (m, config, "annotations", JSON_OBJECT, &annotations);

  if (r == 0)
    r = check_texts (m, annotations);
  if (r == 0)
    r = check_spelling (m, annotations);
  if (r < 0)
    return r;
  drop_foreign (m, annotations, &dropped);
  restrict_set (m, annotations, SPEC_ANNOTATION_PROFILE, json_new_text (JSON_STRING, m->policy->profile));
  restrict_set (m, annotations, SPEC_ANNOTATION_DIGEST, json_new_text (JSON_STRING, m->policy->digest));
  if (dropped.len > 0)
    restrict_set (m, annotations, SPEC_ANNOTATION_DROPPED, json_new_text (JSON_STRING, dropped.text));
  m->failed = m->failed || dropped.failed;
  return 0;
}
