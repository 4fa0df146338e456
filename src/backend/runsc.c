/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runsc: gVisor, by its command line. Containers have a kernel of their own. */
#include <config.h>

#include "backend-oci.h"
#include "render-oci.h"

/* Without this, gVisor would set up interfaces of its own; a run without network has only loopback. */
static int runsc_argv (const struct runtime_call *call, enum runtime_step step, struct strlist *ret_argv,
                       struct error *err)
{
  const char *const without[] = { "--network", "none", "--ignore-cgroups", NULL };
  const char *const with[] = { "--network", "none", NULL };

  return oci_argv_with (call, step, call->cgroup ? with : without, ret_argv, err);
}

static const struct enforcement_row rows[] = {
  { CONTROL_ISOLATION_TYPE, -1, ENFORCEMENT_ENFORCED, true, "container on a kernel of gVisor's own" },
  { CONTROL_USER_NAMESPACE, -1, ENFORCEMENT_WEAKER, true,
    "nothing shows the mapping, inside or outside; and with a read-only root runsc cannot create the "
    "container" },
  { CONTROL_SECCOMP, -1, ENFORCEMENT_IMPOSSIBLE, true,
    "runsc ignores the OCI filter by default and shows Seccomp: 0 inside" },
  { CONTROL_APPARMOR, -1, ENFORCEMENT_IMPOSSIBLE, true, "runsc ignores AppArmor profiles" },
  { CONTROL_TOOLS, -1, ENFORCEMENT_IMPOSSIBLE, true, "gVisor's kernel has no Landlock" },
  { CONTROL_WORKSPACE_BOUNDED, -1, ENFORCEMENT_WEAKER, true,
    "bind mounts that cannot be observed, as gVisor shows other inodes; ids are not mapped, so the workspace "
    "has to be the command's own to be written" },
  { CONTROL_PATHS_MASKED, -1, ENFORCEMENT_WEAKER, true,
    "gVisor has a /proc of its own without most of these paths" },
  { CONTROL_PATHS_HIDDEN, -1, ENFORCEMENT_IMPOSSIBLE, true,
    "runsc covers nothing in a bind mount: the file can be read" },
  { CONTROL_DEVICES_MINIMAL, -1, ENFORCEMENT_WEAKER, true,
    "gVisor adds fuse and tun devices of its own kernel" },
  { CONTROL_MOUNTS_NOSUID_NODEV, -1, ENFORCEMENT_WEAKER, true,
    "gVisor's mount table shows neither flag; no_new_privileges stands in" },
  { CONTROL_NAMESPACE_CGROUP, -1, ENFORCEMENT_WEAKER, false,
    "gVisor emulates cgroups and has no namespace for them" },
  { CONTROL_LIMITS_PIDS, -1, ENFORCEMENT_WEAKER, true,
    "the host counts the sandbox's own threads; processes on gVisor's kernel are not bounded by number" },
  { .reason = NULL },
};

static const struct backend_difference differences[] = {
  { "exit.signal",
    "only the exit code comes out of the sandbox: 128 and the signal's number, and the signal is not told by "
    "itself" },
  { "usage.oom_kills",
    "gVisor is one process to the kernel: its memory limit ends the sandbox as a whole, and counts nothing" },
  { "cgroup.view",
    "nothing is in /sys/fs/cgroup: gVisor shows the memory limit as all the memory there is, in "
    "/proc/meminfo" },
  { "terminal",
    "its standard streams carry init's first words, so there is none to make a terminal of, and --tty is "
    "refused" },
  { "workspace.owner",
    "ids are not mapped: the command needs a workspace that is its own, and files that it makes are its "
    "own" },
  { "hardened",
    "runsc cannot create a container that has a read-only root and a user namespace: the profile does not "
    "start" },
  { "throughput", "copying through a kernel of its own is many times slower" },
  { "sigpipe", "a write whose reader has gone fails with EPIPE, and brings no signal" },
  { "client.killed", "the sandbox outlives a client that is killed, until gc or the next run" },
  { NULL, NULL },
};

static const struct runtime_program program = {
  .transport = INIT_OVER_STDIO,
  .find = oci_find,
  .argv = runsc_argv,
  .failure = oci_failure,
};

const struct backend backend_runsc = {
  OCI_RUNTIME,        .name = "oci:runsc", .rows = rows, .observed = true, .differences = differences,
  .own_kernel = true, .program = &program,
};
