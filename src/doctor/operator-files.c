/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second point: files of the host, of another run, and secrets.
 *
 * Each file that must not be read contains a random marker. However a script reads the file, the marker in
 * its output shows that it could. A file that must be readable is read by the same script.
 */
#include <config.h>

#include "doctor-operator-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARKER_SIZE   24
#define HIDDEN_MAX    16
#define NEIGHBOUR_MS  20000
#define NEIGHBOUR_END 15000

static int draw_marker (char marker[MARKER_SIZE], struct error *err)
{
  uint64_t number;

  if (getrandom (&number, sizeof (number), 0) != (ssize_t) sizeof (number))
    return error_set_errno (err, errno, "cannot get a random number");
  snprintf (marker, MARKER_SIZE, "marker-%016" PRIx64, number);
  return 0;
}

/* A file with a marker of its own. */
struct marked {
  char marker[MARKER_SIZE];
  char *path;
};

static void marked_clear (struct marked *marked)
{
  free (marked->path);
}
#define cleanup_marked cleanup (marked_clear)

static int mark (const struct checklist *list, const char *name, mode_t mode, struct marked *marked,
                 struct error *err)
{
  int r = draw_marker (marked->marker, err);

  return r < 0 ? r : scratch_file (&list->probe.scratch, name, marked->marker, mode, &marked->path, err);
}

static const char read_script[] = "for f; do cat -- \"$f\"; echo; done 2>/dev/null; :";

/* Checks whether the marker was, or was not, printed. */
static void judge (struct checklist *list, const char *what, bool must_work, const struct trial *trial,
                   const char *marker)
{
  bool printed = strstr (trial->text, marker) != NULL;

  if (!trial->started)
    checklist_add (list, POINT_FILES, what, must_work, OUTCOME_OPEN, strdup (trial->text));
  else
    checklist_add (list, POINT_FILES, what, must_work, printed == must_work ? OUTCOME_RIGHT : OUTCOME_WRONG,
                   strdup (printed ? "it was read" : "it could not be read"));
}

static int try_host (struct checklist *list, struct error *err)
{
  cleanup_marked struct marked own = { 0 }, other = { 0 }, secret = { 0 };
  cleanup_trial struct trial trial = { 0 };
  cleanup_free char *through = NULL;
  int r = mark (list, "tried/own.txt", 0644, &own, err);

  if (r == 0)
    r = mark (list, "host.txt", 0644, &other, err);
  if (r == 0)
    r = mark (list, "secret.key", 0600, &secret, err);
  if (r < 0)
    return r;
  through = str_format ("/proc/1/root%s", other.path);
  if (through == NULL)
    return error_oom (err);
  {
    const char *const files[] = { "/workspace/own.txt",
                                  other.path,
                                  through,
                                  "/workspace/../host.txt",
                                  "/proc/self/cwd/../host.txt",
                                  secret.path,
                                  "/workspace/../secret.key",
                                  "/proc/1/cwd/../secret.key",
                                  NULL };

    r = checklist_try (list, read_script, files, &trial, err);
  }
  if (r < 0)
    return r;
  if (list->first.plan->settings.values[SETTING_WORKSPACE].level == WORKSPACE_NONE)
    checklist_add (list, POINT_FILES, "read a file of the workspace", true, OUTCOME_OPEN,
                   strdup ("the profile has no workspace, so there is no readable file to compare with"));
  else
    judge (list, "read a file of the workspace", true, &trial, own.marker);
  judge (list, "read a file of the host", false, &trial, other.marker);
  judge (list, "read the operator's key beside the workspace", false, &trial, secret.marker);
  return 0;
}

/* ---- Files that the profile hides. */

static int try_hidden (struct checklist *list, struct error *err)
{
  const struct strlist *hide = &list->first.plan->settings.values[SETTING_HIDE].set;
  const char *files[HIDDEN_MAX + 1] = { NULL };
  char *paths[HIDDEN_MAX] = { NULL };
  struct marked marks[HIDDEN_MAX] = { 0 };
  cleanup_trial struct trial trial = { 0 };
  size_t count = 0;
  int r = 0;

  for (size_t i = 0; i < hide->count && count < HIDDEN_MAX && r == 0; i++) {
    cleanup_free char *name = str_format ("tried/%s", hide->items[i]);

    /* Only files directly in the workspace can be created here. */
    if (strchr (hide->items[i], '/') != NULL)
      continue;
    paths[count] = str_format ("/workspace/%s", hide->items[i]);
    files[count] = paths[count];
    r = name && paths[count] ? mark (list, name, 0644, &marks[count], err) : error_oom (err);
    count++;
  }
  if (r == 0 && count > 0)
    r = checklist_try (list, read_script, files, &trial, err);
  for (size_t i = 0; i < count; i++) {
    if (r == 0)
      judge (list, "read a file of the workspace that the profile hides", false, &trial, marks[i].marker);
    free (paths[i]);
    marked_clear (&marks[i]);
  }
  return r;
}

/* ---- Another run. */

/* Keeps running with a file in each of its private directories, and shows that it can read it. */
static const char neighbour_script[] = "cat /workspace/mine.txt; cp /workspace/mine.txt /tmp/mine.txt; cp "
                                       "/workspace/mine.txt /dev/shm/mine.txt; "
                                       "echo; echo up; sleep 60";

static const char visit_script[] = "for f in \"$1\" /tmp/mine.txt /dev/shm/mine.txt "
                                   "/proc/[0-9]*/root/tmp/mine.txt /proc/[0-9]*/cwd/mine.txt; do "
                                   "cat -- \"$f\"; done 2>/dev/null; :";

struct neighbour {
  int pidfd, out;
  char text[TRIAL_BYTES];
};

static void __attribute__ ((noreturn)) run_neighbour (struct checklist *list, const char *workspace, int out)
{
  static const char *const argv[] = { "sh", "-c", neighbour_script, NULL };
  struct output dropped = { 0 };
  struct session_outcome run = { 0 };
  struct error ignored = { 0 };

  list->probe.request.workspace_instead = workspace;
  _exit (probe_launch (&list->probe, argv, out, &run, &dropped, &ignored) < 0);
}

/* Waits until it prints that it is up, ends, or takes too long. */
static void await_neighbour (struct neighbour *neighbour)
{
  size_t len = 0;

  while (len + 1 < sizeof (neighbour->text) && strstr (neighbour->text, "\nup\n") == NULL) {
    struct pollfd ready = { neighbour->out, POLLIN, 0 };
    ssize_t n = poll (&ready, 1, NEIGHBOUR_MS) > 0
                    ? read (neighbour->out, neighbour->text + len, sizeof (neighbour->text) - 1 - len)
                    : 0;

    if (n <= 0)
      return;
    len += (size_t) n;
    neighbour->text[len] = '\0';
  }
}

static int start_neighbour (struct checklist *list, struct neighbour *neighbour, const char *workspace,
                            struct error *err)
{
  int ends[2];
  pid_t pid;

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return error_set_errno (err, errno, "cannot create a pipe");
  pid = fork ();
  if (pid == 0)
    run_neighbour (list, workspace, ends[1]);
  close (ends[1]);
  neighbour->out = ends[0];
  if (pid < 0)
    return error_set_errno (err, errno, "cannot start another run");
  neighbour->pidfd = (int) syscall (SYS_pidfd_open, pid, 0);
  await_neighbour (neighbour);
  return 0;
}

static void stop_neighbour (struct neighbour *neighbour)
{
  struct pollfd gone = { neighbour->pidfd, POLLIN, 0 };

  if (neighbour->pidfd >= 0 && syscall (SYS_pidfd_send_signal, neighbour->pidfd, SIGTERM, NULL, 0) == 0)
    poll (&gone, 1, NEIGHBOUR_END);
  /* The child may already have been reaped by another run of this process. */
  if (neighbour->pidfd >= 0 && waitid (P_PIDFD, (id_t) neighbour->pidfd, NULL, WEXITED | WNOHANG) < 0)
    errno = 0;
  close_p (&neighbour->pidfd);
  close_p (&neighbour->out);
}

static int try_neighbour (struct checklist *list, struct error *err)
{
  cleanup (stop_neighbour) struct neighbour neighbour = { .pidfd = -1, .out = -1 };
  cleanup_marked struct marked mine = { 0 };
  cleanup_trial struct trial trial = { 0 };
  cleanup_free char *workspace = NULL;
  int r = scratch_directory (&list->probe.scratch, "neighbour", &workspace, err);

  if (r == 0)
    r = mark (list, "neighbour/mine.txt", 0644, &mine, err);
  if (r == 0)
    r = start_neighbour (list, &neighbour, workspace, err);
  if (r == 0)
    r = checklist_try (list, visit_script, (const char *const[]){ mine.path, NULL }, &trial, err);
  if (r < 0)
    return r;
  checklist_add (
      list, POINT_FILES, "read, in another run at the same time, that run's own file", true,
      strstr (neighbour.text, mine.marker) != NULL ? OUTCOME_RIGHT : OUTCOME_OPEN,
      strdup (strstr (neighbour.text, mine.marker) != NULL ? "it was read" : "the other run did not start"));
  judge (list, "read a file of the other run while it lives", false, &trial, mine.marker);
  return 0;
}

int checklist_files (struct checklist *list, struct error *err)
{
  int r = try_host (list, err);

  if (r == 0)
    r = try_hidden (list, err);
  return r < 0 ? r : try_neighbour (list, err);
}
