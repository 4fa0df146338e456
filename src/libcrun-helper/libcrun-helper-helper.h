/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of tyrum-oci-libcrun-helper, for the daemon: a process that it forked calls this instead of executing
 * the program. */
#pragma once

/* Returns an exit status. The process must not be used for anything else afterwards. */
int helper_main (int argc, char **argv);
