/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Explaining a run: what it is denied is told while it goes on; when it has ended, what was counted, the end
 * of its output, what its files look like.
 *
 * The run's mounts outlive it as long as its mount namespace is open, so its files can be looked at when all
 * its output has been read. The command's own files are hostile: they are looked at without being opened,
 * and no path leaves the run's root.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "denial-outcome.h"

/* The run's mounts, held so that they can be looked at when it has ended; -1: they are not. */
struct held_mounts {
  int ns, root;
};

extern const struct run_part inside_part;

static void init (struct run *run, void *state)
{
  struct held_mounts *inside = state;

  (void) run;
  inside->ns = inside->root = -1;
}

/* What cannot be held is not looked at later, and then less can be explained; that is no reason not to
 * run. */
static int start (struct run *run, void *state, struct error *err)
{
  struct held_mounts *inside = state;
  char path[64];

  if (stream_keep_tail (&run->streams[run->options->plan->terminal ? STREAM_OUT : STREAM_ERR]) < 0)
    return error_oom (err);
  if (run->own_kernel)
    return 0;
  snprintf (path, sizeof (path), "/proc/%d/ns/mnt", (int) run->init->pid);
  inside->ns = open (path, O_RDONLY | O_CLOEXEC);
  snprintf (path, sizeof (path), "/proc/%d/root", (int) run->init->pid);
  inside->root = inside->ns >= 0 ? open (path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  return 0;
}

/* The process that closes them last takes down all that is mounted there: not init where its end is waited
 * for by a caller of the daemon. */
static void undo (struct run *run, void *state, struct error *err)
{
  struct held_mounts *inside = state;

  (void) err;
  if (run->leave_namespaces)
    return;
  drop_fd (&inside->ns);
  drop_fd (&inside->root);
}

const struct run_part inside_part = {
  .name = "inside", .size = sizeof (struct held_mounts), .init = init, .start = start, .undo = undo
};

void run_let_go_of_inside (struct run *run)
{
  undo (run, run_part_state (run, &inside_part), NULL);
}

/* The id inside of one that is ID on the host. */
static uint32_t id_inside (const struct plan_id_map *maps, size_t count, uint32_t id)
{
  for (size_t i = 0; i < count; i++)
    if (id >= maps[i].outside && id - maps[i].outside < maps[i].count)
      return id - maps[i].outside + maps[i].inside;
  return id;
}

static bool look (void *arg, const char *path, struct outcome_seen *ret_seen)
{
  const struct run *run = arg;
  const struct held_mounts *inside = run_part_state (run, &inside_part);
  const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
  cleanup_close int fd =
      inside->root >= 0 ? (int) syscall (SYS_openat2, inside->root, path, &how, sizeof (how)) : -1;
  struct statfs space;
  struct stat st;

  if (fd < 0 || fstat (fd, &st) < 0 || fstatfs (fd, &space) < 0)
    return false;
  *ret_seen =
      (struct outcome_seen){ .device = st.st_dev,
                             .inode = st.st_ino,
                             .mode = st.st_mode,
                             .uid = id_inside (run->launch.uid_maps, run->launch.uid_map_count, st.st_uid),
                             .gid = id_inside (run->launch.gid_maps, run->launch.gid_map_count, st.st_gid),
                             .free_bytes = (uint64_t) space.f_bavail * (uint64_t) space.f_bsize,
                             .read_only = (space.f_flags & ST_RDONLY) != 0 };
  return true;
}

static uint64_t dropped (const struct stream *stream)
{
  return stream->seen - stream->passed;
}

/* The end of its output, as text: a NUL in it ends a line. */
static char *tail_of (struct run *run)
{
  struct stream *stream = &run->streams[run->options->plan->terminal ? STREAM_OUT : STREAM_ERR];

  if (stream->tail == NULL)
    return NULL;
  for (size_t i = 0; i < stream->tail_len; i++)
    if (stream->tail[i] == '\0')
      stream->tail[i] = '\n';
  stream->tail[stream->tail_len] = '\0';
  return stream->tail;
}

void run_explain (struct run *run, bool deadline, bool over, bool killed)
{
  const struct run_result *result = &run->result;
  const struct cgroup_counters *counters = &result->counters;
  const struct outcome outcome = { .plan = run->options->plan,
                                   .code = result->code,
                                   .signal = result->signal,
                                   .exec_errno = result->exec_errno,
                                   .deadline = deadline,
                                   .idle = result->idle,
                                   .pauses =
                                       run->streams[STREAM_OUT].pauses + run->streams[STREAM_ERR].pauses,
                                   .output_ended = over,
                                   .killed = killed,
                                   .out_dropped = dropped (&run->streams[STREAM_OUT]),
                                   .err_dropped = dropped (&run->streams[STREAM_ERR]),
                                   .counted = counters->known,
                                   .oom_kills = counters->oom_kills,
                                   .memory_peak = counters->memory_peak,
                                   .pids_denied = counters->pids_denied,
                                   .throttled = counters->throttled,
                                   .listened = run->launch.listens,
                                   .tail = tail_of (run),
                                   .look = look,
                                   .look_arg = run };

  run_serve_mask_watch (run);
  run->result.calls_received = outcome.listened;
  run->result.suspicious = outcome_explain (&outcome, &run->result.denials);
}

/* ---- While the command runs.
 *
 * A denial is told when its record is new, and when its count has doubled since: a flood of refused calls is
 * a few lines. What the session could not pass on to its reader yet is passed on by the loop. */

struct live_events {
  struct event event;
};

static void set_waiting (struct event *event)
{
  const struct run_observer *observer = ((const struct run *) event->data)->options->observer;

  event->fd = observer->waiting (observer->data);
}

static void on_waiting (struct event *event, short revents)
{
  const struct run_observer *observer = ((const struct run *) event->data)->options->observer;

  (void) revents;
  observer->flush (observer->data);
}

static int start_live (struct run *run, void *state, struct error *err)
{
  struct live_events *live = state;

  (void) err;
  if (run->options->observer == NULL)
    return 0;
  live->event =
      (struct event){ .fd = -1, .events = POLLOUT, .before = set_waiting, .call = on_waiting, .data = run };
  event_add (&run->loop, &live->event);
  return 0;
}

static void undo_live (struct run *run, void *state, struct error *err)
{
  struct live_events *live = state;

  (void) run;
  (void) err;
  event_remove (&live->event);
}

const struct run_part live_events_part = {
  .name = "live events", .size = sizeof (struct live_events), .start = start_live, .undo = undo_live
};

void run_tell_denials (struct run *run)
{
  const struct run_observer *observer = run->options->observer;
  struct denials *denials = &run->result.denials;

  for (size_t i = 0; observer != NULL && i < denials->count; i++) {
    struct denial *denial = &denials->items[i];

    if (denial->told > 0 && denial->count / 2 < denial->told)
      continue;
    denial->told = denial->count;
    observer->denial (observer->data, denial);
  }
}

void run_tell_limit (const struct run *run, enum control control, const char *what, uint64_t number)
{
  const struct run_observer *observer = run->options->observer;

  if (observer != NULL)
    observer->limit (observer->data, control, what, number);
}
