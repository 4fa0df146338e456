#include <config.h>

#include "session-paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend-backend.h"
#include "base-path.h"
#include "wire-daemon.h"

const char *own_folder (const char *variable, const char *built)
{
  const char *value = secure_getenv (variable);

  return value != NULL && value[0] != '\0' ? value : built;
}

char *own_program (const char *name)
{
  return str_format ("%s/%s", own_folder ("TYRUM_OCI_LIBEXECDIR", TYRUM_OCI_LIBEXECDIR), name);
}

static int (*launch) (int argc, char **argv);

void own_set_launch (int (*function) (int argc, char **argv))
{
  launch = function;
}

int (*own_launch (void)) (int argc, char **argv)
{
  return launch;
}

/* One that is there and cannot be executed is an error to be told. */
static bool is_there (const char *program)
{
  return access (program, X_OK) == 0 || errno != ENOENT;
}

bool own_has_libcrun (void)
{
  cleanup_free char *program = launch ? NULL : own_program ("tyrum-oci-launch");

  return program == NULL || is_there (program);
}

const char *own_default_backend (void)
{
  static const char *const others[] = { "oci:crun", "oci:runc" };
  cleanup_free char *own = launch ? NULL : own_program ("tyrum-oci-launch");

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

static struct run_held *held;

void own_set_held (struct run_held *sandbox)
{
  held = sandbox;
}

struct run_held *own_held (void)
{
  return held;
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

  if (request->runtime == NULL || backend_is_engine (request->backend))
    return 0;
  if (backend_find_program (request->runtime, &program, &ignored) < 0) {
    error_clear (&ignored);
    return 0;
  }
  return add_place (facts, program, err);
}

static char front_path[PATH_MAX]; /* empty: not known */

void own_remember_front (void)
{
  const char *said = getenv (LAUNCHER_FRONT), *colon = said ? strchr (said, ':') : NULL;
  char number[16];

  snprintf (number, sizeof (number), "%d", (int) getpid ());
  if (colon != NULL && colon[1] == '/' && strlen (colon + 1) < sizeof (front_path)
      && (size_t) (colon - said) == strlen (number) && strncmp (said, number, strlen (number)) == 0)
    memcpy (front_path, colon + 1, strlen (colon + 1) + 1);
  unsetenv (LAUNCHER_FRONT);
}

void own_set_front (pid_t pid)
{
  char path[32];
  ssize_t len;

  snprintf (path, sizeof (path), "/proc/%d/exe", (int) pid);
  len = readlink (path, front_path, sizeof (front_path) - 1);
  front_path[len > 0 && front_path[0] == '/' ? len : 0] = '\0';
}

/* What people execute, which becomes this program: where it is installed, and where it really was. */
static int add_front (struct host_facts *facts, struct error *err)
{
  cleanup_free char *front = str_format ("%s/tyrum-oci", own_folder ("TYRUM_OCI_BINDIR", TYRUM_OCI_BINDIR));
  int r = front ? add_place (facts, front, err) : error_oom (err);

  return r < 0 || front_path[0] == '\0' ? r : add_place (facts, front_path, err);
}

int own_places (const struct request *request, struct host_facts *facts, struct error *err)
{
  cleanup_free char *profiles =
      str_format ("%s/profiles", own_folder ("TYRUM_OCI_DATADIR", TYRUM_OCI_DATADIR));
  int r = profiles ? add_place (facts, profiles, err) : error_oom (err);

  if (r == 0)
    r = add_place (facts, own_folder ("TYRUM_OCI_LIBEXECDIR", TYRUM_OCI_LIBEXECDIR), err);
  if (r == 0)
    r = add_place (facts, own_folder ("TYRUM_OCI_CONFDIR", TYRUM_OCI_SYSCONFDIR), err);
  if (r == 0)
    r = add_place (facts, "/proc/self/exe", err);
  if (r == 0)
    r = add_front (facts, err);
  return r < 0 ? r : add_runtime (request, facts, err);
}
