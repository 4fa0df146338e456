/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own-root COMMAND...: executes it as on a host where this is run in a chroot.
 *
 * In a chroot the kernel makes no user namespace, and the mount namespaces that live tests make would lead
 * out of it. contrib/test runs its stages through this, so that they pass in a builder's chroot as well. It
 * does nothing where there is no chroot.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "mount-chroot.h"

int main (int argc, char **argv)
{
  cleanup_error struct error err = { 0 };

  if (argc < 2) {
    fprintf (stderr, "usage: own-root COMMAND...\n");
    return 2;
  }
  if (chroot_settle (&err) < 0) {
    fprintf (stderr, "own-root: %s\n", error_text (&err));
    return 125;
  }
  execvp (argv[1], argv + 1);
  fprintf (stderr, "own-root: execute '%s': %s\n", argv[1], strerror (errno));
  return 127;
}
