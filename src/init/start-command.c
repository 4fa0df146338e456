/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-start-command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "init-search.h"
#include "init-signals.h"
#include "init-tools.h"
#include "wire-init.h"

/* The kernel's range is -1000 to 1000; it kills the highest first. */
#define OOM_SCORE      500
#define OOM_SCORE_TEXT "500"

enum step {
  STEP_TERMINAL,
  STEP_CONFINE,
  STEP_EXEC,
};

/* What the pipe transports. */
struct report {
  int32_t step;
  int32_t errnum;
};

static bool score_is_below (const char *text, int wanted)
{
  int score = 0;

  if (*text == '-')
    return true;
  for (; *text >= '0' && *text <= '9' && score < wanted; text++)
    score = score * 10 + (*text - '0');
  return score < wanted;
}

/* Best effort: on failure the kernel chooses by itself. */
static void raise_oom_score (void)
{
  char text[16] = "";
  int fd = open ("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);

  if (fd < 0)
    return;
  if (read (fd, text, sizeof text - 1) > 0 && score_is_below (text, OOM_SCORE)) {
    ssize_t written = pwrite (fd, OOM_SCORE_TEXT, sizeof OOM_SCORE_TEXT - 1, 0);
    (void) written;
  }
  close (fd);
}

static _Noreturn void give_up (int pipe_fd, enum step step, int errnum)
{
  struct report report = { .step = step, .errnum = errnum };

  /* Less than PIPE_BUF into an empty pipe: never a partial write. */
  ssize_t written = write (pipe_fd, &report, sizeof report);
  (void) written;
  _exit (EXIT_NOT_RUN);
}

/* The child. Ends by executing the command, or by writing a report. */
static _Noreturn void become_command (const struct options *options, int pipe_fd)
{
  if (options_have_status (options))
    close (STATUS_FD);
  setsid ();
  if (options->tty && ioctl (STDIN_FILENO, TIOCSCTTY, 0) < 0)
    give_up (pipe_fd, STEP_TERMINAL, errno);

  /* The /proc files of a process that is not dumpable belong to root. This process no longer has anything of
   * init's, and exec sets the flag anyway. */
  prctl (PR_SET_DUMPABLE, 1, 0, 0, 0);
  raise_oom_score ();

  int confined = tools_confine ();
  if (confined < 0)
    give_up (pipe_fd, STEP_CONFINE, -confined);

  signals_default_all ();
  /* A signal that init has forwarded by now takes effect here, before the exec. */
  signals_unblock_all ();
  give_up (pipe_fd, STEP_EXEC, -search_exec (options->command));
}

/* An engine's readers get the end of file when the command has closed its streams: init must not keep them
 * open. The pipe ends when the program is executed; with a report in it the streams are needed for the
 * message. */
static void release_streams (const struct command *command)
{
  struct pollfd report = { .fd = command->report, .events = POLLIN };
  int null;

  if (poll (&report, 1, -1) < 0 || (report.revents & POLLIN) != 0)
    return;
  null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (null < 0 || dup2 (null, fd) < 0)
      close (fd);
  if (null > STDERR_FILENO)
    close (null);
}

int command_start (const struct options *options, struct command *ret_command, struct failure *failure)
{
  int ends[2];

  /* The terminal belongs to init's session, and can only belong to one. */
  if (options->tty)
    ioctl (STDIN_FILENO, TIOCNOTTY);
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return failure_set_errno (failure, errno, "cannot make a pipe for", options->command[0]);
  pid_t pid = fork ();
  if (pid < 0)
    return failure_set_errno (failure, errno, "cannot make a process for", options->command[0]);
  if (pid == 0)
    become_command (options, ends[1]);
  close (ends[1]);
  *ret_command = (struct command){ .pid = pid, .report = ends[0] };
  if (options->transport == TRANSPORT_CALL)
    release_streams (ret_command);
  return 0;
}

int command_exec_error (const struct command *command, int *ret_exec_err, struct failure *failure)
{
  struct report report;
  ssize_t got = read (command->report, &report, sizeof report);

  close (command->report);
  if (got == sizeof report && report.step == STEP_TERMINAL)
    return failure_set_errno (failure, report.errnum, "cannot give the terminal to the command", NULL);
  if (got == sizeof report && report.step == STEP_CONFINE)
    return failure_set_errno (failure, report.errnum, "cannot restrict what the command may execute", NULL);
  *ret_exec_err = got == sizeof report ? report.errnum : 0;
  return 0;
}
