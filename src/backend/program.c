/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "backend-program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "base-str.h"

/* How much of the first line is used, and how long a runtime may take for it. */
#define VERSION_BYTES ((size_t) 256)
#define VERSION_MS    5000

/* In the child: only the pipe is kept. */
static void __attribute__ ((noreturn)) exec_version (const char *program, int out)
{
  static char *const environment[] = { NULL };
  union {
    const char *in;
    char *out;
  } name = { program }, word = { "--version" };
  char *const argv[] = { name.out, word.out, NULL };
  int null = open ("/dev/null", O_RDWR);
  sigset_t none;

  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  if (null < 0 || dup2 (null, 0) < 0 || dup2 (out, 1) < 0 || dup2 (null, 2) < 0)
    _exit (127);
  execve (program, argv, environment);
  _exit (127);
}

/* Reads until a newline, the end, or VERSION_BYTES. */
static size_t read_line (int fd, char *text)
{
  size_t len = 0;

  while (len < VERSION_BYTES && memchr (text, '\n', len) == NULL) {
    struct pollfd ready = { fd, POLLIN, 0 };
    ssize_t n = poll (&ready, 1, VERSION_MS) > 0 ? read (fd, text + len, VERSION_BYTES - len) : 0;

    if (n <= 0)
      break;
    len += (size_t) n;
  }
  return len;
}

static bool is_plain (const char *text)
{
  for (; *text != '\0'; text++)
    if (*text < ' ' || *text > '~')
      return false;
  return true;
}

int program_version (const char *program, char **ret_version, struct error *err)
{
  char text[VERSION_BYTES + 1] = "";
  int ends[2];
  pid_t pid;

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return error_set_errno (err, errno, "make a pipe");
  pid = fork ();
  if (pid == 0)
    exec_version (program, ends[1]);
  close (ends[1]);
  if (pid > 0)
    text[read_line (ends[0], text)] = '\0';
  close (ends[0]);
  if (pid < 0)
    return error_set_errno (err, errno, "start '%s'", program);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  text[strcspn (text, "\n")] = '\0';
  if (text[0] == '\0' || !is_plain (text))
    return error_set (err, -ENODATA, "'%s' does not print its version", program);
  *ret_version = strdup (text);
  return *ret_version ? 0 : error_oom (err);
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
