/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every contender of the benchmark launches: says that it ran, and ends; with an argument it stays
 * instead.
 *
 * It is static and does nothing else, so what is measured is the launch and not the command.
 */
#include <unistd.h>

int main (int argc, char **argv)
{
  static const char word[] = "ran\n";

  (void) argv;
  if (write (STDOUT_FILENO, word, sizeof word - 1) != (ssize_t) sizeof word - 1)
    return 1;
  while (argc > 1)
    (void) pause ();
  return 0;
}
