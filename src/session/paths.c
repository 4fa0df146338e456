#include <config.h>

#include "session-paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend-program.h"
#include "base-path.h"
#include "wire-daemon.h"

const char *paths_directory (const char *variable, const char *built)
{
  const char *value = secure_getenv (variable);

  return value != NULL && value[0] != '\0' ? value : built;
}

char *paths_program (const char *name)
{
  return str_format ("%s/%s", paths_directory ("TYRUM_OCI_LIBEXECDIR", TYRUM_OCI_LIBEXECDIR), name);
}

static int (*launch) (int argc, char **argv);

void paths_set_helper (int (*function) (int argc, char **argv))
{
  launch = function;
}

int (*paths_helper (void)) (int argc, char **argv)
{
  return launch;
}

/* One that is there and cannot be executed is an error to be told. */
static bool is_there (const char *program)
{
  return access (program, X_OK) == 0 || errno != ENOENT;
}

bool paths_have_libcrun (void)
{
  cleanup_free char *program = launch ? NULL : paths_program ("tyrum-oci-libcrun-helper");

  return program == NULL || is_there (program);
}

const char *paths_default_backend (void)
{
  static const char *const others[] = { "oci:crun", "oci:runc" };
  cleanup_free char *own = launch ? NULL : paths_program ("tyrum-oci-libcrun-helper");

  if (launch == NULL && own == NULL)
    return NULL;
  if (launch != NULL || is_there (own))
    return "libcrun";
  for (size_t i = 0; i < ARRAY_LEN (others); i++) {
    cleanup_error struct error ignored = { 0 };
    cleanup_free char *program = NULL;
    int r = backend_find_program (others[i] + strlen ("oci:"), &program, &ignored);

    if (r == 0 || r == -ENOMEM)
      return r == 0 ? others[i] : NULL;
  }
  return "libcrun";
}

static struct run_prewarmed *prewarmed;

void paths_set_prewarmed (struct run_prewarmed *sandbox)
{
  prewarmed = sandbox;
}

struct run_prewarmed *paths_prewarmed (void)
{
  return prewarmed;
}

/* What is not there yet could be made, so its name counts as well. */
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

/* One that cannot be found is told of when it is needed. */
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

static char client_path[PATH_MAX]; /* empty: not known */

void paths_remember_client (void)
{
  const char *said = getenv (DAEMON_CLIENT), *colon = said ? strchr (said, ':') : NULL;
  char number[16];

  snprintf (number, sizeof (number), "%d", (int) getpid ());
  if (colon != NULL && colon[1] == '/' && strlen (colon + 1) < sizeof (client_path)
      && (size_t) (colon - said) == strlen (number) && strncmp (said, number, strlen (number)) == 0)
    memcpy (client_path, colon + 1, strlen (colon + 1) + 1);
  unsetenv (DAEMON_CLIENT);
}

void paths_set_client (pid_t pid)
{
  char path[32];
  ssize_t len;

  snprintf (path, sizeof (path), "/proc/%d/exe", (int) pid);
  len = readlink (path, client_path, sizeof (client_path) - 1);
  client_path[len > 0 && client_path[0] == '/' ? len : 0] = '\0';
}

/* What people execute, which becomes this program: where it is installed, and where it really was. */
static int add_client (struct host_facts *facts, struct error *err)
{
  cleanup_free char *front =
      str_format ("%s/tyrum-oci", paths_directory ("TYRUM_OCI_BINDIR", TYRUM_OCI_BINDIR));
  int r = front ? add_place (facts, front, err) : error_oom (err);

  return r < 0 || client_path[0] == '\0' ? r : add_place (facts, client_path, err);
}

int paths_add_protected (const struct request *request, struct host_facts *facts, struct error *err)
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
    r = add_client (facts, err);
  return r < 0 ? r : add_runtime (request, facts, err);
}
