#include <config.h>

#include "render-shape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "plan-prewarmed.h"
#include "render-oci.h"

static char nothing[] = "";

/* Mounts as they are, but for the workspace's source. */
static struct plan_mount *neutral_mounts (const struct plan *plan)
{
  const struct plan_mount *workspace = plan_workspace (plan);
  struct plan_mount *mounts = calloc (plan->mount_count + 1, sizeof (*mounts));

  for (size_t i = 0; mounts != NULL && i < plan->mount_count; i++) {
    mounts[i] = plan->mounts[i];
    if (&plan->mounts[i] == workspace) {
      mounts[i].source = nothing;
      mounts[i].device = mounts[i].inode = 0;
    }
  }
  return mounts;
}

/* Masked paths that are not in the workspace. */
static struct strlist outside_workspace (const struct strlist *masked, char **items)
{
  struct strlist list = { .items = items };

  for (size_t i = 0; i < masked->count; i++)
    if (!str_has_prefix (masked->items[i], PLAN_WORKSPACE "/"))
      items[list.count++] = masked->items[i];
  return list;
}

static void add_mounts (struct strbuf *text, const struct plan *view)
{
  for (size_t i = 0; i < view->mount_count; i++)
    strbuf_addf (text, "%" PRIu64 ":%" PRIu64 " %d\n", view->mounts[i].device, view->mounts[i].inode,
                 view->mounts[i].writable);
}

/* A root that we put together is not in the document. */
static void add_root (struct strbuf *text, const struct plan *view)
{
  strbuf_addf (text, "%d %s %" PRIu64 ":%" PRIu64 "\n", view->root, view->root_path ? view->root_path : "",
               view->root_device, view->root_inode);
  for (size_t i = 0; i < view->entry_count; i++)
    strbuf_addf (text, "%d %o %s %s\n", view->entries[i].kind, view->entries[i].mode, view->entries[i].path,
                 view->entries[i].text ? view->entries[i].text : "");
}

static void add_rest (struct strbuf *text, const struct plan *view)
{
  strbuf_addf (text, "%s %s %s %s\n", view->profile_name, view->profile_file, view->profile_digest,
               view->backend->name);
  strbuf_addf (text, "%d %d %s %s\n", view->cgroup, view->swap_limit,
               view->cgroup_delegated ? view->cgroup_delegated : "", view->owner ? view->owner : "");
}

int render_shape (const struct plan *plan, char **ret_text, struct error *err)
{
  struct plan view = *plan;
  cleanup_free struct plan_mount *mounts = neutral_mounts (plan);
  cleanup_free char **masked = calloc (plan->masked.count + 1, sizeof (*masked));
  cleanup_strbuf struct strbuf text = { 0 };
  cleanup_free char *document = NULL;
  char filter[SHA256_HEX] = "";
  int r;

  if (mounts == NULL || masked == NULL)
    return error_oom (err);
  /* The program's name says all about its rules, and is shorter. */
  if (plan->filter != NULL)
    filter_program_name (plan->filter, false, filter);
  view.mounts = mounts;
  view.program = filter;
  view.argv = view.env = (struct strlist){ 0 };
  view.cwd = nothing;
  view.masked = outside_workspace (&plan->masked, masked);
  r = render_oci (&view, &document, err);
  if (r < 0)
    return r;
  strbuf_add (&text, document);
  add_mounts (&text, &view);
  add_root (&text, &view);
  add_rest (&text, &view);
  *ret_text = strbuf_take (&text);
  return *ret_text ? 0 : error_oom (err);
}
