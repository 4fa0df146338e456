/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is seen of cgroups: the run's own group, read-only. Whatever else is mounted breaks the promise. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "posture-spoil.h"

#define VIEW   PLAN_GROUP_VIEW " ro,nosuid,nodev,noexec,relatime - tmpfs tyrum-oci-r-1 rw\n"
#define MEMORY PLAN_GROUP_VIEW "/memory ro,nosuid,nodev,noexec,relatime - cgroup cgroup rw,memory\n"

static void in_memory (struct posture_case *c, const char *to)
{
  in_mounts (c, "ro,nosuid,nodev,noexec,relatime - cgroup cgroup rw,memory", to);
}

SPOIL (membership)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/self/cgroup", "memory:/", "memory:/tyrum");
}
SPOIL (membership_unread)
{
  posture_case_answer (c, QUESTION_FILE, "/proc/self/cgroup", EACCES, "", 0);
}
SPOIL (writable_hierarchy)
{
  in_memory (c, "rw,nosuid,nodev,noexec,relatime - cgroup cgroup rw,memory");
}
SPOIL (writable_frame)
{
  in_mounts (c, VIEW, PLAN_GROUP_VIEW " rw,nosuid,nodev,noexec,relatime - tmpfs tyrum-oci-r-1 rw\n");
}
SPOIL (writable_file)
{
  posture_case_answer (c, QUESTION_OPEN_WRITE, PLAN_GROUP_VIEW "/memory/cgroup.procs", 0, "", 0);
}
SPOIL (hosts_tree)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/self/mountinfo", "0:36 / ", "0:36 /.. ");
  posture_case_edit (&c->outside.mounts, "0:36 /tyrum-oci-r-1 ", "0:36 / ");
}
SPOIL (siblings_group)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/self/mountinfo", "0:36 / ", "0:36 /../tyrum-oci-r-2 ");
  posture_case_edit (&c->outside.mounts, "0:36 /tyrum-oci-r-1 ", "0:36 /tyrum-oci-r-2 ");
}
/* Inside it may be the root of what is seen because that is a namespace of somebody else's. */
SPOIL (another_group_outside)
{
  posture_case_edit (&c->outside.mounts, "0:36 /tyrum-oci-r-1 ", "0:36 /tyrum-oci-r-12 ");
}
SPOIL (group_above_outside)
{
  posture_case_edit (&c->outside.mounts, "0:36 /tyrum-oci-r-1 ", "0:36 /tyrum-oci-r ");
}
SPOIL (hierarchy_not_told)
{
  posture_case_edit (&c->outside.cgroup, "4:memory:", "4:blkio:");
}
SPOIL (membership_outside_unread)
{
  free (c->outside.cgroup);
  c->outside.cgroup = NULL;
}
/* In it a file could say anything. */
SPOIL (files_that_look_like_it)
{
  in_memory (c, "ro,nosuid,nodev,noexec,relatime - ext4 /dev/vda rw");
  posture_case_edit (&c->outside.mounts, "0:36 /tyrum-oci-r-1 ", "0:36 / ");
}
SPOIL (frame_not_staged)
{
  in_mounts (c, VIEW, PLAN_GROUP_VIEW " ro,nosuid,nodev,noexec,relatime - tmpfs tmpfs rw\n");
}
SPOIL (frame_of_host)
{
  c->outside.host_devices[0] = 60;
}
SPOIL (table_unread)
{
  posture_case_answer (c, QUESTION_FILE, "/proc/self/mountinfo", EACCES, "", 0);
}
SPOIL (view_not_there)
{
  in_mounts (c, VIEW, "/elsewhere ro,nosuid,nodev,noexec,relatime - tmpfs tyrum-oci-r-1 rw\n");
}
SPOIL (lacks_noexec)
{
  in_memory (c, "ro,nosuid,nodev,relatime - cgroup cgroup rw,memory");
}
/* What is in the directory then is what the runtime put there. */
SPOIL (hierarchy_not_there)
{
  in_mounts (c, PLAN_GROUP_VIEW "/pids ro,nosuid,nodev,noexec,relatime - cgroup cgroup rw,pids",
             "/mnt ro,nosuid,nodev,noexec,relatime - cgroup cgroup rw,pids");
}
/* On a host with version 2 it would be files in place of the group. */
SPOIL (frame_in_place_of_a_group)
{
  c->plan->cgroup = CGROUP_V2;
}
SPOIL (one_elsewhere)
{
  in_mounts (c, MEMORY, "/mnt ro,nosuid,nodev,noexec,relatime - cgroup cgroup rw,memory\n");
}

static const struct spoilt rows[] = {
  BAD (membership, CONTROL_NAMESPACE_CGROUP),
  UNKNOWN (membership_unread, CONTROL_NAMESPACE_CGROUP),
  BAD (writable_hierarchy, CONTROL_NAMESPACE_CGROUP),
  BAD (writable_hierarchy, CONTROL_WORKSPACE_BOUNDED),
  BAD (writable_frame, CONTROL_NAMESPACE_CGROUP),
  BAD (writable_file, CONTROL_NAMESPACE_CGROUP),
  BAD (hosts_tree, CONTROL_NAMESPACE_CGROUP),
  BAD (siblings_group, CONTROL_NAMESPACE_CGROUP),
  BAD (another_group_outside, CONTROL_NAMESPACE_CGROUP),
  BAD (group_above_outside, CONTROL_NAMESPACE_CGROUP),
  UNKNOWN (hierarchy_not_told, CONTROL_NAMESPACE_CGROUP),
  UNKNOWN (membership_outside_unread, CONTROL_NAMESPACE_CGROUP),
  BAD (files_that_look_like_it, CONTROL_NAMESPACE_CGROUP),
  BAD (frame_not_staged, CONTROL_NAMESPACE_CGROUP),
  BAD (frame_in_place_of_a_group, CONTROL_NAMESPACE_CGROUP),
  BAD (frame_of_host, CONTROL_NAMESPACE_CGROUP),
  UNKNOWN (table_unread, CONTROL_NAMESPACE_CGROUP),
  BAD (hierarchy_not_there, CONTROL_WORKSPACE_BOUNDED),
  BAD (view_not_there, CONTROL_WORKSPACE_BOUNDED),
  BAD (lacks_noexec, CONTROL_MOUNTS_NOSUID_NODEV),
  BAD (one_elsewhere, CONTROL_WORKSPACE_BOUNDED),
};

static void test_spoilt (void **state)
{
  (void) state;
  spoilt_check (rows, ARRAY_LEN (rows));
}

static void check_good (struct posture_case *c, const char *words)
{
  cleanup_posture struct posture *posture = judge (c);
  const struct posture_control *control = &posture->controls[CONTROL_NAMESPACE_CGROUP];

  CHECK (control->verdict == VERDICT_VERIFIED && control->seen == SEEN_BOTH, "%s", control->evidence);
  CHECK (strstr (control->evidence, words) != NULL, "'%s' is not in '%s'", words, control->evidence);
  CHECK (posture->overall == OVERALL_VERIFIED, "%s", posture->controls[CONTROL_WORKSPACE_BOUNDED].evidence);
}

/* The plan does not say what an engine mounts of cgroups, only where. */
static void make_engines_own (struct posture_case *c)
{
  struct launch *launch = &c->launch;

  for (size_t i = 0; i < launch->mount_count; i++)
    while (strcmp (launch->mounts[i].type, "cgroup") == 0) {
      struct plan_mount *mount = &launch->mounts[i];

      plan_mount_clear (mount);
      memmove (mount, mount + 1, (--launch->mount_count - i) * sizeof (*mount));
    }
  assert_int_equal (strlist_add (&c->plan->engines_own, PLAN_GROUP_VIEW), 0);
}

/* Several controllers in one hierarchy, and version 2, are told from one another as the kernel writes them.
 */
static void test_good (void **state)
{
  cleanup_posture_case struct posture_case one = { 0 }, two = { 0 }, unified = { 0 };

  (void) state;
  posture_case_make (&one);
  check_good (&one, "4 mounts show it, read-only");
  posture_case_make (&two);
  in_mounts (&two, "cgroup cgroup rw,cpu", "cgroup cgroup rw,cpu,cpuacct");
  posture_case_edit (&two.outside.cgroup, "2:cpu:", "2:cpu,cpuacct:");
  check_good (&two, "4 mounts show it, read-only");
  posture_case_make (&unified);
  make_engines_own (&unified);
  in_mounts (&unified, PLAN_GROUP_VIEW "/memory ", PLAN_GROUP_VIEW " ");
  in_mounts (&unified, "- cgroup cgroup rw,memory", "- cgroup2 cgroup rw,nsdelegate");
  posture_case_edit (&unified.outside.cgroup, "4:memory:/tyrum-oci-r-1\n", "4:blkio:/\n0::/tyrum-oci-r-1\n");
  check_good (&unified, "4 mounts show it, read-only");
}

/* An engine mounts a view of its own, or none; what there is of one is held to the same. */
static void test_engines_own (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  make_engines_own (&c);
  check_good (&c, "4 mounts show it, read-only");
  posture_case_edit (&c.outside.mounts, "0:34 /tyrum-oci-r-1 ", "0:34 / ");
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_NAMESPACE_CGROUP].verdict, VERDICT_VIOLATED);
}

static const struct CMUnitTest cases[] = { cmocka_unit_test (test_good), cmocka_unit_test (test_spoilt),
                                           cmocka_unit_test (test_engines_own) };

UNIT_MAIN (cases)
