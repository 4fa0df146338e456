/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* User and group ids: how ids inside map to ids of the host.
 *
 * A private user namespace maps ids inside to host ids that own nothing. As root, each run gets its own part
 * of the operator's range, so that two runs share no id. Without root, the command's id maps to the user's
 * own, so that files made in the workspace belong to the user, and the rest to the user's subordinate ids.
 */
#include <config.h>

#include "plan-draft-internal.h"

#include <errno.h>

static int map_as_root (struct draft *draft)
{
  const struct ceiling *ceiling = draft->ceiling;
  struct plan *plan = draft->plan;
  uint32_t first = ceiling->ids_count ? ceiling->ids_first : PLAN_IDS_FIRST;
  uint32_t count = ceiling->ids_count ? ceiling->ids_count : PLAN_IDS_COUNT;
  uint64_t offset = (uint64_t) draft->request->id_slot * PLAN_IDS_PER_RUN;

  if (plan->uid >= PLAN_IDS_PER_RUN || plan->gid >= PLAN_IDS_PER_RUN)
    return error_set (draft->err, -ERANGE,
                      "user.namespace: a run has the ids 0 to %u, so process.user cannot be %u:%u",
                      PLAN_IDS_PER_RUN - 1, plan->uid, plan->gid);
  if (offset + PLAN_IDS_PER_RUN > count)
    return error_set (draft->err, -ENOSPC,
                      "user.namespace: the %u ids from %u on have no room for run number %u of %u ids; "
                      "widen 'ids' in the ceiling",
                      count, first, draft->request->id_slot, PLAN_IDS_PER_RUN);
  plan->uid_maps[0] = (struct plan_id_map){ 0, first + (uint32_t) offset, PLAN_IDS_PER_RUN };
  plan->gid_maps[0] = plan->uid_maps[0];
  plan->uid_map_count = plan->gid_map_count = 1;
  plan->id_slots = count / PLAN_IDS_PER_RUN;
  plan->id_slot = draft->request->id_slot;
  return 0;
}

/* Maps ID to OWN, and as many others as the subordinate RANGE holds around it. */
static size_t map_around (uint32_t id, uint32_t own, const struct id_range *range, struct plan_id_map *maps)
{
  /* With too few ids to map all those below ID, id 0 would be missing inside, so map none of them. */
  uint32_t available = range->count >= id ? range->count : 0;
  uint32_t below = available > 0 ? id : 0;
  uint32_t above = id < PLAN_IDS_PER_RUN - 1 ? PLAN_IDS_PER_RUN - 1 - id : 0;
  size_t count = 0;

  if (above > available - below)
    above = available - below;
  if (below > 0)
    maps[count++] = (struct plan_id_map){ 0, range->first, below };
  maps[count++] = (struct plan_id_map){ id, own, 1 };
  if (above > 0)
    maps[count++] = (struct plan_id_map){ id + 1, range->first + below, above };
  return count;
}

int draft_ids (struct draft *draft)
{
  const struct host_facts *host = draft->host;
  struct plan *plan = draft->plan;
  bool private = draft_value (draft, SETTING_USER_NAMESPACE)->level == USERNS_PRIVATE
                 && draft->plan->controls[CONTROL_USER_NAMESPACE].enforcement.level != ENFORCEMENT_IMPOSSIBLE;

  /* The backend's privilege counts here, not the caller's. */
  if (host->uid == 0 || plan->backend->own_privilege) {
    plan->user_namespace = private;
    return private ? map_as_root (draft) : 0;
  }
  /* Without root a container needs a user namespace, whatever the profile sets. */
  if (!host->user_namespaces)
    return error_set (draft->err, -EPERM,
                      "this host gives user %u no user namespace, and without one only root can start a "
                      "container; enable user namespaces or use an engine",
                      host->uid);
  plan->user_namespace = true;
  plan->unprivileged = true;
  plan->uid_map_count = map_around (plan->uid, host->uid, &host->subuid, plan->uid_maps);
  plan->gid_map_count = map_around (plan->gid, host->gid, &host->subgid, plan->gid_maps);
  /* Runtimes set the container up as id 0 inside, so id 0 must be mapped. */
  if (plan->uid_maps[0].inside != 0 || plan->gid_maps[0].inside != 0)
    return error_set (
        draft->err, -EPERM,
        "user.non_root: user %u has too few subordinate ids to be both root and %u:%u inside; give it "
        "65536 in /etc/subuid and /etc/subgid, or choose a profile whose process.user is 0:0",
        host->uid, plan->uid, plan->gid);
  return 0;
}
