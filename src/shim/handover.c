/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-handover.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "base-limits.h"
#include "base-number.h"
#include "base-str.h"
#include "cgroup-view.h"
#include "host-facts.h"
#include "restrict-restrict.h"

#define RUNTIME_DIR "XDG_RUNTIME_DIR"

#define LIMIT_ANSWER_BYTES ((size_t) 64 * 1024)

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
  /* Runtimes bind its directory into the container. */
  unsetenv ("NOTIFY_SOCKET");
}

/* Signals that we read from a descriptor are blocked here, and must not be in the runtime. */
static void unblock_signals (void)
{
  sigset_t none;

  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

/* Every verb looks at the cgroups. Only the mounts below /sys/fs/cgroup are cut off from the host: what a
 * hook of the engine's mounts or unmounts in start and delete has to arrive there. */
static int show_cgroups (struct error *err)
{
  enum cgroup_mode mode;
  int r = host_look_cgroup_mode (&mode, err);

  if (r < 0 || mode != CGROUP_HYBRID)
    return r;
  if (unshare (CLONE_NEWNS) < 0)
    return error_set_errno (err, errno, "make a mount namespace");
  if (mount (NULL, "/sys/fs/cgroup", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
    return error_set_errno (err, errno, "keep the view of the cgroups from the host");
  return cgroup_view_show (false, err);
}

int handover_exec (const char *path, char *const *words, struct error *err)
{
  cleanup_free char **argv = NULL;
  size_t count = 0;
  int r = show_cgroups (err);

  if (r < 0)
    return r;
  while (words[count] != NULL)
    count++;
  argv = calloc (count + 2, sizeof (*argv));
  if (argv == NULL)
    return error_oom (err);
  memcpy (&argv[0], &path, sizeof (path));
  memcpy (argv + 1, words, count * sizeof (*argv));
  close_all ();
  unblock_signals ();
  execv (path, argv);
  return error_set_errno (err, errno, "execute '%s'", path);
}

static int use_runtime_dir (const char *directory)
{
  if (directory == NULL)
    return 0;
  return directory[0] != '\0' ? setenv (RUNTIME_DIR, directory, 1) : unsetenv (RUNTIME_DIR);
}

static int wait_for (const char *path, char *const *words, const char *runtime_dir, int stdout_fd,
                     int stderr_fd, int *ret_status, struct error *err)
{
  cleanup_error struct error why = { 0 };
  pid_t child = fork ();
  int status;

  if (child < 0)
    return error_set_errno (err, errno, "start '%s'", path);
  if (child == 0) {
    if (use_runtime_dir (runtime_dir) < 0 || (stdout_fd >= 0 && dup2 (stdout_fd, STDOUT_FILENO) < 0)
        || (stderr_fd >= 0 && dup2 (stderr_fd, STDERR_FILENO) < 0))
      _exit (EXIT_NOT_RUN);
    handover_exec (path, words, &why);
    dprintf (STDERR_FILENO, "%s\n", error_text (&why));
    _exit (127);
  }
  while (waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      return error_set_errno (err, errno, "wait for '%s'", path);
  *ret_status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  return 0;
}

int handover_wait (const char *path, char *const *words, int stdout_fd, int *ret_status, struct error *err)
{
  return wait_for (path, words, NULL, stdout_fd, -1, ret_status, err);
}

int handover_ask (const char *path, char *const *words, const char *runtime_dir, int stdout_fd,
                  int *ret_status, struct error *err)
{
  cleanup_close int nowhere = open ("/dev/null", O_WRONLY | O_CLOEXEC);

  if (nowhere < 0)
    return error_set_errno (err, errno, "open '/dev/null'");
  return wait_for (path, words, runtime_dir, stdout_fd >= 0 ? stdout_fd : nowhere, nowhere, ret_status, err);
}

static bool parse_state (const char *text, size_t len, struct low_level_state *ret_state)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_json struct json_node *state = NULL;
  const struct json_node *status, *pid;
  uint64_t number = 0;

  if (spec_read ("state", text, len, &state, &ignored) < 0)
    return false;
  status = json_get (state, "status");
  pid = json_get (state, "pid");
  if (status == NULL || status->type != JSON_STRING)
    return false;
  if (pid != NULL && pid->type == JSON_NUMBER && number_parse (pid->text, LIMIT_PIDS_MAX, &number))
    ret_state->pid = (pid_t) number;
  snprintf (ret_state->status, sizeof (ret_state->status), "%s", status->text);
  return true;
}

enum low_level_answer handover_state (const char *path, char *const *words, const char *runtime_dir,
                                      struct low_level_state *ret_state)
{
  cleanup_close int said = memfd_create ("state", MFD_CLOEXEC);
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *text = malloc (LIMIT_ANSWER_BYTES);
  int status = 0;
  ssize_t n;

  *ret_state = (struct low_level_state){ 0 };
  if (said < 0 || text == NULL || handover_ask (path, words, runtime_dir, said, &status, &ignored) < 0
      || status >= EXIT_NOT_RUN) /* it was not executed, or a signal ended it */
    return LOW_LEVEL_UNSURE;
  if (status != 0)
    return LOW_LEVEL_GONE;
  n = pread (said, text, LIMIT_ANSWER_BYTES, 0);
  return n > 0 && parse_state (text, (size_t) n, ret_state) ? LOW_LEVEL_KNOWN : LOW_LEVEL_UNSURE;
}

char *handover_init (struct error *err)
{
  const char *directory = secure_getenv ("TYRUM_OCI_LIBEXECDIR");
  char *path =
      str_format ("%s/tyrum-oci-init", directory && directory[0] != '\0' ? directory : TYRUM_OCI_LIBEXECDIR);

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
