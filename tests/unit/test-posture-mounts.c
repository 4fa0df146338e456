/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What it sees of files: root, mounts, covered paths, devices. Each thing that is spoilt spoils the control
 * that it belongs to. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "posture-spoil.h"

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

  posture_case_answer (c, QUESTION_SEE, "/workspace", 0, &look, sizeof (look));
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
SPOIL (unmasked_directory)
{
  struct report_look look = { .mode = S_IFDIR | 0555, .content = 2 };

  posture_case_answer (c, QUESTION_LOOK, "/proc/acpi", 0, &look, sizeof (look));
}
SPOIL (unmasked_closed_directory)
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

static const struct spoilt rows[] = {
  BAD (cwd_outside, CONTROL_WORKSPACE_BOUNDED),
  BAD (cover_writable, CONTROL_WORKSPACE_BOUNDED),
  BAD (device_of_host, CONTROL_WORKSPACE_BOUNDED),
  BAD (root_of_another, CONTROL_WORKSPACE_BOUNDED),
  BAD (tmp_is_part, CONTROL_WORKSPACE_BOUNDED),
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
  BAD (tmp_big, CONTROL_TMP_BOUNDED),
  BAD (shm_on_disk, CONTROL_TMP_BOUNDED),
  BAD (unmasked, CONTROL_PATHS_MASKED),
  BAD (unmasked_directory, CONTROL_PATHS_MASKED),
  BAD (unmasked_closed_directory, CONTROL_PATHS_MASKED),
  BAD (steered, CONTROL_PATHS_MASKED),
  BAD (proc_sys_writable, CONTROL_PATHS_MASKED),
  BAD (unhidden, CONTROL_PATHS_HIDDEN),
  BAD (device_more, CONTROL_DEVICES_MINIMAL),
  BAD (device_false, CONTROL_DEVICES_MINIMAL),
};

static void test_spoilt (void **state)
{
  (void) state;
  spoilt_check (rows, ARRAY_LEN (rows));
}

/* A secret is a read-only file that only its owner reads. */
static void test_secrets (void **state)
{
  static const struct {
    uint32_t mode;
    bool writable, absent;
    enum verdict verdict;
  } files[] = {
    { S_IFREG | 0400, false, false, VERDICT_VERIFIED },
    { S_IFREG | 0440, false, false, VERDICT_VIOLATED },
    { S_IFREG | 0400, true, false, VERDICT_VIOLATED },
    { S_IFREG | 0400, false, true, VERDICT_UNVERIFIED },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (files); i++) {
    struct report_look look = { .mode = files[i].mode, .device = UINT64_C (1) << 32, .inode = 4 };
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_posture struct posture *posture = NULL;

    posture_case_make_all (&c);
    c.plan->controls[CONTROL_SECRETS_FILES].accepted = false;
    c.plan->controls[CONTROL_SECRETS_FILES].enforcement.level = ENFORCEMENT_ENFORCED;
    posture_case_answer (&c, QUESTION_SEE, "/run/secrets/TOKEN", files[i].absent ? ENOENT : 0, &look,
                         sizeof (look));
    if (files[i].writable)
      in_mounts (&c, "/run/secrets/TOKEN ro,", "/run/secrets/TOKEN rw,");
    posture = judge (&c);
    CHECK (posture->controls[CONTROL_SECRETS_FILES].verdict == files[i].verdict, "row %zu: %s", i,
           posture->controls[CONTROL_SECRETS_FILES].evidence);
  }
}

static const struct CMUnitTest cases[] = { cmocka_unit_test (test_spoilt), cmocka_unit_test (test_secrets) };

UNIT_MAIN (cases)
