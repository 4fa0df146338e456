/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mask watch: which programs open a hidden path.
 *
 * A hidden file reads as an empty one, and a hidden directory has nothing in it: no call fails, so no message
 * tells a person why a program found nothing. The kernel can tell: each mask is a mount of its own, and
 * fanotify reports what is opened through it. Nothing waits for us, and nothing but a masked path is watched.
 * It takes root, and a user has 128 groups of fanotify in all: of masked files only those that the profile
 * names are watched, LIMIT_WATCHED_FILES at most, and directories. Where the kernel refuses, nothing is
 * reported.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "denial-outcome.h"
#include "state-caller.h"

#define READ_BYTES 4096

struct mask {
  const char *path; /* the plan's */
  uint64_t mount;   /* its id */
  int group;        /* of its own, where it is a file: masks of files are all the same file; or -1 */
};

struct mask_watch {
  struct event event; /* its descriptor, of epoll, stands for all groups; -1: nothing is watched */
  int directories;    /* the group of all masks that are directories */
  struct mask *items;
  size_t count;
};

extern const struct run_part mask_watch_part;

static int open_inside (int root, const char *path)
{
  const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

  return (int) syscall (SYS_openat2, root, path, &how, sizeof (how));
}

static bool mount_id (int fd, uint64_t *ret_id)
{
  struct statx st;

  if (statx (fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0 || (st.stx_mask & STATX_MNT_ID) == 0)
    return false;
  *ret_id = st.stx_mnt_id;
  return true;
}

/* Whether PATH is a mount of its own, and which: else there is no mask, and watching it would be
 * watching all that lies around it. */
static bool find_mask (int root, const char *path, int *ret_fd, uint64_t *ret_mount)
{
  cleanup_free char *parent = strdup (path);
  char *slash = parent ? strrchr (parent, '/') : NULL;
  cleanup_close int above = -1, fd = -1;
  uint64_t outer, mount;

  if (slash == NULL)
    return false;
  slash[slash == parent] = '\0';
  fd = open_inside (root, path);
  above = fd >= 0 ? open_inside (root, parent) : -1;
  if (above < 0 || !mount_id (above, &outer) || !mount_id (fd, &mount) || mount == outer)
    return false;
  *ret_fd = fd;
  *ret_mount = mount;
  fd = -1;
  return true;
}

static int new_group (unsigned flags)
{
  return fanotify_init (FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | flags, O_RDONLY | O_CLOEXEC);
}

static bool mark (int group, int fd)
{
  char path[64];

  /* A descriptor that was opened only as a path cannot be named by itself. */
  snprintf (path, sizeof (path), "/proc/self/fd/%d", fd);
  return fanotify_mark (group, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN | FAN_ONDIR, AT_FDCWD, path) == 0;
}

static bool poll_group (const struct mask_watch *mask_watch, int group)
{
  struct epoll_event event = { .events = EPOLLIN, .data.fd = group };

  return epoll_ctl (mask_watch->event.fd, EPOLL_CTL_ADD, group, &event) == 0;
}

static bool is_directory (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0 && S_ISDIR (st.st_mode);
}

static size_t count_files (const struct mask_watch *mask_watch)
{
  size_t count = 0;

  for (size_t i = 0; i < mask_watch->count; i++)
    count += mask_watch->items[i].group >= 0;
  return count;
}

/* Events without descriptors: a file is masked by a device, which a mount without devices does not open. */
static int watch_file (const struct mask_watch *mask_watch, int fd)
{
  int group = count_files (mask_watch) < LIMIT_WATCHED_FILES ? new_group (FAN_REPORT_FID) : -1;

  if (group >= 0 && mark (group, fd) && poll_group (mask_watch, group))
    return group;
  close_p (&group);
  return -1;
}

static void watch_one (struct mask_watch *mask_watch, const struct plan *plan, int root, const char *path)
{
  cleanup_close int fd = -1;
  struct mask mask = { .path = path, .group = -1 };

  if (!find_mask (root, path, &fd, &mask.mount))
    return;
  if (!is_directory (fd)) {
    mask.group = plan_hides (plan, path) ? watch_file (mask_watch, fd) : -1;
    if (mask.group < 0)
      return;
  } else if (!mark (mask_watch->directories, fd))
    return;
  mask_watch->items[mask_watch->count++] = mask;
}

/* Which mask an event of GROUP is about; FD is what was opened, for directories. */
static const char *path_of (const struct mask_watch *mask_watch, int group, int fd)
{
  uint64_t mount = 0;

  if (group == mask_watch->directories && (fd < 0 || !mount_id (fd, &mount)))
    return NULL;
  for (size_t i = 0; i < mask_watch->count; i++)
    if (group == mask_watch->directories ? mask_watch->items[i].mount == mount
                                         : mask_watch->items[i].group == group)
      return mask_watch->items[i].path;
  return NULL;
}

static void serve_group (const struct mask_watch *mask_watch, int group, const struct plan *plan,
                         struct denials *denials)
{
  _Alignas(struct fanotify_event_metadata) char bytes[READ_BYTES];
  ssize_t left = read (group, bytes, sizeof (bytes));
  struct fanotify_event_metadata *event = (void *) bytes;

  for (; left > 0 && FAN_EVENT_OK (event, left); event = FAN_EVENT_NEXT (event, left)) {
    const char *path = path_of (mask_watch, group, event->fd);
    struct caller caller = { 0 };
    int fd = event->fd;

    if (path != NULL) {
      caller_read (event->pid, &caller);
      masked_read_record (plan, path, caller.program[0] != '\0' ? caller.program : NULL, caller.pid, denials);
    }
    close_p (&fd);
  }
}

static void serve (struct run *run, void *state)
{
  const struct mask_watch *mask_watch = state;
  const struct plan *plan = run->options->plan;
  struct denials *denials = &run->result.denials;

  if (mask_watch->event.fd < 0)
    return;
  serve_group (mask_watch, mask_watch->directories, plan, denials);
  for (size_t i = 0; i < mask_watch->count; i++)
    if (mask_watch->items[i].group >= 0)
      serve_group (mask_watch, mask_watch->items[i].group, plan, denials);
}

void run_serve_mask_watch (struct run *run)
{
  serve (run, run_part_state (run, &mask_watch_part));
}

static void on_open (struct event *event, short revents)
{
  (void) revents;
  run_serve_mask_watch (event->data);
  run_tell_denials (event->data);
}

static void init (struct run *run, void *state)
{
  struct mask_watch *mask_watch = state;

  mask_watch->event = (struct event){ .fd = -1, .events = POLLIN, .call = on_open, .data = run };
  mask_watch->directories = -1;
}

static void mask_watch_close (struct mask_watch *mask_watch)
{
  event_remove (&mask_watch->event);
  for (size_t i = 0; i < mask_watch->count; i++)
    close_p (&mask_watch->items[i].group);
  mask_watch->count = 0;
  drop_fd (&mask_watch->directories);
  drop_fd (&mask_watch->event.fd);
  free (mask_watch->items);
  mask_watch->items = NULL;
}

/* What cannot be watched is not. */
static int start (struct run *run, void *state, struct error *err)
{
  struct mask_watch *mask_watch = state;
  const struct strlist *masked = &run->launch.masked;
  cleanup_free char *path = str_format ("/proc/%d/root", (int) run->init->pid);
  cleanup_close int root = -1;

  if (path == NULL)
    return error_oom (err);
  root = run->own_kernel ? -1 : open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0)
    return 0;
  mask_watch->items = calloc (masked->count + 1, sizeof (*mask_watch->items));
  mask_watch->event.fd = epoll_create1 (EPOLL_CLOEXEC);
  mask_watch->directories = new_group (0);
  if (mask_watch->items != NULL && mask_watch->event.fd >= 0 && mask_watch->directories >= 0
      && poll_group (mask_watch, mask_watch->directories))
    for (size_t i = 0; i < masked->count; i++)
      watch_one (mask_watch, run->options->plan, root, masked->items[i]);
  if (mask_watch->count == 0)
    mask_watch_close (mask_watch);
  else
    event_add (&run->loop, &mask_watch->event);
  return 0;
}

/* The kernel takes some 15 ms to be rid of a mark, and closing waits for it. Marks go with their mounts,
 * so it comes last, when the run's mounts have been gone for a while. */
static void undo (struct run *run, void *state, struct error *err)
{
  (void) err;
  if (!run->leave_namespaces)
    mask_watch_close (state);
}

const struct run_part mask_watch_part = { .name = "mask watch",
                                          .size = sizeof (struct mask_watch),
                                          .init = init,
                                          .start = start,
                                          .ended = serve,
                                          .undo = undo };
