/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second point: files of the host, of another run, and secrets.
 *
 * Each file that must not be read holds a word of its own, drawn at random. Whatever way a script finds to
 * print a file, the word tells whether it did. Beside them stands a file that must be read by the same
 * script.
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

#define WORD_SIZE     24
#define HIDDEN_MAX    16
#define NEIGHBOUR_MS  20000
#define NEIGHBOUR_END 15000

static int draw_word (char word[WORD_SIZE], struct error *err)
{
  uint64_t number;

  if (getrandom (&number, sizeof (number), 0) != (ssize_t) sizeof (number))
    return error_set_errno (err, errno, "draw a number");
  snprintf (word, WORD_SIZE, "word-%016" PRIx64, number);
  return 0;
}

/* A file with a word of its own. */
struct marked {
  char word[WORD_SIZE];
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
  int r = draw_word (marked->word, err);

  return r < 0 ? r : scratch_file (&list->probe.scratch, name, marked->word, mode, &marked->path, err);
}

static const char read_script[] = "for f; do cat -- \"$f\"; echo; done 2>/dev/null; :";

/* The words that must be told, or must not. */
static void judge (struct checklist *list, const char *what, bool must_work, const struct trial *trial,
                   const char *word)
{
  bool told = strstr (trial->text, word) != NULL;

  if (!trial->started)
    checklist_add (list, POINT_FILES, what, must_work, OUTCOME_OPEN, strdup (trial->text));
  else
    checklist_add (list, POINT_FILES, what, must_work, told == must_work ? OUTCOME_RIGHT : OUTCOME_WRONG,
                   strdup (told ? "it was read" : "it could not be read"));
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
                   strdup ("the profile has no workspace, so no file stands beside"));
  else
    judge (list, "read a file of the workspace", true, &trial, own.word);
  judge (list, "read a file of the host", false, &trial, other.word);
  judge (list, "read the operator's key beside the workspace", false, &trial, secret.word);
  return 0;
}

/* ---- What the profile hides. */

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

    /* Only what lies in the workspace itself can be made here. */
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
      judge (list, "read a file of the workspace that the profile hides", false, &trial, marks[i].word);
    free (paths[i]);
    marked_clear (&marks[i]);
  }
  return r;
}

/* ---- Another run. */

/* Lives for a while with a file in each place that is its own, and says that it can read it. */
static const char neighbour_script[] = "cat /workspace/mine.txt; cp /workspace/mine.txt /tmp/mine.txt; cp "
                                       "/workspace/mine.txt /dev/shm/mine.txt; "
                                       "echo; echo up; sleep 60";

static const char visit_script[] = "for f in \"$1\" /tmp/mine.txt /dev/shm/mine.txt "
                                   "/proc/[0-9]*/root/tmp/mine.txt /proc/[0-9]*/cwd/mine.txt; do "
                                   "cat -- \"$f\"; done 2>/dev/null; :";

struct neighbour {
  int pidfd, out;
  char said[TRIAL_BYTES];
};

static void __attribute__ ((noreturn)) live (struct checklist *list, const char *workspace, int out)
{
  static const char *const words[] = { "sh", "-c", neighbour_script, NULL };
  struct output dropped = { 0 };
  struct session_outcome run = { 0 };
  struct error ignored = { 0 };

  list->probe.request.workspace_instead = workspace;
  _exit (probe_launch (&list->probe, words, out, &run, &dropped, &ignored) < 0);
}

/* Waits until it says that it is up, or ends, or takes too long. */
static void await (struct neighbour *neighbour)
{
  size_t len = 0;

  while (len + 1 < sizeof (neighbour->said) && strstr (neighbour->said, "\nup\n") == NULL) {
    struct pollfd ready = { neighbour->out, POLLIN, 0 };
    ssize_t n = poll (&ready, 1, NEIGHBOUR_MS) > 0
                    ? read (neighbour->out, neighbour->said + len, sizeof (neighbour->said) - 1 - len)
                    : 0;

    if (n <= 0)
      return;
    len += (size_t) n;
    neighbour->said[len] = '\0';
  }
}

static int move_in (struct checklist *list, struct neighbour *neighbour, const char *workspace,
                    struct error *err)
{
  int ends[2];
  pid_t pid;

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return error_set_errno (err, errno, "make a pipe");
  pid = fork ();
  if (pid == 0)
    live (list, workspace, ends[1]);
  close (ends[1]);
  neighbour->out = ends[0];
  if (pid < 0)
    return error_set_errno (err, errno, "start another run");
  neighbour->pidfd = (int) syscall (SYS_pidfd_open, pid, 0);
  await (neighbour);
  return 0;
}

static void move_out (struct neighbour *neighbour)
{
  struct pollfd gone = { neighbour->pidfd, POLLIN, 0 };

  if (neighbour->pidfd >= 0 && syscall (SYS_pidfd_send_signal, neighbour->pidfd, SIGTERM, NULL, 0) == 0)
    poll (&gone, 1, NEIGHBOUR_END);
  /* Whoever reaps first: a run of ours may have. */
  if (neighbour->pidfd >= 0 && waitid (P_PIDFD, (id_t) neighbour->pidfd, NULL, WEXITED | WNOHANG) < 0)
    errno = 0;
  close_p (&neighbour->pidfd);
  close_p (&neighbour->out);
}

static int try_neighbour (struct checklist *list, struct error *err)
{
  cleanup (move_out) struct neighbour neighbour = { .pidfd = -1, .out = -1 };
  cleanup_marked struct marked mine = { 0 };
  cleanup_trial struct trial trial = { 0 };
  cleanup_free char *workspace = NULL;
  int r = scratch_directory (&list->probe.scratch, "neighbour", &workspace, err);

  if (r == 0)
    r = mark (list, "neighbour/mine.txt", 0644, &mine, err);
  if (r == 0)
    r = move_in (list, &neighbour, workspace, err);
  if (r == 0)
    r = checklist_try (list, visit_script, (const char *const[]){ mine.path, NULL }, &trial, err);
  if (r < 0)
    return r;
  checklist_add (
      list, POINT_FILES, "read, in another run at the same time, that run's own file", true,
      strstr (neighbour.said, mine.word) != NULL ? OUTCOME_RIGHT : OUTCOME_OPEN,
      strdup (strstr (neighbour.said, mine.word) != NULL ? "it was read" : "the other run did not start"));
  judge (list, "read a file of the other run while it lives", false, &trial, mine.word);
  return 0;
}

int checklist_files (struct checklist *list, struct error *err)
{
  int r = try_host (list, err);

  if (r == 0)
    r = try_hidden (list, err);
  return r < 0 ? r : try_neighbour (list, err);
}
