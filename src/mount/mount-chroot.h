/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs in a chroot, such as those of package builders and continuous integration.
 *
 * A process in a chroot has a root that is not its mount namespace's root. Then the kernel makes no user
 * namespace for it, setns to a mount namespace leaves the chroot, and if the root is a plain directory the
 * mount table has no line for it.
 *
 * chroot_settle gives this process and its children a mount namespace whose root is the chroot. After that
 * everything works as on any host. The chroot itself and the host's mounts are not changed; later mounts
 * outside still propagate into it where mounts are shared. The namespace holds nothing of the host's tree
 * outside of the chroot.
 */
#pragma once

#include "base-error.h"

/* Does nothing if this process is not in a chroot, or may not find out. The working directory stays. */
int chroot_settle (struct error *err);
