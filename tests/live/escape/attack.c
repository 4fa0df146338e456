/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known escapes, tried for real from inside.
 *
 *   attack [NAME=VALUE...] [ATTACK...]     runs all attacks, or those that are named; a line each: NAME, a
 *                                          tab, how it ended
 *   attack --list                          their names
 *   attack --unused-mode PATH              no attack: opens PATH for reading, with setuid bits where the
 *                                          mode would be
 *   attack --swap A B COUNT MICROSECONDS   exchanges two paths as often as that (for the test, outside)
 *   attack --fill DIRECTORY COUNT             makes COUNT empty files, a thousand to a directory (for the
 * test, outside)
 *
 * "held: WHAT: ERRNO" or "held: SIGNAL" is how it should be, "ESCAPED: ..." how it should not, "absent: ..."
 * says that this kernel does not have what the attack needs. What the test tells: secret=TEXT, the content of
 * a file of the host; canary=PATH, where that is; socket=NAME, an abstract socket of the host; mark=TEXT, the
 * last bytes of programs that may be overwritten.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define SECONDS 10

static const struct attack {
  const char *name;
  void (*run) (void);
} attacks[] = {
  { "leaked-descriptor", attack_descriptors },
  { "working-directory", attack_working_directory },
  { "host-file", attack_host_file },
  { "runtime-overwrite", attack_programs },
  { "masked-paths", attack_masked_paths },
  { "null-device", attack_null },
  { "console", attack_console },
  { "redirected-proc", attack_proc },
  { "release-agent", attack_release_agent },
  { "cgroup-mount", attack_cgroup_mount },
  { "inheritable-capabilities", attack_inheritable },
  { "file-capabilities", attack_file_capabilities },
  { "core-pattern", attack_core_pattern },
  { "proc-writes", attack_proc_writes },
  { "sys-writes", attack_sys_writes },
  { "device-nodes", attack_device_nodes },
  { "devices", attack_devices },
  { "setuid", attack_setuid },
  { "make-setuid", attack_make_setuid },
  { "create-setuid", attack_create_setuid },
  { "tmpfile-setuid", attack_tmpfile_setuid },
  { "hard-links", attack_hard_links },
  { "tiocsti", attack_tiocsti },
  { "int80", attack_int80 },
  { "x32", attack_x32 },
  { "clone", attack_clone },
  { "clone3", attack_clone3 },
  { "unshare", attack_unshare },
  { "io_uring", attack_io_uring },
  { "keyctl", attack_keyctl },
  { "userfaultfd", attack_userfaultfd },
  { "af-alg", attack_alg },
  { "af-vsock", attack_vsock },
  { "af-packet", attack_packet },
  { "netlink-xfrm", attack_xfrm },
  { "abstract-socket", attack_abstract_socket },
};

#define COUNT (sizeof (attacks) / sizeof (attacks[0]))

static char **words;

const char *given (const char *name)
{
  size_t length = strlen (name);
  char **word;

  for (word = words; *word != NULL; word++)
    if (strncmp (*word, name, length) == 0 && (*word)[length] == '=')
      return *word + length + 1;
  return NULL;
}

int reads_secret (int directory, const char *path)
{
  const char *secret = given ("secret");
  char text[256] = "";
  int fd = openat (directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t got = fd >= 0 ? read (fd, text, sizeof (text) - 1) : -1;

  if (fd >= 0)
    close (fd);
  return got > 0 && secret != NULL && strstr (text, secret) != NULL;
}

void escaped (const char *format, ...)
{
  va_list arguments;

  printf ("ESCAPED: ");
  va_start (arguments, format);
  vprintf (format, arguments);
  va_end (arguments);
  fflush (stdout);
  _exit (0);
}

void held (const char *what)
{
  printf (errno != 0 ? "held: %s: %s" : "held: %s", what, strerror (errno));
  fflush (stdout);
  _exit (0);
}

void held_unless (int lacking, const char *what)
{
  if (errno != lacking)
    held (what);
  printf ("absent: %s: %s", what, strerror (errno));
  fflush (stdout);
  _exit (0);
}

/* In a process of its own, whose standard output is a pipe of ours. */
static void try (const struct attack *attack)
{
  char text[400] = "";
  size_t length = 0;
  ssize_t got;
  int ends[2], status;
  pid_t pid;

  printf ("%s\t", attack->name);
  fflush (stdout);
  if (pipe (ends) < 0 || (pid = fork ()) < 0) {
    printf ("not tried: %s\n", strerror (errno));
    return;
  }
  if (pid == 0) {
    alarm (SECONDS);
    dup2 (ends[1], STDOUT_FILENO);
    close (ends[0]);
    close (ends[1]);
    attack->run ();
    _exit (1);
  }
  close (ends[1]);
  while (length < sizeof (text) - 1 && (got = read (ends[0], text + length, sizeof (text) - 1 - length)) > 0)
    length += (size_t) got;
  close (ends[0]);
  if (waitpid (pid, &status, 0) < 0)
    status = 0;
  if (WIFSIGNALED (status) && WTERMSIG (status) == SIGSYS)
    printf ("held: SIGSYS\n");
  else if (WIFSIGNALED (status))
    printf ("not tried: signal %d\n", WTERMSIG (status));
  else
    printf ("%s\n", length > 0 ? text : "not tried: it says nothing");
  fflush (stdout);
}

static int swap (const char *a, const char *b, long count, useconds_t pause)
{
  while (count-- > 0) {
    if (syscall (SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2 /* RENAME_EXCHANGE */) < 0)
      return 1;
    usleep (pause);
  }
  return 0;
}

static int fill (const char *top, long count)
{
  char name[4096];
  long i;

  for (i = 0; i < count; i++) {
    if (i % 1000 == 0) {
      snprintf (name, sizeof (name), "%s/%ld", top, i / 1000);
      if (mkdir (name, 0755) < 0)
        return 1;
    }
    snprintf (name, sizeof (name), "%s/%ld/%ld", top, i / 1000, i % 1000);
    if (mknod (name, S_IFREG | 0644, 0) < 0)
      return 1;
  }
  return 0;
}

static int named (const char *name)
{
  int any = 0;
  char **word;

  for (word = words; *word != NULL; word++) {
    if (strcmp (*word, name) == 0)
      return 1;
    any |= strchr (*word, '=') == NULL;
  }
  return !any;
}

int main (int argc, char **argv)
{
  size_t i;

  words = argv + 1;
  if (argc == 2 && strcmp (argv[1], "--privileges") == 0)
    return tell_privileges ();
  if (argc == 3 && strcmp (argv[1], "--unused-mode") == 0)
    return open_unused_mode (argv[2]);
  if (argc == 6 && strcmp (argv[1], "--swap") == 0)
    return swap (argv[2], argv[3], atol (argv[4]), (useconds_t) atol (argv[5]));
  if (argc == 4 && strcmp (argv[1], "--fill") == 0)
    return fill (argv[2], atol (argv[3]));
  for (i = 0; i < COUNT; i++)
    if (argc == 2 && strcmp (argv[1], "--list") == 0)
      puts (attacks[i].name);
    else if (named (attacks[i].name))
      try (&attacks[i]);
  return 0;
}
