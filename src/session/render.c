#include <config.h>

#include "session-render.h"

#include <errno.h>
#include <string.h>

#include "options-options.h"
#include "render-docker.h"
#include "render-oci.h"
#include "render-podman.h"

#define ON(backend) (1u << (backend))
#define RUNTIMES                                                                                             \
  (ON (BACKEND_LIBCRUN) | ON (BACKEND_OCI_CRUN) | ON (BACKEND_OCI_RUNC) | ON (BACKEND_OCI_RUNSC)             \
   | ON (BACKEND_OCI_OTHER))

static const struct target table[] = {
  { "oci", RUNTIMES, render_oci },
  { "docker", ON (BACKEND_DOCKER), render_docker },
  { "podman", ON (BACKEND_PODMAN), render_podman },
};

int render_find (const char *name, const struct target **ret_target, struct error *err)
{
  const char *names[ARRAY_LEN (table)];
  const char *near;

  for (size_t i = 0; i < ARRAY_LEN (table); i++) {
    if (strcmp (table[i].name, name) == 0) {
      *ret_target = &table[i];
      return 0;
    }
    names[i] = table[i].name;
  }
  near = str_nearest (name, names, ARRAY_LEN (names));
  if (near != NULL)
    return error_set (err, CLI_USAGE, "--target: there is no target '%s'; did you mean '%s'?", name, near);
  return error_set (err, CLI_USAGE, "--target: there is no target '%s'; there are oci, docker and podman",
                    name);
}

int render_check_backend (const struct target *target, enum backend backend, struct error *err)
{
  if (target->backends & ON (backend))
    return 0;
  return error_set (err, CLI_USAGE,
                    "--target: backend '%s' does not read a document for '%s'; leave one of the two out",
                    backend_name (backend), target->name);
}

int render_of_backend (enum backend backend, const struct target **ret_target, struct error *err)
{
  for (size_t i = 0; i < ARRAY_LEN (table); i++)
    if (table[i].backends & ON (backend)) {
      *ret_target = &table[i];
      return 0;
    }
  return error_set (err, -EOPNOTSUPP, "--backend: this build makes no document for '%s'; use libcrun or oci",
                    backend_name (backend));
}
