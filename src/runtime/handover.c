#include <config.h>

#include "runtime-handover.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"

static const char *const usual[] = { "/usr/bin/crun", "/usr/sbin/runc", "/usr/bin/runc",
                                     "/usr/local/bin/crun", "/usr/local/bin/runc" };

int handover_find (const struct configuration *configuration, char **ret_path, struct error *err)
{
  const char *path = configuration->engines_runtime;

  for (size_t i = 0; path == NULL && i < ARRAY_LEN (usual); i++)
    if (access (usual[i], X_OK) == 0)
      path = usual[i];
  if (path == NULL)
    return error_set (err, -ENOENT,
                      "there is no crun or runc here; name one as engines.runtime in the configuration");
  *ret_path = strdup (path);
  return *ret_path ? 0 : error_oom (err);
}

/* crun 1.8.1 passes on what its caller left open. Sockets that systemd handed to the engine are no business
 * of a container's. */
static void close_all (void)
{
  if (syscall (SYS_close_range, 3u, UINT_MAX, CLOSE_RANGE_CLOEXEC) < 0)
    for (int fd = 3; fd < 1024; fd++)
      fcntl (fd, F_SETFD, FD_CLOEXEC);
  unsetenv ("LISTEN_FDS");
  unsetenv ("LISTEN_PID");
  unsetenv ("LISTEN_FDNAMES");
}

int handover_exec (const char *path, char *const *words, struct error *err)
{
  cleanup_free char **argv = NULL;
  size_t count = 0;

  while (words[count] != NULL)
    count++;
  argv = calloc (count + 2, sizeof (*argv));
  if (argv == NULL)
    return error_oom (err);
  memcpy (&argv[0], &path, sizeof (path));
  memcpy (argv + 1, words, count * sizeof (*argv));
  close_all ();
  execv (path, argv);
  return error_set_errno (err, errno, "execute '%s'", path);
}

int handover_wait (const char *path, char *const *words, int stdout_fd, int *ret_status, struct error *err)
{
  pid_t child = fork ();
  int status;

  if (child < 0)
    return error_set_errno (err, errno, "start '%s'", path);
  if (child == 0) {
    if (stdout_fd >= 0 && dup2 (stdout_fd, STDOUT_FILENO) < 0)
      _exit (125);
    handover_exec (path, words, NULL);
    _exit (127);
  }
  while (waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      return error_set_errno (err, errno, "wait for '%s'", path);
  *ret_status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  return 0;
}

char *handover_init (struct error *err)
{
  const char *folder = secure_getenv ("TYRUM_OCI_LIBEXECDIR");
  char *path = str_format ("%s/tyrum-oci-init", folder && folder[0] != '\0' ? folder : TYRUM_OCI_LIBEXECDIR);

  if (path == NULL)
    error_oom (err);
  return path;
}

bool handover_shares_kernel (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash ? slash + 1 : path;

  return strcmp (name, "runsc") != 0 && !str_has_prefix (name, "kata");
}
