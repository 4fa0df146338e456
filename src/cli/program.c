/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "cli-program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base-error.h"
#include "base-exit-code.h"
#include "base-io-timeout.h"
#include "cli-verbs.h"
#include "options-output.h"

#define WIDTH_MIN 60u
#define WIDTH_MAX 160u

/* A file that is opened later must not become a standard stream. A closed stream is replaced by /dev/null,
 * opened in the wrong direction, so that using it still fails. */
static int hold_standard_streams (void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl (fd, F_GETFD) < 0 && errno == EBADF && open ("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
      return -1;
  return 0;
}

static void look_at_terminal (struct output *output)
{
  const char *no_colour = getenv ("NO_COLOR");
  struct winsize size;

  output->width = OUTPUT_WIDTH;
  if (!isatty (STDOUT_FILENO))
    return;
  output->colour = no_colour == NULL || no_colour[0] == '\0';
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    output->width = size.ws_col;
  if (output->width < WIDTH_MIN)
    output->width = WIDTH_MIN;
  if (output->width > WIDTH_MAX)
    output->width = WIDTH_MAX;
}

/* After a run, signals are still blocked; a reader that does not read must not keep this process alive. */
static int write_all (int fd, const struct strbuf *text)
{
  return io_timeout_write (fd, text->text, text->len, 0);
}

static int flush (struct output *output)
{
  int r = write_all (STDOUT_FILENO, &output->out);

  strbuf_clear (&output->out);
  return r;
}

/* A failure to write standard error cannot be reported anywhere. */
static void print_error (const char *prefix, const struct error *err)
{
  cleanup_strbuf struct strbuf line = { 0 };

  strbuf_addf (&line, "%s: ", prefix);
  text_clean (&line, error_text (err));
  strbuf_add (&line, "\n");
  if (line.failed)
    fprintf (stderr, "%s: out of memory\n", prefix);
  else
    (void) write_all (STDERR_FILENO, &line);
}

static void on_file_limit (int signal_number)
{
  (void) signal_number;
}

/* A file size limit of the caller is reported like any other write error. Not SIG_IGN, because executed
 * programs would inherit it. */
static void survive_file_limit (void)
{
  const struct sigaction action = { .sa_handler = on_file_limit, .sa_flags = SA_RESTART };

  sigaction (SIGXFSZ, &action, NULL);
}

int program_run (struct session_process *process, int argc, char **argv)
{
  cleanup_output struct output output = { 0 };
  cleanup_error struct error err = { 0 };
  const struct verb *verb = &verb_root;
  int r;

  if (hold_standard_streams () < 0) {
    fprintf (stderr, "tyrum-oci: cannot open '/dev/null' in place of a closed stream: %s\n",
             strerror (errno));
    return EXIT_NOT_RUN;
  }
  survive_file_limit ();
  look_at_terminal (&output);
  output.flush = flush;
  r = verb_dispatch (process, argv + (argc > 0), &verb, &output, &err);
  (void) write_all (STDERR_FILENO, &output.notes);
  if (r == 0) {
    r = write_all (STDOUT_FILENO, &output.out);
    if (r < 0)
      error_set_errno (&err, -r, "cannot write standard output");
  }
  if (r < 0)
    print_error (verb_prefix (verb, r), &err);
  return verb_status (verb, r, &output);
}
