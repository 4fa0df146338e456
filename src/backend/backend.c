#include <config.h>

#include "backend-backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend-internal.h"
#include "base-path.h"

const struct backend_ops *backend_ops (enum backend backend)
{
  static const struct backend_ops *const table[] = {
    [BACKEND_LIBCRUN] = &backend_libcrun, [BACKEND_OCI_CRUN] = &backend_crun,
    [BACKEND_OCI_RUNC] = &backend_runc,   [BACKEND_OCI_RUNSC] = &backend_runsc,
    [BACKEND_OCI_OTHER] = &backend_other, [BACKEND_COUNT] = NULL,
  };

  return table[backend];
}

int backend_find_program (const char *name, char **ret_path, struct error *err)
{
  static const char *const directories[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                                             "/usr/bin",        "/sbin",          "/bin" };

  if (strchr (name, '/') != NULL) {
    if (!path_is_normal (name) || access (name, X_OK) < 0)
      return error_set (err, -ENOENT, "--runtime: '%s' is not the absolute path of a program", name);
    *ret_path = strdup (name);
    return *ret_path ? 0 : error_oom (err);
  }
  for (size_t i = 0; i < ARRAY_LEN (directories); i++) {
    cleanup_free char *path = str_format ("%s/%s", directories[i], name);

    if (path == NULL)
      return error_oom (err);
    if (access (path, X_OK) == 0) {
      *ret_path = take_ptr (path);
      return 0;
    }
  }
  return error_set (err, -ENOENT,
                    "--runtime: there is no program '%s' in /usr/local/sbin, /usr/local/bin, /usr/sbin, "
                    "/usr/bin, /sbin or /bin; install it or give its path",
                    name);
}
