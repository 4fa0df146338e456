/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-choose.h"

#include <errno.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "image-name-internal.h"

#define LISTED_MAX 16

const char *image_architecture (const char *machine)
{
  static const struct {
    const char *machine, *name;
  } names[] = {
    { "x86_64", "amd64" }, { "aarch64", "arm64" }, { "i386", "386" },
    { "i486", "386" },     { "i586", "386" },      { "i686", "386" },
    { "armv6l", "arm" },   { "armv7l", "arm" },    { "loongarch64", "loong64" },
  };

  for (size_t i = 0; i < ARRAY_LEN (names); i++)
    if (strcmp (names[i].machine, machine) == 0)
      return names[i].name;
  return machine;
}

static bool has_tag (const struct image_descriptor *descriptor, const char *tag)
{
  return tag == NULL || str_equal (descriptor->tag, tag);
}

static bool has_platform (const struct image_descriptor *descriptor, const char *architecture)
{
  return str_equal (descriptor->os, "linux") && str_equal (descriptor->architecture, architecture);
}

static int list_tags (const struct image_index *index, struct strbuf *into)
{
  cleanup_strlist struct strlist tags = { 0 };
  char shown[IMAGE_SHOWN];

  for (size_t i = 0; i < index->count; i++)
    if (index->manifests[i].tag != NULL && strset_add (&tags, index->manifests[i].tag) < 0)
      return -ENOMEM;
  for (size_t i = 0; i < tags.count && i < LISTED_MAX; i++)
    strbuf_addf (into, "%s'%s'", i > 0 ? ", " : "", image_show (tags.items[i], shown));
  if (tags.count > LISTED_MAX)
    strbuf_addf (into, " and %zu more", tags.count - LISTED_MAX);
  if (tags.count == 0)
    strbuf_add (into, "none");
  return into->failed ? -ENOMEM : 0;
}

static int fail_with_tags (const struct image_index *index, const char *tag, size_t found, struct error *err)
{
  cleanup_strbuf struct strbuf list = { 0 };
  char shown[IMAGE_SHOWN];

  if (list_tags (index, &list) < 0)
    return error_oom (err);
  if (tag != NULL)
    return error_set (err, -ENOENT, "there is no tag '%s'; the tags are: %s", image_show (tag, shown),
                      list.text);
  if (found == 0)
    return error_set (err, -ENOENT, "the index has no image");
  return error_set (err, -ENOENT, "there are %zu images: name one by its tag; the tags are: %s", found,
                    list.text);
}

static int list_platforms (const struct image_index *index, const char *tag, struct strbuf *into)
{
  char os[IMAGE_SHOWN], architecture[IMAGE_SHOWN];
  size_t listed = 0;

  for (size_t i = 0; i < index->count && listed < LISTED_MAX; i++) {
    const struct image_descriptor *d = &index->manifests[i];

    if (has_tag (d, tag) && d->os != NULL)
      strbuf_addf (into, "%s%s/%s", listed++ > 0 ? ", " : "", image_show (d->os, os),
                   image_show (d->architecture, architecture));
  }
  if (listed == 0)
    strbuf_add (into, "none");
  return into->failed ? -ENOMEM : 0;
}

/* Several entries match TAG, so only the platform tells them apart. */
static int choose_platform (const struct image_index *index, const char *tag, const char *architecture,
                            const struct image_descriptor **ret_chosen, struct error *err)
{
  cleanup_strbuf struct strbuf list = { 0 };

  for (size_t i = 0; i < index->count; i++)
    if (has_tag (&index->manifests[i], tag) && has_platform (&index->manifests[i], architecture)) {
      *ret_chosen = &index->manifests[i];
      return 0;
    }
  if (list_platforms (index, tag, &list) < 0)
    return error_oom (err);
  return error_set (err, -ENOENT, "there is no image for linux/%s; the platforms are: %s", architecture,
                    list.text);
}

int image_choose (const struct image_index *index, const char *tag, const char *architecture,
                  const struct image_descriptor **ret_chosen, struct error *err)
{
  size_t found = 0, tagged = 0, last = 0;

  for (size_t i = 0; i < index->count; i++) {
    if (!has_tag (&index->manifests[i], tag))
      continue;
    found++;
    last = i;
    tagged += index->manifests[i].tag != NULL;
  }
  /* If the only entry is for another platform, image_open refuses it when it reads the configuration. */
  if (found == 1) {
    *ret_chosen = &index->manifests[last];
    return 0;
  }
  if (found == 0 || (tag == NULL && tagged > 0))
    return fail_with_tags (index, tag, found, err);
  return choose_platform (index, tag, architecture, ret_chosen, err);
}
