/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "render-shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "plan-prewarmed.h"
#include "render-oci.h"

static void add_mounts (struct strbuf *text, const struct launch *launch)
{
  for (size_t i = 0; i < launch->mount_count; i++)
    strbuf_addf (text, "%" PRIu64 ":%" PRIu64 " %d\n", launch->mounts[i].device, launch->mounts[i].inode,
                 launch->mounts[i].writable);
}

/* The entries of a root from the host are not in the OCI document. */
static void add_root (struct strbuf *text, const struct plan *plan)
{
  strbuf_addf (text, "%d %s %" PRIu64 ":%" PRIu64 "\n", plan->root, plan->root_path ? plan->root_path : "",
               plan->root_device, plan->root_inode);
  for (size_t i = 0; i < plan->entry_count; i++)
    strbuf_addf (text, "%d %o %s %s\n", plan->entries[i].kind, plan->entries[i].mode, plan->entries[i].path,
                 plan->entries[i].text ? plan->entries[i].text : "");
}

static void add_rest (struct strbuf *text, const struct plan *plan)
{
  strbuf_addf (text, "%s %s %s %s\n", plan->profile_name, plan->profile_file, plan->profile_digest,
               plan->backend->name);
  strbuf_addf (text, "%d %d %s %s\n", plan->cgroup, plan->swap_limit,
               plan->cgroup_delegated ? plan->cgroup_delegated : "", plan->owner ? plan->owner : "");
}

/* A prewarmed sandbox receives hidden paths in the workspace later. */
static void drop_hidden (struct strlist *masked)
{
  size_t kept = 0;

  for (size_t i = 0; i < masked->count; i++)
    if (str_has_prefix (masked->items[i], PLAN_WORKSPACE "/"))
      free (masked->items[i]);
    else
      masked->items[kept++] = masked->items[i];
  masked->count = kept;
}

/* The launch of a sandbox without a command. The filter's digest stands for its rules. */
static int make_prewarmed (const struct plan *plan, struct launch *launch, struct error *err)
{
  char filter[SHA256_HEX] = "";
  int r = launch_init (plan, launch, err);

  if (r == 0)
    r = launch_hold (launch, err);
  if (r < 0)
    return r;
  if (plan->filter != NULL)
    filter_program_name (plan->filter, FILTER_ERRNO, filter);
  launch->program = strdup (filter);
  launch->cwd[0] = '\0';
  drop_hidden (&launch->masked);
  return launch->program ? 0 : error_oom (err);
}

int render_shape (const struct plan *plan, char **ret_text, struct error *err)
{
  cleanup_launch struct launch launch = { 0 };
  cleanup_strbuf struct strbuf text = { 0 };
  cleanup_free char *document = NULL;
  int r = make_prewarmed (plan, &launch, err);

  if (r == 0)
    r = render_oci (plan, &launch, &document, err);
  if (r < 0)
    return r;
  strbuf_add (&text, document);
  add_mounts (&text, &launch);
  add_root (&text, plan);
  add_rest (&text, plan);
  *ret_text = strbuf_take (&text);
  return *ret_text ? 0 : error_oom (err);
}
