#include <config.h>

#include "control-enforcement.h"

#include <errno.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-str.h"

static const char *const names[] = { "libcrun", "oci:crun", "oci:runc", "oci:runsc",
                                     "docker",  "podman",   "oci:other" };
_Static_assert(ARRAY_LEN (names) == BACKEND_COUNT, "name every backend");

#define ON(backend) (1u << (backend))
#define CRUN        (ON (BACKEND_LIBCRUN) | ON (BACKEND_OCI_CRUN))
#define RUNC        ON (BACKEND_OCI_RUNC)
#define RUNSC       ON (BACKEND_OCI_RUNSC)
#define DOCKER      ON (BACKEND_DOCKER)
#define PODMAN      ON (BACKEND_PODMAN)
#define OTHER       ON (BACKEND_OCI_OTHER)
#define ENGINES     (DOCKER | PODMAN)
#define DIRECT      (CRUN | RUNC | RUNSC | OTHER)
#define EVERY       (DIRECT | ENGINES)

/* Those that were observed; LINUX has the host's kernel. */
#define LINUX   (CRUN | RUNC | ENGINES)
#define TRIED   (LINUX | RUNSC)
#define NOWHERE 0

/* The first row that fits decides. A row with a level speaks about that value of the control's first
 * setting only; the rows without one are the matrix. */
struct row {
  enum control control;
  int value_level; /* -1: any value */
  unsigned backends;
  enum enforcement_level level;
  unsigned measured; /* bit per enum backend: it was seen there on running containers (matrix --observe;
                        AppArmor in the virtual machine of the tests) */
  const char *reason;
};

static const struct row rows[] = {
  { CONTROL_ISOLATION_TYPE, ISOLATION_VM, EVERY, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "no backend starts a virtual machine" },
  { CONTROL_ISOLATION_TYPE, ISOLATION_LOCAL, EVERY, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "no backend confines a plain subprocess; use container" },
  { CONTROL_ISOLATION_TYPE, ISOLATION_FIREJAIL, EVERY, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "no backend drives firejail; use container" },
  { CONTROL_ISOLATION_TYPE, -1, RUNSC, ENFORCEMENT_ENFORCED, RUNSC, "container on a kernel of gVisor's own" },
  { CONTROL_ISOLATION_TYPE, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "container on the host's kernel" },

  { CONTROL_USER_NON_ROOT, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "process.user, numeric" },

  { CONTROL_USER_NAMESPACE, -1, DOCKER, ENFORCEMENT_IMPOSSIBLE, DOCKER,
    "Docker has no mapping per container; it answers 201 to UsernsMode 'private' and gives none" },
  { CONTROL_USER_NAMESPACE, -1, PODMAN, ENFORCEMENT_ENFORCED, PODMAN, "userns private with idmappings" },
  { CONTROL_USER_NAMESPACE, -1, RUNSC, ENFORCEMENT_WEAKER, RUNSC,
    "nothing shows the mapping, inside or outside; and with a read-only root runsc cannot create the "
    "container" },
  { CONTROL_USER_NAMESPACE, -1, EVERY, ENFORCEMENT_ENFORCED, LINUX, "uidMappings and gidMappings" },

  { CONTROL_CAPABILITIES, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "all five sets in the specification" },
  { CONTROL_NO_NEW_PRIVILEGES, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "noNewPrivileges" },

  { CONTROL_SECCOMP, -1, RUNSC, ENFORCEMENT_IMPOSSIBLE, RUNSC,
    "runsc ignores the OCI filter by default and shows Seccomp: 0 inside" },
  { CONTROL_SECCOMP, -1, PODMAN, ENFORCEMENT_ENFORCED, PODMAN,
    "a file of the run's that the service reads, as Podman takes no filter inline" },
  { CONTROL_SECCOMP, -1, DOCKER, ENFORCEMENT_ENFORCED, DOCKER, "inline filter in SecurityOpt" },
  { CONTROL_SECCOMP, -1, CRUN | RUNC, ENFORCEMENT_ENFORCED, CRUN | RUNC,
    "linux.seccomp, native interface only" },
  { CONTROL_SECCOMP, -1, OTHER, ENFORCEMENT_ENFORCED, NOWHERE, "linux.seccomp" },

  { CONTROL_APPARMOR, -1, RUNSC, ENFORCEMENT_IMPOSSIBLE, RUNSC, "runsc ignores AppArmor profiles" },
  { CONTROL_APPARMOR, -1, DOCKER, ENFORCEMENT_WEAKER, DOCKER,
    "Docker starts unconfined without a word when the host has no AppArmor" },
  { CONTROL_APPARMOR, -1, PODMAN, ENFORCEMENT_ENFORCED, PODMAN,
    "Podman refuses when the host has no AppArmor" },
  { CONTROL_APPARMOR, -1, EVERY, ENFORCEMENT_ENFORCED, CRUN | RUNC,
    "apparmorProfile, where the host has it" },

  { CONTROL_TOOLS, -1, RUNSC, ENFORCEMENT_IMPOSSIBLE, RUNSC, "gVisor's kernel has no Landlock" },
  { CONTROL_TOOLS, -1, ENGINES, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "not tried behind an engine: its default filter may refuse Landlock, and a file in memory has no path" },
  { CONTROL_TOOLS, -1, EVERY, ENFORCEMENT_ENFORCED, CRUN | RUNC, "Landlock, put in force by our init" },

  { CONTROL_FDS_CLOSED, -1, CRUN, ENFORCEMENT_ENFORCED, CRUN,
    "closed by us before crun starts, as crun 1.8.1 passes on what its caller left open" },
  { CONTROL_FDS_CLOSED, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "runtimes close what they were not given" },

  { CONTROL_ROOT_READ_ONLY, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "root.readonly" },

  { CONTROL_WORKSPACE_BOUNDED, WORKSPACE_COPY_ON_WRITE, EVERY, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "no backend keeps workspace changes apart; use read-only or read-write" },
  { CONTROL_WORKSPACE_BOUNDED, -1, RUNSC, ENFORCEMENT_WEAKER, RUNSC,
    "bind mounts that cannot be observed, as gVisor shows other inodes; ids are not mapped, so the workspace "
    "has to be the command's own to be written" },
  { CONTROL_WORKSPACE_BOUNDED, -1, DOCKER, ENFORCEMENT_ENFORCED, DOCKER,
    "bind mounts; ids are not mapped, so the workspace has to be the command's own to be written" },
  { CONTROL_WORKSPACE_BOUNDED, -1, PODMAN, ENFORCEMENT_ENFORCED, PODMAN,
    "bind mounts; ids are mapped where its runtime is crun" },
  { CONTROL_WORKSPACE_BOUNDED, -1, EVERY, ENFORCEMENT_ENFORCED, LINUX, "bind mounts, named one by one" },

  { CONTROL_TMP_BOUNDED, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "tmpfs with a size" },

  { CONTROL_PATHS_MASKED, -1, RUNSC, ENFORCEMENT_WEAKER, RUNSC,
    "gVisor has a /proc of its own without most of these paths" },
  { CONTROL_PATHS_MASKED, -1, EVERY, ENFORCEMENT_ENFORCED, LINUX, "maskedPaths and readonlyPaths" },
  { CONTROL_PATHS_HIDDEN, -1, RUNSC, ENFORCEMENT_IMPOSSIBLE, RUNSC,
    "runsc covers nothing in a bind mount: the file can be read" },
  { CONTROL_PATHS_HIDDEN, -1, EVERY, ENFORCEMENT_ENFORCED, LINUX, "covered by an empty read-only mount" },
  { CONTROL_DEVICES_MINIMAL, -1, RUNSC, ENFORCEMENT_WEAKER, RUNSC,
    "gVisor adds fuse and tun devices of its own kernel" },
  { CONTROL_DEVICES_MINIMAL, -1, EVERY, ENFORCEMENT_ENFORCED, LINUX,
    "fresh tmpfs on /dev, device cgroup closed" },

  { CONTROL_MOUNTS_NOSUID_NODEV, -1, ENGINES, ENFORCEMENT_ENFORCED, ENGINES,
    "engines have no word for them on the root, and some runtimes drop them; our supervisor sets them while "
    "init "
    "waits" },
  { CONTROL_MOUNTS_NOSUID_NODEV, -1, RUNSC, ENFORCEMENT_WEAKER, RUNSC,
    "gVisor's mount table shows neither flag; no_new_privileges stands in" },
  { CONTROL_MOUNTS_NOSUID_NODEV, -1, EVERY, ENFORCEMENT_ENFORCED, LINUX, "options of every mount" },

  { CONTROL_NAMESPACE_PID, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "a new pid namespace" },
  { CONTROL_NAMESPACE_IPC, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "a new ipc namespace" },
  { CONTROL_NAMESPACE_UTS, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "a new uts namespace" },
  { CONTROL_NAMESPACE_MOUNT, -1, DOCKER, ENFORCEMENT_ENFORCED, DOCKER,
    "Docker lets the host's mounts come in below the root; our supervisor stops that while init waits" },
  { CONTROL_NAMESPACE_MOUNT, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "a new mount namespace, private" },
  { CONTROL_NAMESPACE_CGROUP, -1, RUNSC, ENFORCEMENT_WEAKER, NOWHERE,
    "gVisor emulates cgroups and has no namespace for them" },
  { CONTROL_NAMESPACE_CGROUP, -1, EVERY, ENFORCEMENT_ENFORCED, LINUX,
    "a new cgroup namespace; a run that has a cgroup sees it in /sys/fs/cgroup, read-only" },

  { CONTROL_NETWORK_MODE, NETWORK_ALLOW, EVERY, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "no backend filters peers by name; use none" },
  { CONTROL_NETWORK_MODE, NETWORK_ENGINE, DIRECT, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "a runtime without an engine has no network to give; use none or an engine" },
  { CONTROL_NETWORK_MODE, NETWORK_ENGINE, ENGINES, ENFORCEMENT_ENFORCED, NOWHERE,
    "the network that the engine gives by default" },
  { CONTROL_NETWORK_MODE, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED,
    "a network namespace without interfaces but loopback" },

  { CONTROL_LIMITS_MEMORY, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "memory cgroup, swap included" },
  { CONTROL_LIMITS_PIDS, -1, RUNSC, ENFORCEMENT_WEAKER, RUNSC,
    "the host counts the sandbox's own threads; processes on gVisor's kernel are not bounded by number" },
  { CONTROL_LIMITS_PIDS, -1, EVERY, ENFORCEMENT_ENFORCED, LINUX, "pids cgroup" },
  { CONTROL_LIMITS_CPU, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "cpu cgroup, quota per period" },
  { CONTROL_LIMITS_OPEN_FILES, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "RLIMIT_NOFILE" },
  { CONTROL_LIMITS_WALL, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "our supervisor ends the run" },
  { CONTROL_LIMITS_OUTPUT, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "our supervisor cuts the streams" },
  { CONTROL_LIMITS_DISK, -1, ENGINES, ENFORCEMENT_IMPOSSIBLE, ENGINES,
    "needs a storage driver with quotas, and never covers the workspace" },
  { CONTROL_LIMITS_DISK, -1, EVERY, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "an OCI specification has no disk limit; filesystem.tmp and memory bound what is not the workspace" },

  { CONTROL_ENVIRONMENT_CLEAN, -1, PODMAN, ENFORCEMENT_ENFORCED, PODMAN,
    "explicit list; proxy variables of its host must be switched off" },
  { CONTROL_ENVIRONMENT_CLEAN, -1, EVERY, ENFORCEMENT_ENFORCED, TRIED, "explicit list" },
  { CONTROL_SECRETS_FILES, -1, EVERY, ENFORCEMENT_WEAKER, TRIED,
    "a read-only bind of the operator's file, with that file's own owner and mode" },
  { CONTROL_BUDGET_SESSION, -1, EVERY, ENFORCEMENT_IMPOSSIBLE, NOWHERE,
    "no session keeper counts runs in this version" },
};

/* What ROW says of the backends in MASK together. */
static struct enforcement of_row (const struct row *row, unsigned mask)
{
  return (struct enforcement){ row->level, (row->measured & mask) == mask ? BASIS_MEASURED : BASIS_SPEC,
                               row->reason };
}

static struct enforcement look_up (enum control control, enum backend backend, int value_level)
{
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const struct row *row = &rows[i];

    if (row->control == control && (row->backends & ON (backend))
        && (row->value_level < 0 || row->value_level == value_level))
      return of_row (row, ON (backend));
  }
  /* A test walks all pairs, so this is never shown; if it were, it must not say "enforced". */
  return (struct enforcement){ ENFORCEMENT_IMPOSSIBLE, BASIS_SPEC, "not declared" };
}

struct enforcement enforcement_of (enum control control, enum backend backend)
{
  return look_up (control, backend, -1);
}

struct enforcement enforcement_for (enum control control, enum backend backend,
                                    const struct settings *settings)
{
  enum setting first = control_info (control)->settings[0];
  int value_level = -1;

  if (first < SETTING_COUNT && setting_info (first)->kind == KIND_LEVEL)
    value_level = (int) settings->values[first].level;
  return look_up (control, backend, value_level);
}

/* "/usr/sbin/runc" is runc by its last component, as people name runtimes. */
static enum backend oci_runtime (const char *runtime)
{
  const char *base = strrchr (runtime, '/');
  const char *name = base ? base + 1 : runtime;

  for (enum backend b = BACKEND_OCI_CRUN; b <= BACKEND_OCI_RUNSC; b++)
    if (strcmp (names[b] + strlen ("oci:"), name) == 0)
      return b;
  return BACKEND_OCI_OTHER;
}

bool backend_is_engine (enum backend backend)
{
  return (ON (backend) & ENGINES) != 0;
}

bool runtime_has_own_kernel (const char *runtime)
{
  return runtime != NULL && oci_runtime (runtime) == BACKEND_OCI_RUNSC;
}

struct enforcement enforcement_through (enum control control, enum backend backend, const char *runtime,
                                        const struct settings *settings)
{
  struct enforcement engine = enforcement_for (control, backend, settings), below;

  if (!backend_is_engine (backend) || !runtime_has_own_kernel (runtime))
    return engine;
  below = enforcement_for (control, BACKEND_OCI_RUNSC, settings);
  return below.level > engine.level ? below : engine;
}

bool enforcement_note_at (size_t index, struct enforcement_note *ret_note)
{
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const struct row *row = &rows[i];

    if (row->value_level < 0 || index-- > 0)
      continue;
    *ret_note = (struct enforcement_note){
      row->control,
      setting_info (control_info (row->control)->settings[0])->levels[row->value_level],
      row->backends,
      of_row (row, row->backends),
    };
    return true;
  }
  return false;
}

const char *backend_name (enum backend backend)
{
  return names[backend];
}

const char *enforcement_text (enum enforcement_level level)
{
  static const char *const texts[] = { "enforced", "weaker", "impossible" };

  return texts[level];
}

const char *basis_text (enum basis basis)
{
  static const char *const texts[] = { "measured", "declared, not yet observed" };

  return texts[basis];
}

int backend_find (const char *name, const char *runtime, enum backend *ret_backend, struct error *err)
{
  static const char *const known[] = { "libcrun", "oci", "docker", "podman" };
  bool named = str_has_prefix (name, "oci:") && name[strlen ("oci:")] != '\0';
  const char *near;

  if (named && runtime == NULL)
    runtime = name + strlen ("oci:");
  if (named || strcmp (name, "oci") == 0)
    *ret_backend = oci_runtime (runtime ? runtime : "runc");
  else if (strcmp (name, "libcrun") == 0)
    *ret_backend = BACKEND_LIBCRUN;
  else if (strcmp (name, "docker") == 0)
    *ret_backend = BACKEND_DOCKER;
  else if (strcmp (name, "podman") == 0)
    *ret_backend = BACKEND_PODMAN;
  else {
    near = str_nearest (name, known, ARRAY_LEN (known));
    if (near != NULL)
      return error_set (err, -EINVAL, "unknown backend '%s'; did you mean '%s'?", name, near);
    return error_set (err, -EINVAL, "unknown backend '%s'; known are libcrun, oci, docker, podman", name);
  }
  return 0;
}
