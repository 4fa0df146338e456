/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file that marks a tree as complete: a small JSON document. */
#include <config.h>

#include "image-cache-internal.h"

#include <errno.h>
#include <string.h>

#include "base-file.h"
#include "base-json-object.h"
#include "base-json-write.h"
#include "base-limits.h"

static const char schema[] = "tyrum-oci/image-tree/1";

struct complete {
  char *schema;
  char *manifest;
  struct image_report report;
};

static void complete_clear (struct complete *complete)
{
  free (complete->schema);
  free (complete->manifest);
}

#define REPORT_ROW(field)                                                                                    \
  {                                                                                                          \
#field, JSON_NUMBER, json_into_u64, offsetof(struct complete, report.field)                              \
  }

static const struct json_field fields[] = {
  { "schema", JSON_STRING, json_into_text, offsetof (struct complete, schema) },
  { "manifest", JSON_STRING, json_into_text, offsetof (struct complete, manifest) },
  REPORT_ROW (entries),
  REPORT_ROW (bytes),
  REPORT_ROW (whiteouts),
  REPORT_ROW (setid_dropped),
  REPORT_ROW (capabilities_dropped),
  REPORT_ROW (attributes_dropped),
};

_Static_assert(ARRAY_LEN (fields) == 2 + sizeof (struct image_report) / sizeof (uint64_t),
               "keep every number");

int image_complete_write (int directory, const char *hex, const struct image_report *report,
                          struct error *err)
{
  const struct complete complete = { .report = *report };
  cleanup_json_writer struct json_writer writer = { .pretty = true };
  cleanup_free char *text = NULL;
  int r;

  json_object_begin (&writer, NULL);
  json_string (&writer, fields[0].key, schema);
  json_string (&writer, fields[1].key, hex);
  for (size_t i = 2; i < ARRAY_LEN (fields); i++)
    json_number (&writer, fields[i].key,
                 *(const uint64_t *) (const void *) ((const char *) &complete + fields[i].offset));
  json_object_end (&writer);
  r = json_finish (&writer, &text, err);
  return r < 0 ? r : file_write_atomic (directory, IMAGE_COMPLETE, text, strlen (text), 0600, err);
}

/* The mark is absent or malformed, as opposed to a mark that could not be read. */
static bool is_verdict (int r)
{
  return r == -ENOENT || r == -EINVAL || r == -EFBIG || r == -EISDIR;
}

int image_complete_read (int directory, const char *hex, struct image_report *ret_report, struct error *err)
{
  static const struct json_limits limits = { .bytes = LIMIT_IMAGE_MARK_BYTES, .depth = 2, .nodes = 64 };
  const struct json_place place = { .name = IMAGE_COMPLETE };
  cleanup (complete_clear) struct complete complete = { 0 };
  cleanup_error struct error why = { 0 };
  cleanup_free char *text = NULL;
  cleanup_json struct json_node *tree = NULL;
  size_t len = 0;
  int r = file_read (directory, IMAGE_COMPLETE, LIMIT_IMAGE_MARK_BYTES, &text, &len, &why);

  if (r == 0)
    r = json_read (IMAGE_COMPLETE, text, len, &limits, &tree, &why);
  if (r == 0)
    r = json_read_object (&place, tree, fields, ARRAY_LEN (fields), &complete, &why);
  if (r < 0)
    return is_verdict (r) ? 0 : error_set (err, r, "%s", error_text (&why));
  if (!str_equal (complete.schema, schema) || complete.manifest == NULL
      || (hex != NULL && strcmp (complete.manifest, hex) != 0))
    return 0;
  *ret_report = complete.report;
  return 1;
}
