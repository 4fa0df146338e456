/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs before everything else in the program, libcrun's own constructor included.
 *
 * libcrun makes sure that the program runs from a file that cannot be written, and otherwise executes a copy
 * of it (base-sealed.h has the reason). As root it makes the copy with a mount on a file in /tmp, which is
 * visible on the whole host and stays there if the program is killed in between. So this file does it first,
 * from a sealed memory file, which libcrun recognizes and accepts.
 *
 * Must never: fail the program. After any error here, libcrun's own check still runs.
 */
#include <config.h>

#include <fcntl.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-sealed.h"

/* glibc passes the arguments of main to constructors; those with a priority run before those without. */
__attribute__ ((constructor (101))) static void run_from_sealed_copy (int argc, char **argv, char **envp)
{
  cleanup_close int program = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  cleanup_close int sealed = -1;

  (void) argc;
  if (program < 0 || sealed_is (program))
    return;
  sealed = sealed_copy (program);
  if (sealed >= 0)
    fexecve (sealed, argv, envp);
}
