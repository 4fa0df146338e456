/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs before everything else in the program, libcrun's own constructor included.
 *
 * libcrun makes sure that the program runs from a file that nobody can write to, and executes a copy of it if
 * not (base-sealed.h says why). As root its way to the copy is a mount on a file in /tmp, which the whole
 * host sees, and which stays there when the program is killed in between. So this file does it first, from a
 * sealed memory file, which libcrun looks for and accepts.
 *
 * Must never: get in the way. Whatever fails here is left to libcrun, whose check stays in place.
 */
#include <config.h>

#include <fcntl.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-sealed.h"

/* The C library hands the arguments of main to constructors; those with a number run before those without. */
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
