/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "control-backend.h"

#include <errno.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-str.h"

/* Before the name of an OCI runtime. */
#define OCI "oci:"

const struct backend *backend_named (const char *name)
{
  for (size_t i = 0; backends[i] != NULL; i++)
    if (strcmp (backends[i]->name, name) == 0)
      return backends[i];
  return NULL;
}

/* A runtime given as a path, such as "/usr/sbin/runc", is known by its last component. */
const struct backend *backend_of_runtime (const char *runtime)
{
  const char *base = strrchr (runtime, '/');
  const char *name = base ? base + 1 : runtime;

  for (size_t i = 0; backends[i] != NULL; i++)
    if (str_has_prefix (backends[i]->name, OCI) && strcmp (backends[i]->name + strlen (OCI), name) == 0)
      return backends[i];
  return &backend_other;
}

/* The values of --backend except "oci:RUNTIME", NULL-terminated. */
static size_t list_names (const char *names[BACKEND_MAX + 1])
{
  size_t count = 0;

  for (size_t i = 0; backends[i] != NULL; i++) {
    const char *name = str_has_prefix (backends[i]->name, OCI) ? "oci" : backends[i]->name;

    if (count == 0 || strcmp (names[count - 1], name) != 0)
      names[count++] = name;
  }
  return count;
}

static int refuse (const char *name, struct error *err)
{
  const char *names[BACKEND_MAX + 1];
  size_t count = list_names (names);
  const char *near = str_nearest (name, names, count);
  cleanup_strbuf struct strbuf list = { 0 };

  if (near != NULL)
    return error_set (err, -EINVAL, "unknown backend '%s'; did you mean '%s'?", name, near);
  for (size_t i = 0; i < count; i++)
    strbuf_addf (&list, "%s%s", i > 0 ? ", " : "", names[i]);
  return list.failed ? error_oom (err)
                     : error_set (err, -EINVAL, "unknown backend '%s'; known are %s", name, list.text);
}

int backend_find (const char *name, const char *runtime, const struct backend **ret_backend,
                  struct error *err)
{
  bool named = str_has_prefix (name, OCI) && name[strlen (OCI)] != '\0';
  const struct backend *found;

  if (named && runtime == NULL)
    runtime = name + strlen (OCI);
  if (named || strcmp (name, "oci") == 0)
    found = backend_of_runtime (runtime ? runtime : "runc");
  else
    found = backend_named (name);
  if (found == NULL)
    return refuse (name, err);
  *ret_backend = found;
  return 0;
}

/* The backends with this ENFORCEMENT of the value, as a mask; 0 if one of them comes before FIRST. */
static unsigned sharing (enum control control, unsigned level, size_t first,
                         const struct enforcement *enforcement)
{
  struct enforcement other;
  unsigned mask = 0;

  for (size_t i = 0; backends[i] != NULL; i++)
    if (enforcement_of_value (control, backends[i], level, &other)
        && enforcement_equal (enforcement, &other)) {
      if (i < first)
        return 0;
      mask |= 1u << i;
    }
  return mask;
}

bool enforcement_note_at (size_t index, struct enforcement_note *ret_note)
{
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    enum setting first = control_info (c)->settings[0];
    const char *const *levels = first < SETTING_COUNT ? setting_info (first)->levels : NULL;

    for (unsigned level = 0; levels != NULL && levels[level] != NULL; level++)
      for (size_t i = 0; backends[i] != NULL; i++) {
        struct enforcement_note note = { .control = c, .value = levels[level] };

        if (!enforcement_of_value (c, backends[i], level, &note.enforcement))
          continue;
        note.backends = sharing (c, level, i, &note.enforcement);
        if (note.backends == 0 || index-- > 0)
          continue;
        *ret_note = note;
        return true;
      }
  }
  return false;
}

static bool has_difference (const struct backend *backend, const char *name)
{
  for (const struct backend_difference *d = backend->differences; d != NULL && d->name != NULL; d++)
    if (strcmp (d->name, name) == 0)
      return true;
  return false;
}

bool backend_difference_at (size_t index, struct backend_difference *ret_difference, unsigned *ret_backends)
{
  for (size_t i = 0; backends[i] != NULL; i++)
    for (const struct backend_difference *d = backends[i]->differences; d != NULL && d->name != NULL; d++) {
      unsigned mask = 0;

      for (size_t k = 0; backends[k] != NULL; k++)
        mask |= has_difference (backends[k], d->name) ? 1u << k : 0;
      /* Reported once, by the first backend that has it. */
      if ((mask & ((1u << i) - 1)) != 0 || index-- > 0)
        continue;
      *ret_difference = *d;
      *ret_backends = mask;
      return true;
    }
  return false;
}
