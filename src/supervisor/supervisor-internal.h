/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run, and what its parts share. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base-cleanup.h"
#include "base-helper-process.h"
#include "engine-client.h"
#include "proof-proof.h"
#include "state-run-dir.h"
#include "supervisor-driver.h"
#include "supervisor-event-loop.h"
#include "supervisor-part.h"
#include "supervisor-run.h"
#include "supervisor-stream.h"
#include "wire-init.h"

/* How long what was killed may take to be gone. */
#define RUN_END_MS 5000u

/* Processes of a run that are waited for one by one: a step, and helpers. */
#define RUN_SPARED_MAX 8

enum { STREAM_IN, STREAM_OUT, STREAM_ERR, STREAM_COUNT };

/* rendezvous.c: init, and the way to it. */
struct run_init {
  pid_t pid; /* init, or the process that stands for it; 0: not known */
  int pidfd;
  bool stuck; /* it was killed and is still there; the answer does not wait for it, and gc finishes it */
  int handshake, status;   /* our ends of its sockets, or -1 */
  int child_fds[5];        /* what the container gets as 0 to 4; -1: none */
  uint64_t pipe_inodes[3]; /* of those pipes, where init must have the very same; 0: it need not */
  struct talk talk;        /* run_talk sets its descriptors */
  struct proof proof;
  struct restriction restriction; /* filter-cache.c: where init loads the filter, too */
};

/* runtime-run.c: the container of a backend that is a program. */
struct run_runtime {
  const struct runtime_program *ops;
  struct runtime_call call;
  char *bundle, *state;
  int control;      /* from the backend's program, or -1 */
  bool created;     /* the runtime has something to delete */
  bool step_failed; /* what a runtime started may go on without it */
  bool in_step;     /* one is under way */
};

/* spawn.c */
struct run_stage {
  char *directory;
  int ns[2]; /* its mount namespace, and its user namespace where it has one of its own */
};

/* engine-run.c: the container of an engine. */
struct run_engine {
  struct engine *client;
  char *container; /* what the engine calls it; NULL: it was not told */
  char *document;  /* what the engine is asked for */
  int rendezvous;  /* where init connects, or -1 */
  bool created;    /* there may be one to remove */
};

struct run {
  const struct run_options *options;
  const struct run_driver *driver;
  const char *name; /* of the backend, for people */
  enum init_transport transport;
  bool own_kernel;       /* init is no process of the host's; its pid is one that stands for it */
  char *program;         /* of the runtime, or the engine's socket */
  bool keep_dir;         /* something is left that only gc can finish, and finds by the directory */
  bool leave_namespaces; /* to the end of this process, which follows: the kernel takes its time with them */
  struct launch launch;  /* of the plan */
  struct event_loop loop;
  pid_t spared[RUN_SPARED_MAX];
  struct course *course; /* while the command runs */
  uint64_t passed_us;    /* when the last phase ended */
  struct run_result result;
  struct error *err;

  /* States of parts that others use, as far as the run has these parts. */
  struct run_dir *dir;
  struct cgroup *group; /* opened by run_group */
  struct run_stage *stage;
  struct run_runtime *runtime;
  struct run_engine *engine;
  struct stream *streams;
  struct run_init *init;

  size_t begun; /* parts whose prepare was */
  char *states; /* of all parts, in ROOM */
  _Alignas(max_align_t) char room[];
};

/* part.c */
struct run *run_allocate (const struct run_driver *driver);
int run_parts_prepare (struct run *run);
int run_parts_start (struct run *run);
void run_parts_ended (struct run *run);
/* Undoes what was prepared. The first failure is in ERR, unless that has another cause already. */
void run_tear_down (struct run *run, struct error *err);

/* run.c: the beginning, up to the first verdict. */
struct run *run_new (const struct run_options *options, struct error *err);
int run_make (struct run *run);
void run_free (struct run *run);

/* prewarmed.c: *RET_RUN is the sandbox that OPTIONS have, which has the command now and waits for a
 * verdict, or NULL where it does not serve. */
int run_adopt (const struct run_options *options, struct run **ret_run, struct error *err);
/* Where the workspace will be, until then: an empty directory of the run's. */
int run_prewarm_workspace (struct run *run);

/* resources.c */
const struct cgroup *run_group (struct run *run); /* opened, if it was not yet and is there */
int run_make_group (struct run *run);
int run_make_directory (struct run *run, const char *name, char **ret_path);

/* source-checks.c: before anything is made, and before the document is. */
int run_check_sources (struct run *run, void *state, struct error *err);
int run_look_at_hidden (struct run *run, void *state, struct error *err);

/* spawn.c and step.c: executing the steps. */
int run_stage_and_create (struct run *run);
int run_step (struct run *run, enum runtime_step step, struct error *err);
/* To a child that was not waited for yet; that it is gone is no error. */
void run_signal (int pidfd, pid_t pid, int signal_number);
/* Executes ARGV with nothing of the caller's, and waits MS milliseconds at most; whether it went well. */
bool run_argv (const struct strlist *argv, uint64_t ms);

/* signals.c: from its preparation on signals come through the loop, and orphans are collected there. */
void run_leave_signals (struct run *run);
/* Serves what waits; whether an end is wanted before the command has started. */
bool run_was_interrupted (struct run *run);
/* Serves events until DONE, or until poll(2) has one of EVENTS to say of FD. -ETIMEDOUT without an error;
 * -EINTR where an end was wanted. */
int run_await_until (struct run *run, bool (*done) (void *data), void *data, uint64_t until,
                     struct error *err);
int run_await (struct run *run, int fd, short events, uint64_t until, struct error *err);
int run_signals_descriptor (struct run *run);
/* PID is waited for by its owner, until it has been. */
void run_spare (struct run *run, pid_t pid);
void run_spare_no_more (struct run *run, pid_t pid);
/* Waits for every dead child but init and those that are spared. */
void run_reap_others (const struct run *run);
/* Waits for a child that is dead or dying, MS milliseconds at most, while events are served: it may
 * not end before orphans are collected. -ETIMEDOUT, or -ECHILD where it is not our child. */
int run_wait_dying (struct run *run, pid_t pid, uint64_t ms, int *ret_status);

/* Kills every process that has a file system of run ID in its mount table, until there is none. */
void run_end_by_mounts (const char *id);

/* listener.c: takes the listener of init's filter; nothing if FD is negative. */
void run_listener_serve (struct run *run, int fd);

/* stream.c: the caller's ends. */
int run_take_streams (struct run *run);
/* Makes the pipe of standard output as large as this process may, where the options ask for it. */
void run_widen_output (const struct run *run);

/* rendezvous.c */
/* What the container gets is handed over. */
void run_close_child_fds (struct run *run);
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
void run_remember (const struct run *run); /* what was seen: needed by `status` and `check` */

/* rendezvous.c: init connects to us, where an engine passes no descriptors. */
int run_rendezvous_open (struct run *run);
/* Takes the connections that come from PID, and gives the standard streams away. -EAGAIN: there was none
 * for a while.
 */
int run_rendezvous_accept (struct run *run, pid_t pid);
void run_rendezvous_close (struct run *run);

/* stdio-relay.c: a helper that stands for a container with a kernel of its own. It copies the standard
 * streams that an engine has connected, and ends as the container does. */
int run_stdio_relay_start (struct run *run, struct attached *attached);

/* How long an engine may stay away before the end of a container counts as unknown. */
#define ENGINE_PATIENCE_MS 60000

/* engine-end.c: the end of a container, with patience for an engine that was started anew. */
int run_engine_status (struct run *run, struct engine **engine, uint64_t until_ms,
                       struct container_state *ret_state, struct error *err);
int run_engine_remove (struct run *run, struct error *err);

/* engine-end.c: what runs have left in an engine, for its driver. */
int run_engine_remove_left (struct left_walk *walk, const struct backend *backend,
                            const struct run_record *record, const struct run_dir *dir, struct error *err);
int run_engine_sweep (const struct backend *backend, const struct host_facts *host, const char *engine_socket,
                      bool remove, struct run_left *left, struct error *err);

/* terminal.c: only where the plan has a terminal. */
int run_terminal_listen (struct run *run);
int run_terminal_accept (struct run *run);
int run_terminal_take (struct run *run, int master);
void run_terminal_resize (struct run *run);
/* The reader of what it shows is gone: the command gets SIGHUP, as when a terminal is closed. */
void run_terminal_hang_up (struct run *run);

/* loop.c: from the go-ahead to the end. Deadline and idle time run from the last time they were armed. */
int run_deadline_arm (struct run *run);
uint64_t run_deadline_left (const struct run *run); /* milliseconds, as the kernel holds it; 0: none */
uint64_t run_idle_left (const struct run *run);     /* the same of limits.idle */
int run_loop (struct run *run);
/* A signal for the command, or for its END, while it runs. */
void run_take_signal (struct run *run, int number, bool end, bool caller_gone);

/* watchdog.c: a process that ends a container which holds its supervisor. */
struct watchdog_memory {       /* shared with it */
  atomic_uint turn;            /* for struct stream */
  _Atomic (uint64_t) deadline; /* a time of run_now_ms; 0 for none */
  /* Milliseconds from TERM to KILL: after a signal, and after the deadline at most. */
  _Atomic (uint64_t) grace, limit_grace;
  atomic_bool watches; /* it has begun */
  atomic_bool killed;  /* it has sent KILL to init */
};

/* Starts the watchdog, if there is none yet. */
int run_guard (struct run *run);
struct watchdog_memory *run_watchdog_memory (struct run *run);

/* cleanup-helper.c: has STEP executed by the helper, and waits for it. -ENOENT where there is none. */
int cleanup_helper_step (struct run *run, enum runtime_step step, struct error *err);

/* mask-watch.c: takes what it was told by now. */
void run_serve_mask_watch (struct run *run);

/* explain.c: what the run's end tells of denials, into its result. Before the tear-down. */
void run_explain (struct run *run, bool deadline, bool over, bool killed);
/* Nothing will have to be explained. The mounts go with the last process inside. */
void run_let_go_of_inside (struct run *run);

/* explain.c: to the observer, if there is one. */
void run_tell_denials (struct run *run);
void run_tell_limit (const struct run *run, enum control control, const char *what, uint64_t number);

/* What has passed since the last call belongs to PHASE. */
void run_passed (struct run *run, enum run_phase phase);
