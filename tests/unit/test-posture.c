/* The judge: a good run is verified, and each thing that is spoilt spoils the control that it belongs to. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/resource.h>

#include "plan-stage.h"
#include "posture-case.h"

static struct posture *judge (const struct posture_case *c)
{
  cleanup_error struct error err = { 0 };
  struct posture *posture = NULL;

  CHECK (posture_judge (c->plan, &c->inside, &c->outside, &posture, &err) == 0, "%s", error_text (&err));
  return posture;
}

static void test_good (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  posture = judge (&c);
  for (enum control i = 0; i < CONTROL_COUNT; i++)
    CHECK (!posture->controls[i].promised || posture->controls[i].verdict == VERDICT_VERIFIED, "%s: %s: %s",
           control_info (i)->name, verdict_text (posture->controls[i].verdict),
           posture->controls[i].evidence);
  assert_int_equal (posture->overall, OVERALL_VERIFIED);
}

/* ---- Spoiling. Each takes a good run. */

#define STATUS "/proc/self/status"

static void in_status (struct posture_case *c, const char *from, const char *to)
{
  posture_case_edit_answer (c, QUESTION_FILE, STATUS, from, to);
}

/* A mount table has to be spoilt on both sides, or it is the difference that is found. */
static void in_mounts (struct posture_case *c, const char *from, const char *to)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/self/mountinfo", from, to);
  posture_case_edit (&c->outside.mounts, from, to);
}

#define SPOIL(name) static void name (struct posture_case *c)

SPOIL (uid_inside)
{
  in_status (c, "Uid:\t10001\t10001", "Uid:\t10001\t0");
}
SPOIL (uid_outside)
{
  posture_case_edit (&c->outside.status, "Uid:\t", "Uid:\t1");
}
SPOIL (group_more)
{
  in_status (c, "Groups:\t ", "Groups:\t27 ");
}
SPOIL (becomes_root)
{
  posture_case_answer_call (c, &probe_become_root, 0);
}
SPOIL (cap_ambient)
{
  in_status (c, "CapAmb:\t0000000000000000", "CapAmb:\t0000000000000001");
}
SPOIL (cap_bounding_outside)
{
  posture_case_edit (&c->outside.status, "CapBnd:\t0000000000000000", "CapBnd:\t0000000000200000");
}
SPOIL (privileged_call)
{
  posture_case_answer_call (c, &probe_bounding, 0);
}
SPOIL (privileges_inside)
{
  in_status (c, "NoNewPrivs:\t1", "NoNewPrivs:\t0");
}
SPOIL (privileges_prctl)
{
  posture_case_answer_call (c, &probe_privileges, 0);
}
SPOIL (privileges_outside)
{
  posture_case_edit (&c->outside.status, "NoNewPrivs:\t1", "NoNewPrivs:\t0");
}
SPOIL (seccomp_mode)
{
  in_status (c, "Seccomp:\t2", "Seccomp:\t0");
}
SPOIL (seccomp_seal)
{
  posture_case_answer_call (c, &probe_seal, -ENOSYS);
}
SPOIL (seccomp_deny)
{
  posture_case_answer_call (c, &probe_calls[0].call, 0);
}
SPOIL (seccomp_twin)
{
  posture_case_answer_call (c, &probe_allowed, -EPERM);
}
SPOIL (descriptor)
{
  posture_case_answer (c, QUESTION_DESCRIPTORS, "", 0, "0 pipe:[11]\0001 pipe:[12]\0002 pipe:[13]\0007 /etc",
                       43);
}
SPOIL (stream_is_folder)
{
  posture_case_answer (c, QUESTION_DESCRIPTORS, "", 0, "0 /srv\0001 pipe:[12]\0002 pipe:[13]", 31);
}
SPOIL (stream_is_another)
{
  posture_case_answer (c, QUESTION_DESCRIPTORS, "", 0, "0 pipe:[11]\0001 pipe:[99]\0002 pipe:[13]", 36);
}
SPOIL (cwd_outside)
{
  posture_case_edit_answer (c, QUESTION_LINK, "/proc/self/cwd", "/workspace", "(unreachable)/srv");
}
SPOIL (cover_writable)
{
  in_mounts (c, "0:6 /null /proc/acpi rw", "0:6 / /proc/acpi rw");
}
SPOIL (device_of_host)
{
  in_mounts (c, "100 90 ", "99 100 254:0 /srv /dev/zero rw,nosuid - ext4 /dev/vda rw\n100 90 ");
}
SPOIL (root_of_another)
{
  in_mounts (c, "tyrum-oci-r-1", "tyrum-oci-r-2");
}
SPOIL (tmp_is_part)
{
  in_mounts (c, " / /tmp ", " /inner /tmp ");
}
SPOIL (queue_in_ipc)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/sysvipc/msg", "heading\n", "heading\n0 0 600\n");
}
SPOIL (server_in_net)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/net/sockstat", "TCP: inuse 0", "TCP: inuse 1");
}
SPOIL (socket_in_net)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/net/unix", "heading\n", "heading\n0: 2 @x\n");
}
SPOIL (no_init)
{
  c->outside.is_init = false;
}
SPOIL (not_first)
{
  posture_case_edit (&c->outside.status, "NSpid:\t4711\t1", "NSpid:\t4711\t7");
}
SPOIL (root_writable)
{
  in_mounts (c, "/ ro,nosuid,nodev", "/ rw,nosuid,nodev");
}
SPOIL (root_created)
{
  posture_case_answer (c, QUESTION_CREATE, "/", 0, "", 0);
}
SPOIL (root_other_errno)
{
  posture_case_answer (c, QUESTION_CREATE, "/", EACCES, "", 0);
}
SPOIL (root_no_twin)
{
  posture_case_answer (c, QUESTION_CREATE, "/tmp", EIO, "", 0);
}
SPOIL (mount_more)
{
  in_mounts (c, "100 90 ", "99 100 8:1 /etc /mnt ro,nosuid,nodev - ext4 /dev/vda rw\n100 90 ");
}
SPOIL (mount_missing)
{
  in_mounts (c, " /workspace ", " /elsewhere ");
}
SPOIL (mount_writable)
{
  in_mounts (c, "/usr ro,", "/usr rw,");
}
SPOIL (mount_differs)
{
  posture_case_edit (&c->outside.mounts, "relatime - tmpfs", "noatime - tmpfs");
}
SPOIL (mount_suid)
{
  in_mounts (c, "/workspace rw,nosuid,nodev", "/workspace rw,nodev");
}
SPOIL (mount_dev)
{
  in_mounts (c, "/tmp rw,nosuid,nodev", "/tmp rw,nosuid");
}
SPOIL (mount_exec)
{
  in_mounts (c, "/tmp rw,nosuid,nodev,noexec", "/tmp rw,nosuid,nodev");
}
SPOIL (mount_shared)
{
  in_mounts (c, "/workspace rw,nosuid,nodev,relatime -", "/workspace rw,nosuid,nodev,relatime shared:7 -");
}
SPOIL (root_of_host)
{
  in_mounts (c, "0:60 /rootfs / ro", "254:0 / / ro");
}
SPOIL (host_unknown)
{
  free (c->outside.host_devices);
  c->outside.host_devices = NULL;
  c->outside.host_device_count = 0;
}
SPOIL (workspace_other)
{
  struct report_look look = { .mode = S_IFDIR | 0755, .device = UINT64_C (1) << 32, .inode = 99 };

  posture_case_answer (c, QUESTION_LOOK, "/workspace", 0, &look, sizeof (look));
}
SPOIL (root_has_parent)
{
  struct report_look look = { .mode = S_IFDIR | 0755, .device = 6, .inode = 6 };

  posture_case_answer (c, QUESTION_LOOK, "/..", 0, &look, sizeof (look));
}
SPOIL (tmp_big)
{
  struct report_statfs fs = { .type = 0x01021994, .bytes = UINT64_C (1) << 40 };

  posture_case_answer (c, QUESTION_STATFS, "/tmp", 0, &fs, sizeof (fs));
}
SPOIL (shm_on_disk)
{
  struct report_statfs fs = { .type = 0xef53, .bytes = 4096 };

  posture_case_answer (c, QUESTION_STATFS, "/dev/shm", 0, &fs, sizeof (fs));
}
SPOIL (unmasked)
{
  struct report_look look = { .mode = S_IFREG | 0444, .content = 1 };

  posture_case_answer (c, QUESTION_LOOK, "/proc/kcore", 0, &look, sizeof (look));
}
SPOIL (unmasked_folder)
{
  struct report_look look = { .mode = S_IFDIR | 0555, .content = 2 };

  posture_case_answer (c, QUESTION_LOOK, "/proc/acpi", 0, &look, sizeof (look));
}
SPOIL (unmasked_closed_folder)
{
  struct report_look look = { .mode = S_IFDIR | 0700, .open_errnum = EACCES };

  posture_case_answer (c, QUESTION_LOOK, "/proc/acpi", 0, &look, sizeof (look));
}
SPOIL (steered)
{
  posture_case_answer (c, QUESTION_OPEN_WRITE, "/proc/sysrq-trigger", 0, "", 0);
}
SPOIL (proc_sys_writable)
{
  in_mounts (c, "/proc/sys ro", "/proc/sys rw");
}
SPOIL (unhidden)
{
  struct report_look look = { .mode = S_IFREG | 0400, .content = 1 };

  posture_case_answer (c, QUESTION_LOOK, "/workspace/secret", 0, &look, sizeof (look));
}
SPOIL (device_more)
{
  static const struct {
    struct report_entry entry;
    char name[4];
  } sda = { { .rdev = UINT64_C (8) << 32, .mode = S_IFBLK | 0660, .name_length = 3 }, "sda" };

  posture_case_answer (c, QUESTION_LIST, "/dev", 0, &sda, sizeof (sda.entry) + 3);
}
SPOIL (device_false)
{
  static const struct {
    struct report_entry entry;
    char name[4];
  } null = { { .rdev = UINT64_C (1) << 32 | 1, .mode = S_IFCHR | 0660, .name_length = 4 }, "null" };

  posture_case_answer (c, QUESTION_LIST, "/dev", 0, &null, sizeof (null.entry) + 4);
}
SPOIL (process_more)
{
  static const struct {
    struct report_entry entry;
    char name[1];
    struct report_entry second;
    char other[3];
  } __attribute__ ((packed))
  seen = { { .mode = S_IFDIR, .name_length = 1 }, "1", { .mode = S_IFDIR, .name_length = 3 }, "815" };

  posture_case_answer (c, QUESTION_LIST, "/proc", 0, &seen, sizeof (seen));
}
SPOIL (space_of_host_pid)
{
  c->outside.own_spaces[SPACE_PID] = c->outside.spaces[SPACE_PID];
}
SPOIL (space_of_host_ipc)
{
  c->outside.own_spaces[SPACE_IPC] = c->outside.spaces[SPACE_IPC];
}
SPOIL (space_of_host_uts)
{
  c->outside.own_spaces[SPACE_UTS] = c->outside.spaces[SPACE_UTS];
}
SPOIL (space_of_host_mnt)
{
  c->outside.own_spaces[SPACE_MOUNT] = c->outside.spaces[SPACE_MOUNT];
}
SPOIL (space_of_host_cgroup)
{
  c->outside.own_spaces[SPACE_CGROUP] = c->outside.spaces[SPACE_CGROUP];
}
SPOIL (space_of_host_net)
{
  c->outside.own_spaces[SPACE_NET] = c->outside.spaces[SPACE_NET];
}
SPOIL (space_of_host_user)
{
  c->outside.own_spaces[SPACE_USER] = c->outside.spaces[SPACE_USER];
}
SPOIL (space_differs)
{
  c->outside.spaces[SPACE_IPC]++;
}
SPOIL (space_of_sibling)
{
  c->outside.sibling = strdup ("r-2");
  c->outside.sibling_space = SPACE_UTS;
}
SPOIL (map_inside)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/self/uid_map", "65536", "65537");
}
SPOIL (map_outside)
{
  posture_case_edit (&c->outside.gid_map, "65536", "65535");
}
SPOIL (name_of_host)
{
  struct {
    char fields[6][65];
  } names = { 0 };

  posture_case_answer (c, QUESTION_NAMES, "", 0, &names, sizeof (names));
}
SPOIL (group_seen)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/self/cgroup", "memory:/", "memory:/tyrum");
}
SPOIL (interface)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/net/dev", "    lo:", "  eth0: 1\n    lo:");
}
SPOIL (route)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/net/route", "Gateway\n", "Gateway\neth0\t0\t1\n");
}
SPOIL (no_memory)
{
  c->outside.group.memory = UINT64_MAX;
}
SPOIL (more_swap)
{
  c->outside.group.memory_and_swap *= 2;
}
SPOIL (no_pids)
{
  c->outside.group.pids = UINT64_MAX;
}
SPOIL (no_cpu)
{
  c->outside.group.quota = UINT64_MAX;
}
SPOIL (not_member)
{
  c->outside.group.member = false;
}
SPOIL (group_unknown)
{
  c->outside.group.known = false;
}
SPOIL (files_outside)
{
  posture_case_edit (&c->outside.limits, "1024 ", "2048 ");
}
SPOIL (files_inside)
{
  struct report_limit limits[16] = { 0 };

  limits[RLIMIT_NOFILE].soft = limits[RLIMIT_NOFILE].hard = 4096;
  posture_case_answer (c, QUESTION_LIMITS, "", 0, limits, sizeof (limits));
}
SPOIL (no_timer)
{
  c->outside.wall_ms = 0;
}
SPOIL (no_cap)
{
  c->outside.output_bytes = UINT64_MAX;
}
SPOIL (variable_more)
{
  posture_case_answer (c, QUESTION_ENVIRONMENT, "", 0, "LD_PRELOAD=1", 13);
}
SPOIL (variable_value)
{
  posture_case_answer (c, QUESTION_ENVIRONMENT, "", 0, "PATH=0000000000000000", 22);
}
SPOIL (variable_outside)
{
  c->outside.environment[0]++;
}

static const struct {
  void (*spoil) (struct posture_case *c);
  enum control control;
  enum verdict verdict;
} rows[] = {
#define BAD(spoil, control)                                                                                  \
  {                                                                                                          \
    spoil, control, VERDICT_VIOLATED                                                                         \
  }
#define UNKNOWN(spoil, control)                                                                              \
  {                                                                                                          \
    spoil, control, VERDICT_UNVERIFIED                                                                       \
  }
  BAD (uid_inside, CONTROL_USER_NON_ROOT),
  BAD (uid_outside, CONTROL_USER_NON_ROOT),
  BAD (group_more, CONTROL_USER_NON_ROOT),
  BAD (becomes_root, CONTROL_USER_NON_ROOT),
  BAD (cap_ambient, CONTROL_CAPABILITIES),
  BAD (cap_bounding_outside, CONTROL_CAPABILITIES),
  BAD (privileged_call, CONTROL_CAPABILITIES),
  BAD (privileges_inside, CONTROL_NO_NEW_PRIVILEGES),
  BAD (privileges_prctl, CONTROL_NO_NEW_PRIVILEGES),
  BAD (privileges_outside, CONTROL_NO_NEW_PRIVILEGES),
  BAD (seccomp_mode, CONTROL_SECCOMP),
  BAD (seccomp_seal, CONTROL_SECCOMP),
  BAD (seccomp_deny, CONTROL_SECCOMP),
  BAD (seccomp_twin, CONTROL_SECCOMP),
  BAD (descriptor, CONTROL_FDS_CLOSED),
  BAD (stream_is_folder, CONTROL_FDS_CLOSED),
  BAD (stream_is_another, CONTROL_FDS_CLOSED),
  BAD (cwd_outside, CONTROL_WORKSPACE_BOUNDED),
  BAD (cover_writable, CONTROL_WORKSPACE_BOUNDED),
  BAD (device_of_host, CONTROL_WORKSPACE_BOUNDED),
  BAD (root_of_another, CONTROL_WORKSPACE_BOUNDED),
  BAD (tmp_is_part, CONTROL_WORKSPACE_BOUNDED),
  BAD (queue_in_ipc, CONTROL_NAMESPACE_IPC),
  BAD (socket_in_net, CONTROL_NETWORK_MODE),
  BAD (server_in_net, CONTROL_NETWORK_MODE),
  BAD (no_init, CONTROL_ISOLATION_TYPE),
  BAD (not_first, CONTROL_ISOLATION_TYPE),
  BAD (root_writable, CONTROL_ROOT_READ_ONLY),
  BAD (root_created, CONTROL_ROOT_READ_ONLY),
  UNKNOWN (root_other_errno, CONTROL_ROOT_READ_ONLY),
  UNKNOWN (root_no_twin, CONTROL_ROOT_READ_ONLY),
  BAD (mount_more, CONTROL_WORKSPACE_BOUNDED),
  BAD (mount_missing, CONTROL_WORKSPACE_BOUNDED),
  BAD (mount_writable, CONTROL_WORKSPACE_BOUNDED),
  BAD (mount_differs, CONTROL_WORKSPACE_BOUNDED),
  BAD (root_of_host, CONTROL_WORKSPACE_BOUNDED),
  UNKNOWN (host_unknown, CONTROL_WORKSPACE_BOUNDED),
  BAD (workspace_other, CONTROL_WORKSPACE_BOUNDED),
  BAD (root_has_parent, CONTROL_WORKSPACE_BOUNDED),
  BAD (mount_suid, CONTROL_MOUNTS_NOSUID_NODEV),
  BAD (mount_dev, CONTROL_MOUNTS_NOSUID_NODEV),
  BAD (mount_exec, CONTROL_MOUNTS_NOSUID_NODEV),
  BAD (mount_shared, CONTROL_NAMESPACE_MOUNT),
  BAD (space_of_host_mnt, CONTROL_NAMESPACE_MOUNT),
  BAD (tmp_big, CONTROL_TMP_BOUNDED),
  BAD (shm_on_disk, CONTROL_TMP_BOUNDED),
  BAD (unmasked, CONTROL_PATHS_MASKED),
  BAD (unmasked_folder, CONTROL_PATHS_MASKED),
  BAD (unmasked_closed_folder, CONTROL_PATHS_MASKED),
  BAD (steered, CONTROL_PATHS_MASKED),
  BAD (proc_sys_writable, CONTROL_PATHS_MASKED),
  BAD (unhidden, CONTROL_PATHS_HIDDEN),
  BAD (device_more, CONTROL_DEVICES_MINIMAL),
  BAD (device_false, CONTROL_DEVICES_MINIMAL),
  BAD (process_more, CONTROL_NAMESPACE_PID),
  BAD (space_of_host_pid, CONTROL_NAMESPACE_PID),
  BAD (space_of_host_ipc, CONTROL_NAMESPACE_IPC),
  BAD (space_differs, CONTROL_NAMESPACE_IPC),
  BAD (space_of_host_uts, CONTROL_NAMESPACE_UTS),
  BAD (space_of_sibling, CONTROL_NAMESPACE_UTS),
  BAD (name_of_host, CONTROL_NAMESPACE_UTS),
  BAD (space_of_host_cgroup, CONTROL_NAMESPACE_CGROUP),
  BAD (group_seen, CONTROL_NAMESPACE_CGROUP),
  BAD (space_of_host_user, CONTROL_USER_NAMESPACE),
  BAD (map_inside, CONTROL_USER_NAMESPACE),
  BAD (map_outside, CONTROL_USER_NAMESPACE),
  BAD (space_of_host_net, CONTROL_NETWORK_MODE),
  BAD (interface, CONTROL_NETWORK_MODE),
  BAD (route, CONTROL_NETWORK_MODE),
  BAD (no_memory, CONTROL_LIMITS_MEMORY),
  BAD (more_swap, CONTROL_LIMITS_MEMORY),
  BAD (no_pids, CONTROL_LIMITS_PIDS),
  BAD (no_cpu, CONTROL_LIMITS_CPU),
  BAD (not_member, CONTROL_LIMITS_PIDS),
  UNKNOWN (group_unknown, CONTROL_LIMITS_CPU),
  BAD (files_inside, CONTROL_LIMITS_OPEN_FILES),
  BAD (files_outside, CONTROL_LIMITS_OPEN_FILES),
  BAD (no_timer, CONTROL_LIMITS_WALL),
  BAD (no_cap, CONTROL_LIMITS_OUTPUT),
  BAD (variable_more, CONTROL_ENVIRONMENT_CLEAN),
  BAD (variable_value, CONTROL_ENVIRONMENT_CLEAN),
  BAD (variable_outside, CONTROL_ENVIRONMENT_CLEAN),
};

static void test_spoilt (void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_posture struct posture *posture = NULL;
    cleanup_free char *broken = NULL;
    const char *name = control_info (rows[i].control)->name;

    posture_case_make (&c);
    rows[i].spoil (&c);
    posture = judge (&c);
    CHECK (posture->controls[rows[i].control].verdict == rows[i].verdict, "row %zu: %s is %s: %s", i, name,
           verdict_text (posture->controls[rows[i].control].verdict),
           posture->controls[rows[i].control].evidence);
    CHECK (posture->overall == OVERALL_VIOLATED, "row %zu: the run is %s", i,
           overall_text (posture->overall));
    broken = posture_broken_text (posture);
    CHECK (broken != NULL && strstr (broken, name) != NULL, "row %zu: '%s' does not name %s", i, broken,
           name);
  }
}

/* An error while observing is unverified: whatever is not answered, the run is not verified. But the label of
 * an LSM that was not promised is nobody's, parents of covered paths and routes are only looked at beside
 * something else, and what is read-only is so by its mount. */
static bool is_beside (const struct plan *plan, const struct asked *asked)
{
  static const char *const paths[] = { "/proc/self/attr/current",
                                       "/proc/net/route",
                                       "/proc",
                                       "/sys",
                                       "/sys/dev",
                                       "/sys/fs",
                                       "/sys/kernel",
                                       "/sys/devices/virtual",
                                       "/sys/devices/system/cpu/cpu0",
                                       STAGE_INIT_TARGET };

  if (asked->kind == QUESTION_CALL)
    return memcmp (asked->bytes, &probe_new_user, sizeof (probe_new_user)) == 0
           || memcmp (asked->bytes, &probe_ambient, sizeof (probe_ambient)) == 0;
  if (asked->kind == QUESTION_LIST)
    return false;
  for (size_t i = 0; i < plan->read_only.count; i++)
    if (strcmp (asked->bytes, plan->read_only.items[i]) == 0)
      return true;
  for (size_t i = 0; i < sizeof (paths) / sizeof (paths[0]); i++)
    if (strcmp (asked->bytes, paths[i]) == 0)
      return true;
  return false;
}

static void test_unanswered (void **state)
{
  size_t tried = 0, count;
  cleanup_posture_case struct posture_case first = { 0 };

  (void) state;
  posture_case_make (&first);
  count = first.inside.questions.count;
  for (size_t i = 0; i < count; i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_posture struct posture *posture = NULL;
    const struct asked *asked;

    posture_case_make (&c);
    asked = &c.inside.questions.items[i];
    if (is_beside (c.plan, asked))
      continue;
    free (c.inside.answers[i].bytes);
    c.inside.answers[i] = (struct answer){ .errnum = ENODATA };
    posture = judge (&c);
    CHECK (posture->overall == OVERALL_VIOLATED, "question %zu (%d '%s') was not answered, and all is %s", i,
           (int) asked->kind, asked->bytes, overall_text (posture->overall));
    tried++;
  }
  CHECK (tried > 40, "only %zu questions were tried", tried);
}

static void test_waived (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  no_pids (&c);
  c.plan->controls[CONTROL_LIMITS_PIDS].accepted = true;
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_LIMITS_PIDS].verdict, VERDICT_WAIVED);
  assert_int_equal (posture->controls[CONTROL_LIMITS_PIDS].observed, VERDICT_VIOLATED);
  assert_int_equal (posture->overall, OVERALL_PARTIAL);
}

/* A line break in a name must not look like a line of ours. */
static void test_one_line (void **state)
{
  static const char variable[] = "A\nprocess.seccomp verified=1";
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  posture_case_answer (&c, QUESTION_ENVIRONMENT, "", 0, variable, sizeof (variable));
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_ENVIRONMENT_CLEAN].verdict, VERDICT_VIOLATED);
  assert_null (strchr (posture->controls[CONTROL_ENVIRONMENT_CLEAN].evidence, '\n'));
}

/* What is carried weaker is never called verified, however good it looks. */
static void test_weaker (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  c.plan->controls[CONTROL_LIMITS_PIDS].carriage = (struct carriage){ CARRY_WEAKER, BASIS_MEASURED, "so" };
  c.plan->controls[CONTROL_LIMITS_PIDS].required = false;
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_LIMITS_PIDS].verdict, VERDICT_UNVERIFIED);
  assert_int_equal (posture->overall, OVERALL_PARTIAL);
}

/* Behind a kernel of the runtime's own nothing is said of an outside that nobody saw. */
static void test_no_outside (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  c.outside.seen = false;
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_ISOLATION_TYPE].verdict, VERDICT_VIOLATED);
  assert_int_equal (posture->controls[CONTROL_USER_NAMESPACE].verdict, VERDICT_UNVERIFIED);
  for (enum control i = 0; i < CONTROL_COUNT; i++)
    CHECK (posture->controls[i].seen != SEEN_BOTH, "%s was seen by both", control_info (i)->name);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_good),     cmocka_unit_test (test_spoilt), cmocka_unit_test (test_unanswered),
  cmocka_unit_test (test_waived),   cmocka_unit_test (test_weaker), cmocka_unit_test (test_no_outside),
  cmocka_unit_test (test_one_line),
};

UNIT_MAIN (cases)
