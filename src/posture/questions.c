/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which questions verify the promises. To add a probe, add a line here and check its answer in a judge. */
#include <config.h>

#include "posture-inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base-path.h"
#include "plan-launch.h"

#define CALL(number, ...)                                                                                    \
  {                                                                                                          \
    number,                                                                                                  \
    {                                                                                                        \
      __VA_ARGS__                                                                                            \
    }                                                                                                        \
  }

#define NO_FD ((uint64_t) -1)

/* With these arguments the kernel would do nothing or fail, and never with the errno of the filter. */
const struct probe_call probe_calls[] = {
  { "unshare", CALL (SYS_unshare, 0) },
  { "setns", CALL (SYS_setns, NO_FD, 0) },
  { "clone", CALL (SYS_clone, CLONE_NEWUSER | CLONE_FS) },
  { "clone3", CALL (SYS_clone3, 0, 0) },
  { "mount", CALL (SYS_mount, 0, 0, 0, 0, 0) },
  { "keyctl", CALL (SYS_keyctl, 0xffffffffu) },
  { "ptrace", CALL (SYS_ptrace, 0xffff, 0, 0, 0) },
  { "process_vm_readv", CALL (SYS_process_vm_readv, 0, 0, 0, 0, 0, 0) },
  { "io_uring_setup", CALL (SYS_io_uring_setup, 0, 0) },
  { "memfd_create", CALL (SYS_memfd_create, 0, 0xffffffffu) },
  { "ioctl", CALL (SYS_ioctl, NO_FD, TIOCSTI, 0) },
  { "fchmodat", CALL (SYS_fchmodat, NO_FD, 0, 04755) },
  { "fsopen", CALL (SYS_fsopen, 0, 0) },
  { "open_by_handle_at", CALL (SYS_open_by_handle_at, NO_FD, 0, 0) },
  { "bpf", CALL (SYS_bpf, 0xffff, 0, 0) },
  { "perf_event_open", CALL (SYS_perf_event_open, 0, 0, 0, NO_FD, 0xffff) },
  { "userfaultfd", CALL (SYS_userfaultfd, 0xffffffffu) },
  { "io_uring_enter", CALL (SYS_io_uring_enter, NO_FD, 0, 0, 0, 0, 0) },
  { "pidfd_getfd", CALL (SYS_pidfd_getfd, NO_FD, NO_FD, 0xffff) },
  { "splice", CALL (SYS_splice, NO_FD, 0, NO_FD, 0, 0, 0) },
  { "vmsplice", CALL (SYS_vmsplice, NO_FD, 0, 0, 0) },
};
const size_t probe_call_count = ARRAY_LEN (probe_calls);

const struct report_call probe_seal = CALL (SYS_nfsservctl);
const struct report_call probe_allowed = CALL (SYS_getpid);
const struct report_call probe_become_root = CALL (SYS_setresuid, 0, 0, 0);
const struct report_call probe_bounding = CALL (SYS_prctl, PR_CAPBSET_DROP, 0, 0, 0, 0);
const struct report_call probe_new_user = CALL (SYS_unshare, CLONE_NEWUSER);
const struct report_call probe_ambient = CALL (SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 0, 0, 0);
const struct report_call probe_privileges = CALL (SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);

/* In network byte order; an initialiser cannot call htons. */
const struct sockaddr_in probe_far = { .sin_family = AF_INET,
                                       .sin_port = 9 << 8,
                                       .sin_addr = { .s_addr = 0x010200c0 } };
const struct sockaddr_in probe_near = { .sin_family = AF_INET,
                                        .sin_port = 9 << 8,
                                        .sin_addr = { .s_addr = 0x0100007f } };
const struct sockaddr_in6 probe_far6 = { .sin6_family = AF_INET6,
                                         .sin6_port = 9 << 8,
                                         .sin6_addr = { { { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } } } };

const char *const probe_group_files[PROBE_GROUP_FILES] = { PLAN_GROUP_VIEW "/cgroup.procs",
                                                           PLAN_GROUP_VIEW "/memory/cgroup.procs" };

static const struct {
  enum question kind;
  const char *path;
} always[] = {
  /* Lists come first: init makes the probed calls in another process meanwhile. */
  { QUESTION_LIST, "/dev" },
  { QUESTION_LIST, "/proc" },
  { QUESTION_DESCRIPTORS, "" },
  { QUESTION_ENVIRONMENT, "" },
  { QUESTION_LIMITS, "" },
  { QUESTION_NAMES, "" },
  { QUESTION_FILE, "/proc/self/status" },
  { QUESTION_FILE, "/proc/self/uid_map" },
  { QUESTION_FILE, "/proc/self/gid_map" },
  { QUESTION_FILE, "/proc/self/mountinfo" },
  { QUESTION_FILE, "/proc/self/cgroup" },
  { QUESTION_FILE, "/proc/self/attr/current" },
  { QUESTION_FILE, "/proc/net/dev" },
  { QUESTION_FILE, "/proc/net/route" },
  { QUESTION_FILE, "/proc/net/sockstat" }, /* /proc/net/tcp would take milliseconds */
  { QUESTION_FILE, "/proc/net/unix" },
  { QUESTION_FILE, PROBE_BOOT_ID },
  { QUESTION_FILE, "/proc/sysvipc/shm" },
  { QUESTION_FILE, "/proc/sysvipc/msg" },
  { QUESTION_FILE, "/proc/sysvipc/sem" },
  { QUESTION_LINK, "/proc/self/cwd" },
  { QUESTION_LINK, "/proc/self/ns/user" },
  { QUESTION_LINK, "/proc/self/ns/mnt" },
  { QUESTION_LINK, "/proc/self/ns/pid" },
  { QUESTION_LINK, "/proc/self/ns/net" },
  { QUESTION_LINK, "/proc/self/ns/ipc" },
  { QUESTION_LINK, "/proc/self/ns/uts" },
  { QUESTION_LINK, "/proc/self/ns/cgroup" },
  { QUESTION_STATFS, "/tmp" },
  { QUESTION_STATFS, "/dev/shm" },
  { QUESTION_LOOK, "/" },
  { QUESTION_LOOK, "/.." },
  { QUESTION_LOOK, "/proc/uptime" }, /* not masked: must open */
  { QUESTION_SEE, PROBE_LINUX_ONLY },
  { QUESTION_CREATE, "/" },
  { QUESTION_CREATE, "/tmp" },
  { QUESTION_OPEN_WRITE, "/proc/sys/kernel/core_pattern" },
  { QUESTION_OPEN_WRITE, "/proc/sysrq-trigger" },
};

static bool is_asked (const struct questions *questions, enum question kind, const void *bytes, size_t length)
{
  for (size_t i = 0; i < questions->count; i++) {
    const struct asked *asked = &questions->items[i];

    if (asked->kind == kind && asked->length == length && memcmp (asked->bytes, bytes, length) == 0)
      return true;
  }
  return false;
}

static int ask (struct questions *questions, enum question kind, const void *bytes, size_t length)
{
  struct asked *grown;
  char *copy;

  if (is_asked (questions, kind, bytes, length))
    return 0;
  grown = realloc (questions->items, (questions->count + 1) * sizeof (*grown));
  copy = malloc (length + 1);
  if (grown != NULL)
    questions->items = grown;
  if (grown == NULL || copy == NULL) {
    free (copy);
    return -ENOMEM;
  }
  memcpy (copy, bytes, length);
  copy[length] = '\0';
  grown[questions->count++] = (struct asked){ kind, copy, length };
  return 0;
}

static int ask_path (struct questions *questions, enum question kind, const char *path)
{
  return ask (questions, kind, path, strlen (path));
}

static int ask_call (struct questions *questions, const struct report_call *call)
{
  return ask (questions, QUESTION_CALL, call, sizeof (*call));
}

static int ask_paths (struct questions *questions, const struct promises *promises)
{
  bool failed = false;

  for (size_t i = 0; i < PROBE_GROUP_FILES && !failed; i++)
    failed = ask_path (questions, QUESTION_OPEN_WRITE, probe_group_files[i]) < 0;
  for (size_t i = 0; i < promises->masked->count && !failed; i++)
    failed = ask_path (questions, QUESTION_LOOK, promises->masked->items[i]) < 0;
  for (size_t i = 0; i < promises->read_only->count && !failed; i++)
    failed = ask_path (questions, QUESTION_SEE, promises->read_only->items[i]) < 0;
  for (size_t i = 0; i < promises->mount_count && !failed; i++)
    if (strcmp (promises->mounts[i].type, "bind") == 0)
      failed = ask_path (questions, QUESTION_SEE, promises->mounts[i].target) < 0;
  return failed ? -ENOMEM : 0;
}

bool probe_is_left (const struct promises *promises, const struct probe_call *probe)
{
  return promises->has_listener && filter_call_tells (promises->filter, probe->name, probe->call.arguments);
}

/* Calls that succeed come last: init needs a new process after each. The ambient set is probed only where the
 * kernel may not show it in /proc. */
static int ask_calls (struct questions *questions, const struct promises *promises)
{
  const struct report_call *const first[] = { &probe_seal, &probe_become_root, &probe_bounding };
  const struct report_call *const last[] = { &probe_allowed, &probe_privileges, &probe_ambient };
  size_t last_count = ARRAY_LEN (last) - (promises->passed_descriptors ? 1 : 0);
  bool failed = false;

  for (size_t i = 0; i < ARRAY_LEN (first) && !failed; i++)
    failed = ask_call (questions, first[i]) < 0;
  for (size_t i = 0; i < probe_call_count && !failed; i++)
    failed = !probe_is_left (promises, &probe_calls[i]) && ask_call (questions, &probe_calls[i].call) < 0;
  for (size_t i = 0; i < last_count && !failed; i++)
    failed = ask_call (questions, last[i]) < 0;
  return failed ? -ENOMEM : 0;
}

/* What is asked when init has loaded its own filter, where it does. */
static int ask_told (struct questions *questions, const struct promises *promises)
{
  unsigned count = 0;
  bool failed;

  questions->before = questions->count;
  failed = ask_call (questions, &probe_new_user) < 0;
  for (size_t i = 0; i < probe_call_count && count < PROBE_TOLD && !failed; i++)
    if (probe_is_left (promises, &probe_calls[i])) {
      failed = ask_call (questions, &probe_calls[i].call) < 0;
      count++;
    }
  return failed ? -ENOMEM : 0;
}

/* Init is executable but not in process.tools, so executing it must fail. */
static int ask_tools (struct questions *questions, const struct promises *promises)
{
  const struct strlist *tools = &promises->settings->values[SETTING_TOOLS].set;
  bool failed = promises->bounds_tools && ask_path (questions, QUESTION_EXECUTE, STAGE_INIT_TARGET) < 0;

  for (size_t i = 0; promises->bounds_tools && i < tools->count && i < PROBE_TOOLS_MAX && !failed; i++)
    failed = ask_path (questions, QUESTION_EXECUTE, tools->items[i]) < 0;
  return failed ? -ENOMEM : 0;
}

/* Only with network.mode none: otherwise the probe would send packets to a real network. */
static int ask_network (struct questions *questions, const struct promises *promises)
{
  if (promises->settings->values[SETTING_NETWORK_MODE].level != NETWORK_NONE)
    return 0;
  return ask (questions, QUESTION_CONNECT, &probe_far, sizeof (probe_far)) < 0
                 || ask (questions, QUESTION_CONNECT, &probe_far6, sizeof (probe_far6)) < 0
                 || ask (questions, QUESTION_CONNECT, &probe_near, sizeof (probe_near)) < 0
             ? -ENOMEM
             : 0;
}

int questions_make (const struct promises *promises, struct questions *ret_questions, struct error *err)
{
  cleanup_questions struct questions questions = { 0 };
  bool failed = false;

  for (size_t i = 0; i < ARRAY_LEN (always) && !failed; i++)
    failed = ask_path (&questions, always[i].kind, always[i].path) < 0;
  if (failed || ask_paths (&questions, promises) < 0 || ask_network (&questions, promises) < 0
      || ask_tools (&questions, promises) < 0 || ask_calls (&questions, promises) < 0
      || ask_told (&questions, promises) < 0)
    return error_oom (err);
  *ret_questions = questions;
  questions = (struct questions){ 0 };
  return 0;
}

size_t questions_write (const struct questions *questions, size_t *at, uint8_t *buffer, size_t size)
{
  size_t used = 0, end = *at < questions->before ? questions->before : questions->count;

  while (*at < end) {
    const struct asked *asked = &questions->items[*at];
    const struct report_item head = { .kind = (uint16_t) asked->kind, .length = (uint32_t) asked->length };

    if (sizeof (head) + asked->length > size - used)
      break;
    memcpy (buffer + used, &head, sizeof (head));
    memcpy (buffer + used + sizeof (head), asked->bytes, asked->length);
    used += sizeof (head) + asked->length;
    (*at)++;
  }
  return used;
}

void questions_clear (struct questions *questions)
{
  for (size_t i = 0; i < questions->count; i++)
    free (questions->items[i].bytes);
  free (questions->items);
  *questions = (struct questions){ 0 };
}
