/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run, from a plan to a result, with nothing left behind.
 *
 * The supervisor makes the run's directory, stages root and sources in a child, lets the backend create and
 * start the container, waits for init's hello, gives the go-ahead, copies the streams, keeps the deadline,
 * reads the kernel's counters and tears everything down. Tear-down runs on every path; what a killed
 * supervisor leaves is finished by run_gc.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "cgroup-group.h"
#include "denial-record.h"
#include "host-facts.h"
#include "image-unpack.h"
#include "plan-plan.h"
#include "posture-posture.h"

/* The parts of a run that take time, in their order. */
enum run_phase {
  PHASE_PREPARE, /* the directory, ids, documents */
  PHASE_CREATE,  /* the stage, and the runtime's create */
  PHASE_START,   /* until init's hello */
  PHASE_ANSWER,  /* init's answers, and the look from outside meanwhile */
  PHASE_JUDGE,   /* the verdict */
  PHASE_COMMAND,
  PHASE_CLEAN,
  PHASE_COUNT
};

/* KILLED: a signal asked this process to end the command, which did not end within the grace period. */
enum run_reason { RUN_EXITED, RUN_SIGNALLED, RUN_DEADLINE, RUN_REFUSED, RUN_LIMIT, RUN_KILLED };

/* After TERM a command has this long to end by itself, unless the caller sets another time. */
#define RUN_GRACE_MS 2000u

/* Gets what happens while the command runs. */
struct run_observer {
  void *data;
  /* One that is new, or whose count has doubled since it was told. */
  void (*denial) (void *data, const struct denial *denial);
  /* WHAT is the name of NUMBER. */
  void (*limit) (void *data, enum control control, const char *what, uint64_t number);
  int (*waiting) (void *data); /* a descriptor; FLUSH is called when it can be written. -1: none */
  void (*flush) (void *data);
};

struct run_options {
  const struct host_facts *host;
  const struct plan *plan;
  const char *init;            /* path of tyrum-oci-init */
  const char *cache;           /* directory for unpacked images */
  image_progress_teller *tell; /* of unpacking one; may be NULL */
  void *tell_data;
  const char *helper_path; /* of tyrum-oci-libcrun-helper; may be missing for other backends */
  int (*helper_main) (int argc, char **argv); /* the helper as a function of this program; NULL: executed */
  int in, out, err;                           /* the caller's streams; -1 for none */
  const char *id;                  /* of the run, from run_id_make; that of PREWARMED, where there is one */
  struct run_prewarmed *prewarmed; /* a sandbox that may serve; it is taken over, or discarded. NULL: none */

  /* Called when all is ready and judged, before the command starts, which a failure prevents. May be NULL. */
  int (*on_start) (void *data, const struct posture *posture, struct error *err);
  void *on_start_data;

  const struct run_observer *observer; /* NULL: none */

  bool cut_output;    /* more output than may pass is cut off without a message, whatever the plan has: the
                       * caller has promised that, and tells of it */
  bool wide_output;   /* the command may end before its output was read: the pipe takes what it can */
  uint64_t grace_ms;  /* from TERM to KILL; 0: RUN_GRACE_MS */
  bool last;          /* this process launches nothing after it: privileges are given up on the way */
  bool keep_override; /* it writes something afterwards where only CAP_DAC_OVERRIDE lets it */

  const char *engine_socket;                   /* NULL: where the engine usually is */
  bool pull;                                   /* the engine may fetch a missing image */
  void (*note) (void *data, const char *line); /* for people, while it goes on; NULL: they are dropped */
  void *note_data;
};

struct run_result {
  char *id;
  enum run_reason reason;
  int code;       /* the command's exit code; 128+n after a signal; 124, 125 as documented */
  int signal;     /* 0: none, or not known */
  bool idle;      /* limits.idle ended the command; the reason is RUN_LIMIT */
  bool killed;    /* SIGNAL is the KILL that this program sent after the grace period */
  int exec_errno; /* why the command could not be executed; 0: it was, or that is not known */
  int end_signal; /* the signal by which this process was asked to end the command; 0: none */
  uint64_t wall_ms;
  struct cgroup_counters counters;
  uint64_t out_bytes, err_bytes;
  bool out_cut, err_cut;
  bool reader_gone;    /* the reader of standard output or error was gone before the command had ended */
  int stream_errno[3]; /* why the caller's standard stream of that number could not be passed on; 0: it was */
  uint64_t phases_us[PHASE_COUNT]; /* microseconds */
  struct posture *posture;         /* what was observed before the command started; NULL: nothing was */
  struct denials denials;
  bool calls_received; /* refused calls are among them; if not, only what could be inferred is */
  bool suspicious;     /* the command failed in a way that a control can cause (denial-outcome.h) */
  char *left;          /* what could not be cleaned up; NULL: everything was */
};

/* Fails only where the command was not started, or its end could not be learnt; then only END_SIGNAL of the
 * result is set. A broken promise is no failure: the reason is then RUN_REFUSED, and the posture shows
 * which. */
int run_execute (const struct run_options *options, struct run_result *ret_result, struct error *err);

/* Finishes every run whose supervisor is gone. *RET_COUNT is how many. An engine gets ENGINE_MS milliseconds
 * for an answer; 0: as usual. */
int run_gc (const struct host_facts *host, unsigned engine_ms, unsigned *ret_count, struct error *err);

/* Containers of this user's runs in engines, found by their labels, that no directory speaks for any more. */
struct run_left {
  struct strlist runs, backends; /* as many of one as of the other */
};

int run_list_engines (const struct host_facts *host, const char *engine_socket, struct run_left *ret_left,
                      struct error *err);
void run_left_clear (struct run_left *left);
#define cleanup_run_left cleanup (run_left_clear)

/* Removes what runs of this user have left in engines without a directory to be found by. ENGINE_SOCKET as
 * above. Engines that do not answer are skipped. */
int run_gc_engines (const struct host_facts *host, const char *engine_socket, unsigned *ret_count,
                    struct error *err);

/* Ends a live run: TERM to its supervisor, which tears it down. */
int run_kill (const struct host_facts *host, const char *id, int signal, struct error *err);

void run_result_clear (struct run_result *result);
#define cleanup_run_result cleanup (run_result_clear)

const char *run_reason_text (enum run_reason reason);
const char *run_phase_text (enum run_phase phase);
