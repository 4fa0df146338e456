/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-str.h"
#include "restrict-restrict.h"

static int find (const struct command *command, struct bundle *bundle, struct error *err)
{
  const char *name = command->config.text ? command->config.text : "config.json";
  const char *directory = command->bundle.text ? command->bundle.text : ".";

  bundle->directory = realpath (directory, NULL);
  if (bundle->directory == NULL)
    return error_set_errno (err, errno, "find the bundle '%s'", directory);
  bundle->config_path = name[0] == '/' ? strdup (name) : str_format ("%s/%s", bundle->directory, name);
  return bundle->config_path ? 0 : error_oom (err);
}

int bundle_read (const struct command *command, struct bundle *bundle, struct error *err)
{
  cleanup_free char *text = NULL;
  struct stat st;
  size_t len = 0;
  int r = find (command, bundle, err);

  if (r == 0)
    r = file_read (AT_FDCWD, bundle->config_path, LIMIT_SPEC_BYTES, &text, &len, err);
  if (r < 0)
    return r;
  bundle->mode = stat (bundle->config_path, &st) == 0 ? st.st_mode & 0777 : 0600;
  return spec_read ("config.json", text, len, &bundle->config, err);
}

void bundle_clear (struct bundle *bundle)
{
  json_free (bundle->config);
  free (bundle->directory);
  free (bundle->config_path);
  *bundle = (struct bundle){ 0 };
}
