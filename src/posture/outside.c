/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "posture-outside.h"

#include <stdlib.h>

const char *const space_names[SPACE_COUNT] = { "user", "mnt", "pid", "net", "ipc", "uts", "cgroup" };

void outside_clear (struct outside *outside)
{
  free (outside->kernel);
  free (outside->boot_id);
  free (outside->status);
  free (outside->uid_map);
  free (outside->gid_map);
  free (outside->mounts);
  free (outside->cgroup);
  free (outside->label);
  free (outside->limits);
  free (outside->environment);
  free (outside->sibling);
  free (outside->group_path);
  for (size_t i = 0; i < outside->below_count; i++) {
    free (outside->below[i].point);
    free (outside->below[i].root);
  }
  free (outside->below);
  free (outside->host_devices);
  *outside = (struct outside){ 0 };
}
