#include <config.h>

#include "control-difference.h"

#include "base-cleanup.h"
#include "control-enforcement.h"

#define ON(backend) (1u << (backend))
#define RUNSC       ON (BACKEND_OCI_RUNSC)
#define DOCKER      ON (BACKEND_DOCKER)

static const struct difference differences[] = {
  { "exit.signal", RUNSC,
    "only the exit code comes out of the sandbox: 128 and the signal's number, and the signal is not told by "
    "itself" },
  { "usage.oom_kills", RUNSC,
    "gVisor is one process to the kernel: its memory limit ends the sandbox as a whole, and counts nothing" },
  { "cgroup.view", RUNSC,
    "nothing is in /sys/fs/cgroup: gVisor shows the memory limit as all the memory there is, in "
    "/proc/meminfo" },
  { "terminal", RUNSC,
    "its standard streams carry init's first words, so there is none to make a terminal of, and --tty is "
    "refused" },
  { "workspace.owner", RUNSC | DOCKER,
    "ids are not mapped: the command needs a workspace that is its own, and files that it makes are its "
    "own" },
  { "hardened", RUNSC,
    "runsc cannot create a container that has a read-only root and a user namespace: the profile does not "
    "start" },
  { "throughput", RUNSC, "copying through a kernel of its own is many times slower" },
  { "sigpipe", RUNSC, "a write whose reader has gone fails with EPIPE, and brings no signal" },
  { "client.killed", RUNSC, "the sandbox outlives a client that is killed, until gc or the next run" },
  { "engine.restart", DOCKER,
    "a Docker that was killed ends the containers that it finds when it comes back, unless it has "
    "live-restore: the run then ends by that signal" },
};

bool difference_at (size_t index, struct difference *ret_difference)
{
  if (index >= ARRAY_LEN (differences))
    return false;
  *ret_difference = differences[index];
  return true;
}
