/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs in a chroot.
 *
 * A process in a chroot has a root that is not its mount namespace's own. The kernel then makes no user
 * namespace for it, setns to a mount namespace leads out of the chroot, and where the root is a plain
 * directory the table of mounts has no line for what lies in it. Builders and continuous integration live
 * like that.
 *
 * chroot_settle gives this process, and what it starts, a mount namespace of which its root is the root.
 * From then on all is as on any host. The chroot itself and the host's mounts are not touched; what is
 * mounted outside later still arrives where mounts are shared. Nothing of the host's tree outside of the
 * chroot is left in the namespace.
 */
#pragma once

#include "base-error.h"

/* Does nothing where this process is in no chroot, or has not the privileges to tell. The working directory
 * stays. */
int chroot_settle (struct error *err);
