#include <config.h>

#include "backend-version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend-backend.h"
#include "backend-engine-backend.h"
#include "base-cleanup.h"
#include "base-str.h"
#include "engine-socket.h"

/* A runtime that says more, or later, says nothing. */
#define VERSION_BYTES ((size_t) 256)
#define VERSION_MS    5000

/* In the child: nothing of ours but the pipe. */
static void __attribute__ ((noreturn)) ask (const char *program, int out)
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

/* Reads until a newline, the end, or too much. */
static size_t hear (int fd, char *text)
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
    ask (program, ends[1]);
  close (ends[1]);
  if (pid > 0)
    text[hear (ends[0], text)] = '\0';
  close (ends[0]);
  if (pid < 0)
    return error_set_errno (err, errno, "start '%s'", program);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  text[strcspn (text, "\n")] = '\0';
  if (text[0] == '\0' || !is_plain (text))
    return error_set (err, -ENODATA, "'%s' does not tell its version", program);
  *ret_version = strdup (text);
  return *ret_version ? 0 : error_oom (err);
}

/* It is part of our own helper, so the build knows. */
static int libcrun_version (char **ret_text, struct error *err)
{
#ifdef LIBCRUN_VERSION
  *ret_text = strdup ("libcrun " LIBCRUN_VERSION);
  return *ret_text ? 0 : error_oom (err);
#else
  (void) ret_text;
  return error_set (err, -EOPNOTSUPP, "this version was built without libcrun");
#endif
}

static int find_engine (const struct backend_question *question, char **ret_text, struct error *err)
{
  struct engine_place place = engine_place_from_environment (question->backend, question->socket, geteuid ());
  cleanup_engine struct engine *engine = NULL;
  cleanup_free char *socket = NULL;
  cleanup_free char *version = NULL;
  int r = engine_socket_find (&place, &socket, err);

  if (r == 0)
    r = engine_open (question->backend, socket, &engine, err);
  if (r < 0)
    return r;
  version = engine_version (engine);
  *ret_text = version ? str_format ("%s%s%s (%s)", version, question->runtime ? ", runtime " : "",
                                    question->runtime ? question->runtime : "", socket)
                      : NULL;
  return *ret_text ? 0 : error_oom (err);
}

static int find_runtime (const struct backend_question *question, char **ret_text, struct error *err)
{
  const char *own =
      question->backend == BACKEND_OCI_OTHER ? "runc" : backend_name (question->backend) + strlen ("oci:");
  cleanup_free char *program = NULL;
  cleanup_free char *version = NULL;
  int r = backend_find_program (question->runtime ? question->runtime : own, &program, err);

  if (r == 0)
    r = program_version (program, &version, err);
  if (r < 0)
    return r;
  *ret_text = str_format ("%s (%s)", version, program);
  return *ret_text ? 0 : error_oom (err);
}

int backend_version (const struct backend_question *question, char **ret_text, struct error *err)
{
  switch (question->backend) {
  case BACKEND_LIBCRUN: return libcrun_version (ret_text, err);
  case BACKEND_DOCKER:
  case BACKEND_PODMAN: return find_engine (question, ret_text, err);
  default: return find_runtime (question, ret_text, err);
  }
}
