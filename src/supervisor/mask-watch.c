#include <config.h>

#include "supervisor-mask-watch.h"

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

#define EVENT_BYTES    4096
#define EVENTS_AT_ONCE 16

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

/* Whether PATH is a mount of its own, and which: else there is nothing to cover, and watching it would be
 * watching all that lies around it. */
static bool find_cover (int root, const char *path, int *ret_fd, uint64_t *ret_mount)
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

static bool poll_group (const struct covers *covers, int group)
{
  struct epoll_event event = { .events = EPOLLIN, .data.fd = group };

  return epoll_ctl (covers->fd, EPOLL_CTL_ADD, group, &event) == 0;
}

static bool is_folder (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0 && S_ISDIR (st.st_mode);
}

static size_t count_files (const struct covers *covers)
{
  size_t count = 0;

  for (size_t i = 0; i < covers->count; i++)
    count += covers->items[i].group >= 0;
  return count;
}

/* Events without descriptors: what covers a file is a device, which a mount without devices does not open. */
static int watch_file (const struct covers *covers, int fd)
{
  int group = count_files (covers) < LIMIT_WATCHED_FILES ? new_group (FAN_REPORT_FID) : -1;

  if (group >= 0 && mark (group, fd) && poll_group (covers, group))
    return group;
  close_p (&group);
  return -1;
}

static void watch_one (struct covers *covers, const struct plan *plan, int root, const char *path)
{
  cleanup_close int fd = -1;
  struct cover cover = { .path = path, .group = -1 };

  if (!find_cover (root, path, &fd, &cover.mount))
    return;
  if (!is_folder (fd)) {
    cover.group = plan_hides (plan, path) ? watch_file (covers, fd) : -1;
    if (cover.group < 0)
      return;
  } else if (!mark (covers->folders, fd))
    return;
  covers->items[covers->count++] = cover;
}

void covers_watch (struct covers *covers, const struct plan *plan, int root)
{
  covers->items = calloc (plan->masked.count + 1, sizeof (*covers->items));
  covers->fd = epoll_create1 (EPOLL_CLOEXEC);
  covers->folders = new_group (0);
  if (covers->items != NULL && covers->fd >= 0 && covers->folders >= 0
      && poll_group (covers, covers->folders))
    for (size_t i = 0; i < plan->masked.count; i++)
      watch_one (covers, plan, root, plan->masked.items[i]);
  if (covers->count == 0)
    covers_close (covers);
}

/* Which cover an event of GROUP is about; FD is what was opened, for folders. */
static const char *path_of (const struct covers *covers, int group, int fd)
{
  uint64_t mount = 0;

  if (group == covers->folders && (fd < 0 || !mount_id (fd, &mount)))
    return NULL;
  for (size_t i = 0; i < covers->count; i++)
    if (group == covers->folders ? covers->items[i].mount == mount : covers->items[i].group == group)
      return covers->items[i].path;
  return NULL;
}

static void serve_group (const struct covers *covers, int group, const struct plan *plan,
                         struct denials *denials)
{
  _Alignas(struct fanotify_event_metadata) char bytes[EVENT_BYTES];
  ssize_t left = read (group, bytes, sizeof (bytes));
  struct fanotify_event_metadata *event = (void *) bytes;

  for (; left > 0 && FAN_EVENT_OK (event, left); event = FAN_EVENT_NEXT (event, left)) {
    const char *path = path_of (covers, group, event->fd);
    struct caller caller = { 0 };
    int fd = event->fd;

    if (path != NULL) {
      caller_read (event->pid, &caller);
      covered_read_record (plan, path, caller.program[0] != '\0' ? caller.program : NULL, caller.pid,
                           denials);
    }
    close_p (&fd);
  }
}

void covers_serve (struct covers *covers, const struct plan *plan, struct denials *denials)
{
  struct epoll_event events[EVENTS_AT_ONCE];
  int count = covers->fd >= 0 ? epoll_wait (covers->fd, events, EVENTS_AT_ONCE, 0) : 0;

  for (int i = 0; i < count; i++)
    serve_group (covers, events[i].data.fd, plan, denials);
}

void covers_close (struct covers *covers)
{
  for (size_t i = 0; i < covers->count; i++)
    close_p (&covers->items[i].group);
  if (covers->items != NULL)
    close_p (&covers->folders);
  close_p (&covers->fd);
  free (covers->items);
  *covers = (struct covers){ .fd = -1, .folders = -1 };
}
