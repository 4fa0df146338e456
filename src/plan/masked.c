/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel interfaces that expose or control the host, and are masked or read-only in every run.
 *
 * A superset of what Docker and Podman mask. Runtimes skip a path that the kernel does not have, so the lists
 * can name more than any one kernel has.
 */
#include <config.h>

#include "plan-masked.h"

#include <stddef.h>

const char *const masked_paths[] = {
  "/proc/acpi",
  "/proc/asound",
  "/proc/interrupts",
  "/proc/kallsyms",
  "/proc/kcore",
  "/proc/keys",
  "/proc/key-users",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/sys/dev/block",
  "/sys/devices/system/cpu/cpu0/thermal_throttle",
  "/sys/devices/virtual/powercap",
  "/sys/firmware",
  "/sys/fs/selinux",
  "/sys/kernel/debug",
  "/sys/kernel/security",
  "/sys/kernel/tracing",
  "/sys/kernel/vmcoreinfo",
  NULL,
};

const char *const read_only_paths[] = {
  "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger", NULL,
};
