/* The parts of a run and what they share. */
#pragma once

#include <sys/types.h>
#include <termios.h>

#include "backend-backend.h"
#include "base-handshake.h"
#include "posture-inside.h"
#include "run-dir.h"
#include "run-image.h"
#include "run-run.h"
#include "run-stream.h"
#include "run-watchdog.h"

enum { STREAM_IN, STREAM_OUT, STREAM_ERR, STREAM_COUNT };

struct run {
  const struct run_options *options;
  const struct backend_ops *ops;
  struct run_dir dir;
  struct image_root image; /* the tree that the root is made of, if any */
  unsigned slot;           /* our private range of ids, held by slot_fd */
  int slot_fd;
  struct launch launch;
  char *bundle, *stage, *state, *program, *console_path;
  int console;  /* where the runtime hands a terminal over */
  int terminal; /* the master of the run's own terminal, or -1 */
  struct termios saved_terminal;
  bool terminal_is_raw;
  int stage_ns[2];       /* the stage's mount namespace, and its user namespace where it has one of its own */
  int control;           /* from the backend's program, or -1 */
  int handshake, status; /* our ends of init's sockets, or -1 */
  int child_fds[5];      /* what the container gets as 0 to 4; -1: none */
  struct stream streams[STREAM_COUNT];
  pid_t init_pid; /* init, or the process that stands for it; 0: not known */
  int init_pidfd;
  struct watchdog watchdog; /* while the loop runs */
  int signals;              /* a signalfd */
  int timer;                /* of the deadline: a timerfd, or -1 where there is none */
  struct inside inside;     /* what init is asked and answers */
  size_t asked;             /* how many of the questions are on their way */
  bool created;             /* the runtime has something to delete */
  uint64_t passed_us;       /* when the last phase ended */
  struct run_result result;
  struct error *err;
};

/* spawn.c and step.c: executing the steps. */
int run_stage_and_create (struct run *run);
int run_step (struct run *run, enum backend_step step);
/* To a child of ours that nobody has waited for yet; that it is gone is no error. */
void run_signal (int pidfd, pid_t pid, int signal_number);
/* Executes WORDS with nothing of the caller's, and waits MS milliseconds at most; whether it went well. */
bool run_words (const struct strlist *words, uint64_t ms);
/* Reads the signals that came; whether one of them asks for an end. */
bool run_was_interrupted (struct run *run);
/* In a child: puts FDS at 0, 1, 2, ...; a missing one below 3 becomes /dev/null. Everything else is closed.
 */
int run_arrange_descriptors (const int *fds, size_t count);
/* Waits for every dead child but one that is waited for elsewhere (0: none). */
void run_reap_others (pid_t except);

/* handshake.c */
int run_open_channels (struct run *run);
int run_await_hello (struct run *run);
/* Exactly SIZE bytes of what init says, or an error. */
int run_hear (struct run *run, void *bytes, size_t size);
int run_say (struct run *run, enum handshake_type type, const void *bytes, size_t length);
int run_take_sandbox (struct run *run);
int run_go (struct run *run);
bool run_read_ended (struct run *run, struct handshake_ended *ret_ended);
void run_send_seen (struct run *run);

/* observe.c: what was promised against what is seen; the verdict is in the run's result. */
int run_ask_first (struct run *run);
int run_observe (struct run *run);

/* mend.c: gives the root the flags that the runtime took from it. Whether it did something. */
bool run_mend_root (struct run *run);

/* terminal.c: only where the plan has a terminal. */
int run_terminal_listen (struct run *run);
int run_terminal_accept (struct run *run);
void run_terminal_resize (struct run *run);
void run_terminal_restore (struct run *run);

/* loop.c: from the go-ahead to the end. The deadline runs from the last time it was armed. */
int run_deadline_arm (struct run *run);
uint64_t run_deadline_left (const struct run *run); /* milliseconds, as the kernel holds it; 0: none */
int run_loop (struct run *run);

/* teardown.c */
void run_tear_down (struct run *run);

/* Milliseconds of a clock that no one sets. */
uint64_t run_now_ms (void);

/* What has passed since the last call belongs to PHASE. */
void run_passed (struct run *run, enum run_phase phase);
