/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where it is: namespaces, network, limits. Each thing that is spoilt spoils the control that it belongs to.
 */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "posture-spoil.h"

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
SPOIL (mount_shared)
{
  in_mounts (c, "/workspace rw,nosuid,nodev,relatime -", "/workspace rw,nosuid,nodev,relatime shared:7 -");
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
SPOIL (space_of_stranger)
{
  c->outside.stranger = 42;
  c->outside.stranger_space = SPACE_IPC;
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
SPOIL (no_idle_timer)
{
  c->outside.idle_ms = 0;
}
SPOIL (late_idle_timer)
{
  c->outside.idle_ms++;
}
SPOIL (no_rate)
{
  c->outside.output_rate = 0;
}
SPOIL (higher_rate)
{
  c->outside.output_rate++;
}
SPOIL (far_reached)
{
  posture_case_answer_connect (c, &probe_far, sizeof (probe_far), 0);
}
SPOIL (far6_reached)
{
  posture_case_answer_connect (c, &probe_far6, sizeof (probe_far6), 0);
}
SPOIL (far_refused_otherwise)
{
  posture_case_answer_connect (c, &probe_far6, sizeof (probe_far6), ECONNREFUSED);
}
SPOIL (near_refused_alike)
{
  posture_case_answer_connect (c, &probe_near, sizeof (probe_near), ENETUNREACH);
}
SPOIL (swap_without_end)
{
  c->outside.group.memory_and_swap = UINT64_MAX - 1;
}

static const struct spoilt rows[] = {
  BAD (far_reached, CONTROL_NETWORK_MODE),
  BAD (far6_reached, CONTROL_NETWORK_MODE),
  UNKNOWN (far_refused_otherwise, CONTROL_NETWORK_MODE),
  UNKNOWN (near_refused_alike, CONTROL_NETWORK_MODE),
  BAD (swap_without_end, CONTROL_LIMITS_MEMORY),
  BAD (queue_in_ipc, CONTROL_NAMESPACE_IPC),
  BAD (socket_in_net, CONTROL_NETWORK_MODE),
  BAD (server_in_net, CONTROL_NETWORK_MODE),
  BAD (mount_shared, CONTROL_NAMESPACE_MOUNT),
  BAD (space_of_host_mnt, CONTROL_NAMESPACE_MOUNT),
  BAD (process_more, CONTROL_NAMESPACE_PID),
  BAD (space_of_host_pid, CONTROL_NAMESPACE_PID),
  BAD (space_of_host_ipc, CONTROL_NAMESPACE_IPC),
  BAD (space_differs, CONTROL_NAMESPACE_IPC),
  BAD (space_of_host_uts, CONTROL_NAMESPACE_UTS),
  BAD (space_of_sibling, CONTROL_NAMESPACE_UTS),
  BAD (space_of_stranger, CONTROL_NAMESPACE_IPC),
  BAD (name_of_host, CONTROL_NAMESPACE_UTS),
  BAD (space_of_host_cgroup, CONTROL_NAMESPACE_CGROUP),
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
  BAD (no_idle_timer, CONTROL_LIMITS_IDLE),
  BAD (late_idle_timer, CONTROL_LIMITS_IDLE),
  BAD (no_rate, CONTROL_LIMITS_OUTPUT_RATE),
  BAD (higher_rate, CONTROL_LIMITS_OUTPUT_RATE),
};

static void test_spoilt (void **state)
{
  (void) state;
  spoilt_check (rows, ARRAY_LEN (rows));
}

static const struct CMUnitTest cases[] = { cmocka_unit_test (test_spoilt) };

UNIT_MAIN (cases)
