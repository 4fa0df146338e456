/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend-program.h"
#include "base-path.h"

const char *paths_directory (const char *variable, const char *built)
{
  const char *value = secure_getenv (variable);

  return value != NULL && value[0] != '\0' ? value : built;
}

char *paths_program (const char *name)
{
  return str_format ("%s/%s", paths_directory ("TYRUM_OCI_LIBEXECDIR", TYRUM_OCI_LIBEXECDIR), name);
}

const struct backend *paths_default_backend (const struct session_process *process)
{
  cleanup_free char *helper = process->helper ? NULL : paths_program ("tyrum-oci-libcrun-helper");

  if (process->helper == NULL && helper == NULL)
    return NULL;
  for (size_t i = 0; backends[i] != NULL; i++) {
    int r = backends[i]->ready ? backends[i]->ready (backends[i], helper) : 0;

    if (r != 0)
      return r > 0 ? backends[i] : NULL;
  }
  return backends[0];
}

/* A path that does not exist yet could be created, so its name is protected as well. */
static int add_place (struct host_facts *facts, const char *path, struct error *err)
{
  cleanup_free char *real = realpath (path, NULL);

  if (real == NULL && errno == ENOMEM)
    return error_oom (err);
  if ((real != NULL && strset_add (&facts->own, real) < 0)
      || (path_is_normal (path) && strset_add (&facts->own, path) < 0))
    return error_oom (err);
  return 0;
}

/* A runtime that cannot be found is an error later, when it is executed. */
static int add_runtime (const struct request *request, struct host_facts *facts, struct error *err)
{
  struct error ignored = { 0 };
  cleanup_free char *program = NULL;

  if (request->runtime == NULL || request->backend->names_runtimes)
    return 0;
  if (backend_find_program (request->runtime, &program, &ignored) < 0) {
    error_clear (&ignored);
    return 0;
  }
  return add_place (facts, program, err);
}

/* The client that was executed, by its installed path and by the path it was executed from. */
static int add_client (const char *client, struct host_facts *facts, struct error *err)
{
  cleanup_free char *installed =
      str_format ("%s/tyrum-oci", paths_directory ("TYRUM_OCI_BINDIR", TYRUM_OCI_BINDIR));
  int r = installed ? add_place (facts, installed, err) : error_oom (err);

  return r < 0 || client == NULL ? r : add_place (facts, client, err);
}

int paths_add_protected (const struct session_process *process, const struct request *request,
                         struct host_facts *facts, struct error *err)
{
  cleanup_free char *profiles =
      str_format ("%s/profiles", paths_directory ("TYRUM_OCI_DATADIR", TYRUM_OCI_DATADIR));
  int r = profiles ? add_place (facts, profiles, err) : error_oom (err);

  if (r == 0)
    r = add_place (facts, paths_directory ("TYRUM_OCI_LIBEXECDIR", TYRUM_OCI_LIBEXECDIR), err);
  if (r == 0)
    r = add_place (facts, paths_directory ("TYRUM_OCI_CONFDIR", TYRUM_OCI_SYSCONFDIR), err);
  if (r == 0)
    r = add_place (facts, "/proc/self/exe", err);
  if (r == 0)
    r = add_client (process->client, facts, err);
  return r < 0 ? r : add_runtime (request, facts, err);
}
