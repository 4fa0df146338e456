/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-namespace.h"
#include "base-path.h"
#include "base-str.h"

const char *places_variable (const char *name)
{
  const char *value = secure_getenv (name);

  return value != NULL && path_is_normal (value) && strlen (value) <= LIMIT_PATH_BYTES ? value : NULL;
}

char *places_below (const char *base, const char *name)
{
  return str_format ("%s/%s", strcmp (base, "/") == 0 ? "" : base, name);
}

char *places_state_of (uint32_t uid, const char *base)
{
  if (uid == 0)
    return strdup ("/run/tyrum-oci");
  return base ? places_below (base, "tyrum-oci") : str_format ("/tmp/tyrum-oci-%u", uid);
}

/* /run/user/UID is checked directly: hooks, and the users who look for their runs,
 * may lack XDG_RUNTIME_DIR. */
static bool is_own_directory (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && S_ISDIR (st.st_mode) && st.st_uid == geteuid ();
}

char *places_state (void)
{
  const char *base = places_variable ("XDG_RUNTIME_DIR");
  cleanup_free char *usual = NULL;
  uid_t uid;

  namespace_is_users (&uid);
  usual = str_format ("/run/user/%u", uid);
  if (base == NULL && usual != NULL && is_own_directory (usual))
    base = usual;
  return places_state_of (uid, base);
}

char *places_daemon_socket (void)
{
  cleanup_free char *state = places_state ();

  return state ? str_format ("%s/daemon.socket", state) : NULL;
}
