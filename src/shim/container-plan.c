/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-container-plan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"

static int set_number (struct json_node *mount, const char *key, uint64_t number)
{
  char digits[24];

  snprintf (digits, sizeof (digits), "%" PRIu64, number);
  return json_set (mount, key, json_new_text (JSON_NUMBER, digits));
}

static int complete (const struct policy *policy, struct json_node *mount)
{
  const struct json_node *source = json_get (mount, "source");
  const struct path_fact *fact =
      spec_mount_is_bind (mount) && source != NULL ? policy_fact (policy, source->text) : NULL;
  int r = 0;

  /* An engine's document may have keys of these names, which must not count as what was seen. */
  json_remove (mount, CONTAINER_PLAN_DEVICE);
  json_remove (mount, CONTAINER_PLAN_INODE);
  if (fact != NULL)
    r = set_number (mount, CONTAINER_PLAN_DEVICE, fact->device);
  if (r == 0 && fact != NULL)
    r = set_number (mount, CONTAINER_PLAN_INODE, fact->inode);
  return r;
}

int container_plan_write (const char *path, const struct policy *policy, const struct json_node *config,
                          struct error *err)
{
  cleanup_json struct json_node *plan = json_clone (config);
  struct json_node *mounts = plan ? json_edit (plan, "mounts") : NULL;
  cleanup_free char *text = NULL;
  int r = plan ? 0 : -ENOMEM;

  for (size_t i = 0; r == 0 && mounts != NULL && i < mounts->count; i++)
    r = complete (policy, mounts->items[i]);
  if (r < 0)
    return error_oom (err);
  r = spec_write (plan, &text, err);
  if (r == 0 && strlen (text) > LIMIT_SPEC_BYTES)
    r = error_set (err, -EFBIG, "the restricted config.json is larger than %zu bytes", LIMIT_SPEC_BYTES);
  return r < 0 ? r : file_write_passing (AT_FDCWD, path, text, strlen (text), 0600, err);
}

int container_plan_read (const char *path, struct json_node **ret_config, struct error *err)
{
  cleanup_free char *text = NULL;
  size_t len = 0;
  int r = file_read (AT_FDCWD, path, LIMIT_SPEC_BYTES, &text, &len, err);

  return r < 0 ? r : spec_read (CONTAINER_PLAN, text, len, ret_config, err);
}
