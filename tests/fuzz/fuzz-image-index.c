/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The documents of an image on any bytes: each reader gives a value or an error with a message, never both,
 * and what is chosen from an index has a digest that is safe as a file's name. */
#include <config.h>

#include "image-document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image-choose.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void check_answer (int r, const struct error *err)
{
  if ((r == 0) == error_is_set (err) || (r < 0 && error_text (err)[0] == '\0'))
    abort ();
}

static void check_digest (const char *hex)
{
  if (strlen (hex) != SHA256_HEX - 1 || strspn (hex, "0123456789abcdef") != SHA256_HEX - 1)
    abort ();
}

static void choose (const struct image_index *index, const char *tag)
{
  cleanup_error struct error err = { 0 };
  const struct image_descriptor *chosen = NULL;
  int r = image_choose (index, tag, "amd64", &chosen, &err);

  check_answer (r, &err);
  if (r == 0)
    check_digest (chosen->hex);
}

static void read_index (const char *text, size_t size)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_index struct image_index index = { 0 };
  int r = image_index_parse ("input", NULL, text, size, &index, &err);

  check_answer (r, &err);
  if (r < 0)
    return;
  choose (&index, NULL);
  choose (&index, "v1");
  if (index.count > 0)
    choose (&index, index.manifests[index.count - 1].tag);
}

static void read_manifest (const char *text, size_t size)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_manifest struct image_manifest manifest = { 0 };
  int r = image_manifest_parse ("input", NULL, text, size, &manifest, &err);

  check_answer (r, &err);
  if (r < 0)
    return;
  check_digest (manifest.config.hex);
  for (size_t i = 0; i < manifest.count; i++) {
    check_digest (manifest.layers[i].hex);
    if (image_media_kind (manifest.layers[i].media_type) != IMAGE_KIND_LAYER)
      abort ();
  }
}

static void read_config (const char *text, size_t size)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_config struct image_config config = { 0 };
  int r = image_config_parse ("input", text, size, &config, &err);

  check_answer (r, &err);
  if (r == 0 && (config.os == NULL || config.architecture == NULL))
    abort ();
  for (size_t i = 0; i < config.diff_count; i++)
    check_digest (config.diffs[i]);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  cleanup_error struct error err = { 0 };
  const char *text = (const char *) data;

  read_index (text, size);
  read_manifest (text, size);
  read_config (text, size);
  check_answer (image_mark_parse ("input", text, size, &err), &err);
  return 0;
}
