/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "host-facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "host-internal.h"

const char *const cgroup_mode_names[CGROUP_MODES] = {
  [CGROUP_NONE] = "none",
  [CGROUP_V1] = "v1",
  [CGROUP_HYBRID] = "hybrid",
  [CGROUP_V2] = "v2",
};

const char *const path_type_names[PATH_TYPES] = {
  [PATH_ABSENT] = "absent",   [PATH_DIRECTORY] = "directory", [PATH_FILE] = "file",
  [PATH_SYMLINK] = "symlink", [PATH_SOCKET] = "socket",       [PATH_DEVICE] = "device",
  [PATH_OTHER] = "other",
};

const char *cgroup_mode_text (enum cgroup_mode mode)
{
  return cgroup_mode_names[mode];
}

const char *path_type_text (enum path_type type)
{
  return path_type_names[type];
}

const struct path_fact *path_facts_find (const struct path_facts *facts, const char *path)
{
  for (size_t i = 0; i < facts->count; i++)
    if (strcmp (facts->items[i].path, path) == 0)
      return &facts->items[i];
  return NULL;
}

int path_facts_add (struct path_facts *facts, struct path_fact *fact)
{
  struct path_fact *items = realloc (facts->items, (facts->count + 1) * sizeof (*items));

  if (items == NULL)
    return -ENOMEM;
  items[facts->count++] = *fact;
  facts->items = items;
  *fact = (struct path_fact){ 0 };
  return 0;
}

int path_fact_add_place (struct path_fact *fact, const char *path, const char *mount, const char *root)
{
  struct path_place *places = realloc (fact->places, (fact->place_count + 1) * sizeof (*places));
  struct path_place *place;

  if (places == NULL)
    return -ENOMEM;
  fact->places = places;
  place = &places[fact->place_count++];
  *place = (struct path_place){ strdup (path), strdup (mount), strdup (root) };
  return place->path && place->mount && place->root ? 0 : -ENOMEM;
}

int path_fact_add_below (struct path_fact *fact, struct path_fact *below)
{
  struct path_fact *items = realloc (fact->below, (fact->below_count + 1) * sizeof (*items));

  if (items == NULL)
    return -ENOMEM;
  items[fact->below_count++] = *below;
  fact->below = items;
  *below = (struct path_fact){ 0 };
  return 0;
}

void path_fact_clear (struct path_fact *fact)
{
  free (fact->path);
  free (fact->target);
  free (fact->real);
  free (fact->filesystem);
  for (size_t i = 0; i < fact->place_count; i++) {
    free (fact->places[i].path);
    free (fact->places[i].mount);
    free (fact->places[i].root);
  }
  free (fact->places);
  for (size_t i = 0; i < fact->below_count; i++)
    path_fact_clear (&fact->below[i]);
  free (fact->below);
  *fact = (struct path_fact){ 0 };
}

static void path_facts_clear (struct path_facts *facts)
{
  for (size_t i = 0; i < facts->count; i++)
    path_fact_clear (&facts->items[i]);
  free (facts->items);
  *facts = (struct path_facts){ 0 };
}

void host_facts_free (struct host_facts *facts)
{
  if (facts == NULL)
    return;
  free (facts->machine);
  free (facts->kernel);
  free (facts->home);
  free (facts->config_home);
  free (facts->state_dir);
  free (facts->storage_dir);
  strlist_clear (&facts->own);
  free (facts->cgroup_delegated);
  strlist_clear (&facts->cgroup_controllers);
  strlist_clear (&facts->apparmor_profiles);
  strlist_clear (&facts->seccomp_actions);
  path_facts_clear (&facts->root);
  path_facts_clear (&facts->sockets);
  path_facts_clear (&facts->paths);
  free (facts);
}
