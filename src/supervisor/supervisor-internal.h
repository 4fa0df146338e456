/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a run and what they share. */
#pragma once

#include <sys/types.h>
#include <termios.h>

#include "engine-client.h"
#include "proof-proof.h"
#include "state-run-dir.h"
#include "supervisor-cleanup-helper.h"
#include "supervisor-driver.h"
#include "supervisor-event-loop.h"
#include "supervisor-image-root.h"
#include "supervisor-listener.h"
#include "supervisor-mask-watch.h"
#include "supervisor-run.h"
#include "supervisor-stream.h"
#include "supervisor-watchdog.h"
#include "wire-init.h"

/* How long what was killed may take to be gone. */
#define RUN_END_MS 5000u

enum { STREAM_IN, STREAM_OUT, STREAM_ERR, STREAM_COUNT };

struct run {
  const struct run_options *options;
  const struct run_driver *driver;
  const char *name; /* of the backend, for people */
  enum init_transport transport;
  bool own_kernel; /* init is no process of the host's; INIT_PID is one that stands for it */
  const struct runtime_program *ops; /* of programs */
  struct engine *engine;             /* of an engine */
  char *container;                   /* what the engine calls it; NULL: it was not told */
  char *document;                    /* what the engine is asked for */
  int rendezvous;                    /* where init knocks, or -1 */
  bool step_failed;                  /* what a runtime started may go on without it */
  bool keep_dir; /* something is left that only gc can finish, and finds by the directory */
  struct run_dir dir;
  struct image_root image; /* the tree that the root is made of, if any */
  unsigned slot;           /* our private range of ids, held by slot_fd */
  int slot_fd;
  struct launch launch; /* of the plan */
  struct runtime_call call;
  char *bundle, *stage, *state, *program, *console_path;
  int console;  /* where the runtime hands a terminal over */
  int terminal; /* the master of the run's own terminal, or -1 */
  struct termios saved_terminal;
  bool terminal_is_raw;
  int stage_ns[2];       /* the stage's mount namespace, and its user namespace where it has one of its own */
  int control;           /* from the backend's program, or -1 */
  int handshake, status; /* our ends of init's sockets, or -1 */
  int child_fds[5];      /* what the container gets as 0 to 4; -1: none */
  uint64_t pipe_inodes[3]; /* of those pipes, where init must have the very same; 0: it need not */
  struct stream streams[STREAM_COUNT];
  pid_t init_pid; /* init, or the process that stands for it; 0: not known */
  int init_pidfd;
  bool stuck; /* init was killed and is still there; the answer does not wait for it, and gc finishes it */
  struct cleanup_helper cleanup_helper; /* executes the runtime's last steps, where we have given up to */
  struct watchdog watchdog;             /* while the loop runs */
  struct io_timeout io_timeout;         /* likewise */
  struct event_loop loop;               /* serves everything that is waited for */
  struct event signals,
      children;          /* signalfds: of those that are not for us alone, and of children that have ended */
  bool in_step;          /* one is under way */
  bool interrupted;      /* an end is wanted before the command has started */
  struct course *course; /* while the command runs */
  pid_t step_pid;        /* of a step that is waited for, or 0 */
  int timer;             /* of the deadline: a timerfd, or -1 where there is none */
  struct listener listener;
  struct mask_watch mask_watch;
  int inside_ns, inside_root; /* the run's mounts, held so that they can be looked at when it has ended; or -1
                               */
  struct talk talk;           /* with init; run_talk sets its descriptors */
  struct proof proof;
  struct cgroup group; /* as soon as it is needed */
  bool created;        /* the runtime has something to delete */
  uint64_t passed_us;  /* when the last phase ended */
  struct run_result result;
  struct error *err;
};

/* run.c: the beginning, up to the first verdict. */
struct run *run_new (const struct run_options *options, struct error *err);
int run_make (struct run *run);

/* held.c: *RET_RUN is the sandbox that OPTIONS hold, which has the command now and waits for a verdict, or
 * after an error is to be taken down. NULL: it does not serve, and is gone. */
int run_adopt (const struct run_options *options, struct run **ret_run, struct error *err);
/* held-mounts.c: the plan's workspace, with what is hidden in it covered. */
struct id_view;
int run_move_workspace_in (const struct run *run, const struct id_view *view);
/* Where the workspace will be, until then: an empty directory of the run's. */
int run_prewarm_workspace (struct run *run);

/* run.c: what both kinds prepare alike. */
int run_take_ids (struct run *run);
const struct cgroup *run_group (struct run *run); /* opened, if it was not yet and is there */
int run_make_directory (struct run *run, const char *name, char **ret_path);

/* guarded.c: before anything is made. */
int run_check_sources (struct run *run);

/* hidden.c: before the document is made. */
int run_look_at_hidden (struct run *run);

/* spawn.c and step.c: executing the steps. */
int run_stage_and_create (struct run *run);
int run_step (struct run *run, enum runtime_step step, struct error *err);
/* To a child of ours that nobody has waited for yet; that it is gone is no error. */
void run_signal (int pidfd, pid_t pid, int signal_number);
/* Executes WORDS with nothing of the caller's, and waits MS milliseconds at most; whether it went well. */
bool run_argv (const struct strlist *argv, uint64_t ms);
/* In a child: puts FDS at 0, 1, 2, ...; a missing one below 3 becomes /dev/null. Everything else is closed.
 */
int run_arrange_descriptors (const int *fds, size_t count);

/* signals.c: from run_take_signals on signals come through the loop, and orphans are collected there. */
int run_take_signals (struct run *run);
void run_leave_signals (struct run *run);
/* Serves what waits; whether an end is wanted before the command has started. */
bool run_was_interrupted (struct run *run);
/* Serves events until DONE, or until poll(2) has one of EVENTS to say of FD. -ETIMEDOUT without an error;
 * -EINTR where an end was wanted. */
int run_await_until (struct run *run, bool (*done) (void *data), void *data, uint64_t until,
                     struct error *err);
int run_await (struct run *run, int fd, short events, uint64_t until, struct error *err);
/* Waits for every dead child but the run's own processes. */
void run_reap_others (const struct run *run);
/* Waits for a child that is dead or dying, MS milliseconds at most, while events are served: it may
 * not end before orphans are collected. -ETIMEDOUT, or -ECHILD where it is no child of ours. */
int run_wait_dying (struct run *run, pid_t pid, uint64_t ms, int *ret_status);

/* Kills every process that has a file system of run ID in its mount table, until there is none. */
void run_end_by_mounts (const char *id);

/* rendezvous.c */
int run_open_channels (struct run *run);
int run_await_hello (struct run *run);
/* Init's socket, or what serves as one. */
struct talk *run_talk (struct run *run);
int run_receive_hello (struct run *run, struct talk *talk);
int run_receive_answers (struct run *run, const struct promises *promises);
int run_send (struct run *run, enum handshake_type type, const void *bytes, size_t length);
int run_take_sandbox (struct run *run);
int run_go (struct run *run);
bool run_read_ended (struct run *run, struct handshake_ended *ret_ended);
void run_send_seen (struct run *run);

/* observe.c: what was promised against what is seen; the verdict is in the run's result. */
int run_ask_first (struct run *run);
void run_look_around (struct run *run); /* while the container is being made */
int run_observe (struct run *run);
void run_remember (const struct run *run); /* what was seen, for who asks later */

/* engine-rendezvous.c: init finds its way to us, behind an engine. */
int run_rendezvous_open (struct run *run);
/* Takes the connections that come from PID, and gives the standard streams away. -EAGAIN: nobody came for a
 * while.
 */
int run_rendezvous_accept (struct run *run, pid_t pid);
void run_rendezvous_close (struct run *run);

/* pump.c: a process of ours that stands for a container behind a kernel of its own. It copies the standard
 * streams that an engine has connected, and ends as the container does. */
int run_stdio_relay_start (struct run *run, struct attached *attached);

/* How long an engine may stay away before nobody knows how a container ended. */
#define ENGINE_PATIENCE_MS 60000

/* engine-end.c: the end of a container, with patience for an engine that was started anew. */
int run_engine_status (struct run *run, struct engine **engine, uint64_t until_ms,
                       struct container_state *ret_state, struct error *err);
int run_engine_remove (struct run *run, struct error *err);

/* engine-gc.c: what runs have left in an engine, for its driver. */
int run_engine_remove_left (struct left_walk *walk, const struct backend *backend,
                            const struct run_record *record, const struct run_dir *dir, struct error *err);
int run_engine_sweep (const struct backend *backend, const struct host_facts *host, const char *engine_socket,
                      bool remove, struct run_left *left, struct error *err);

/* terminal.c: only where the plan has a terminal. */
int run_terminal_listen (struct run *run);
int run_terminal_accept (struct run *run);
int run_terminal_take (struct run *run, int master);
void run_terminal_resize (struct run *run);
void run_terminal_restore (struct run *run);
/* The reader of what it shows is gone: the command gets SIGHUP, as when a terminal is closed. */
void run_terminal_hang_up (struct run *run);

/* loop.c: from the go-ahead to the end. The deadline runs from the last time it was armed. */
int run_deadline_arm (struct run *run);
uint64_t run_deadline_left (const struct run *run); /* milliseconds, as the kernel holds it; 0: none */
/* Starts the watchdog, if there is none yet. */
int run_guard (struct run *run);
/* Lets go of the namespaces that it has had; that takes the kernel a while. */
void run_end_namespaces (struct run *run);
int run_loop (struct run *run);
/* A signal for the command, or for its END, while it runs. */
void run_take_signal (struct run *run, int number, bool end);

/* explain.c: what the run's end tells of denials, into its result. Before the tear-down. */
int run_hold_inside (struct run *run);
/* Nothing will have to be explained, or all has been. The mounts go with the last process inside. */
void run_let_go_of_inside (struct run *run);
void run_explain (struct run *run, bool deadline, bool over, bool killed);

/* teardown.c */
void run_tear_down (struct run *run);

/* What has passed since the last call belongs to PHASE. */
void run_passed (struct run *run, enum run_phase phase);
