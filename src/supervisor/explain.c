/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Explaining a run that has ended: what was counted, what the command said last, what its files look like.
 *
 * The run's mounts outlive it as long as somebody holds its mount namespace, so its files can be asked when
 * all its words have been read. The command's own files are hostile: they are looked at without being opened,
 * and no path leaves the run's root.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
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

static void on_look (struct event *event, short revents)
{
  struct run *run = event->data;

  (void) revents;
  mask_watch_serve (&run->mask_watch, run->options->plan, &run->result.denials);
}

/* What cannot be held is not looked at later, and then less can be told; that is no reason not to run. */
int run_hold_inside (struct run *run)
{
  struct stream *argv = &run->streams[run->options->plan->terminal ? STREAM_OUT : STREAM_ERR];
  char path[64];

  if (stream_keep_tail (argv) < 0)
    return error_oom (run->err);
  if (run->own_kernel)
    return 0;
  snprintf (path, sizeof (path), "/proc/%d/ns/mnt", (int) run->init_pid);
  run->inside_ns = open (path, O_RDONLY | O_CLOEXEC);
  snprintf (path, sizeof (path), "/proc/%d/root", (int) run->init_pid);
  run->inside_root = run->inside_ns >= 0 ? open (path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (run->inside_root >= 0)
    mask_watch_open (&run->mask_watch, run->options->plan, &run->launch.masked, run->inside_root);
  if (run->mask_watch.event.fd >= 0) {
    run->mask_watch.event.events = POLLIN;
    run->mask_watch.event.call = on_look;
    run->mask_watch.event.data = run;
    event_add (&run->loop, &run->mask_watch.event);
  }
  return 0;
}

void run_let_go_of_inside (struct run *run)
{
  /* Who holds them last takes down all that is mounted there: not init, for whose end the caller waits. */
  if (run->options->launch != NULL)
    return;
  close_p (&run->inside_ns);
  close_p (&run->inside_root);
  run->inside_ns = run->inside_root = -1;
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
  const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
  cleanup_close int fd =
      run->inside_root >= 0 ? (int) syscall (SYS_openat2, run->inside_root, path, &how, sizeof (how)) : -1;
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

/* The end of what it said, as text: a NUL in it ends a line. */
static char *words_of (struct run *run)
{
  struct stream *argv = &run->streams[run->options->plan->terminal ? STREAM_OUT : STREAM_ERR];

  if (argv->tail == NULL)
    return NULL;
  for (size_t i = 0; i < argv->tail_len; i++)
    if (argv->tail[i] == '\0')
      argv->tail[i] = '\n';
  argv->tail[argv->tail_len] = '\0';
  return argv->tail;
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
                                   .output_ended = over,
                                   .killed = killed,
                                   .out_dropped = dropped (&run->streams[STREAM_OUT]),
                                   .err_dropped = dropped (&run->streams[STREAM_ERR]),
                                   .counted = counters->known,
                                   .oom_kills = counters->oom_kills,
                                   .memory_peak = counters->memory_peak,
                                   .pids_denied = counters->pids_denied,
                                   .throttled = counters->throttled,
                                   .heard = run->launch.listener != NULL,
                                   .tail = words_of (run),
                                   .look = look,
                                   .look_arg = run };

  mask_watch_serve (&run->mask_watch, run->options->plan, &run->result.denials);
  run->result.calls_received = outcome.heard;
  run->result.suspicious = outcome_explain (&outcome, &run->result.denials);
}
