/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-str.h"

#define STAT_MAX     ((size_t) 4096)
#define CHILDREN_MAX ((size_t) 64 * 1024)

/* In proc(5)'s count: the first after the name, and that of the start. */
#define FIRST_FIELD 3
#define START_FIELD 22

/* A runtime's own processes go three or four deep. */
#define DEPTH_MAX 8

static char *read_of (pid_t pid, const char *name, size_t max)
{
  cleanup_free char *path = str_format ("/proc/%d/%s", (int) pid, name);
  struct error ignored = { 0 };
  char *text = NULL;

  if (path == NULL || file_read (AT_FDCWD, path, max, &text, NULL, &ignored) < 0)
    text = NULL;
  error_clear (&ignored);
  return text;
}

char process_state (pid_t pid)
{
  cleanup_free char *text = read_of (pid, "stat", STAT_MAX);
  /* The name before it may hold anything. */
  const char *name_end = text ? strrchr (text, ')') : NULL;

  if (name_end == NULL || name_end[1] != ' ')
    return '\0';
  return name_end[2];
}

bool process_start (pid_t pid, uint64_t *ret_ticks)
{
  cleanup_free char *text = read_of (pid, "stat", STAT_MAX);
  char *name_end = text ? strrchr (text, ')') : NULL, *rest = NULL;
  const char *word = name_end ? strtok_r (name_end + 1, " ", &rest) : NULL;

  if (word == NULL || word[0] == 'Z' || word[0] == 'X')
    return false;
  for (int field = FIRST_FIELD; word != NULL && field < START_FIELD; field++)
    word = strtok_r (NULL, " ", &rest);
  return word != NULL && number_parse (word, UINT64_MAX, ret_ticks);
}

bool process_has_ended (pid_t pid)
{
  siginfo_t info = { .si_pid = 0 };

  return waitid (P_PID, (id_t) pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == pid;
}

static bool has_dead_below (pid_t pid, unsigned depth)
{
  cleanup_free char *name = str_format ("task/%d/children", (int) pid);
  cleanup_free char *text = name ? read_of (pid, name, CHILDREN_MAX) : NULL;
  char *rest = NULL;

  for (const char *word = text ? strtok_r (text, " ", &rest) : NULL; word != NULL;
       word = strtok_r (NULL, " ", &rest)) {
    uint64_t child;

    if (number_parse (word, INT32_MAX, &child)
        && (process_state ((pid_t) child) == 'Z' || (depth > 1 && has_dead_below ((pid_t) child, depth - 1))))
      return true;
  }
  return false;
}

bool process_has_dead_below (pid_t pid)
{
  return has_dead_below (pid, DEPTH_MAX);
}

static bool is_among (pid_t pid, const pid_t *list, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (list[i] == pid)
      return true;
  return false;
}

/* One after the other, past those that are spared. */
static void reap_listed (const pid_t *spared, size_t count)
{
  cleanup_free char *name = str_format ("task/%d/children", (int) getpid ());
  cleanup_free char *text = name ? read_of (getpid (), name, CHILDREN_MAX) : NULL;
  char *rest = NULL;

  for (const char *word = text ? strtok_r (text, " ", &rest) : NULL; word != NULL;
       word = strtok_r (NULL, " ", &rest)) {
    uint64_t child;

    if (number_parse (word, INT32_MAX, &child) && !is_among ((pid_t) child, spared, count))
      waitpid ((pid_t) child, NULL, WNOHANG);
  }
}

void process_reap (const pid_t *spared, size_t count)
{
  for (;;) {
    siginfo_t info = { .si_pid = 0 };

    if (waitid (P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
      return;
    /* The kernel would tell of this one again and again. */
    if (is_among (info.si_pid, spared, count)) {
      reap_listed (spared, count);
      return;
    }
    waitpid (info.si_pid, NULL, 0);
  }
}

void process_pause_ms (unsigned ms)
{
  const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = (long) (ms % 1000) * 1000000 };

  nanosleep (&time, NULL);
}
