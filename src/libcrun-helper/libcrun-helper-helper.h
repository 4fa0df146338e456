/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of tyrum-oci-libcrun-helper, for the daemon that stays: there a process that was forked for it becomes
 * this, instead of executing it. */
#pragma once

/* An exit status. The process is not to be used for anything else afterwards. */
int helper_main (int argc, char **argv);
