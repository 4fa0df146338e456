/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a container is made, started, signalled, waited for and removed.
 *
 * A backend names a driver (struct backend, control-backend.h): there is one for programs that are executed
 * on a stage, and one for engines. The supervisor takes a driver's steps in this order, and knows nothing
 * else of the backend.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "base-str.h"
#include "control-backend.h"
#include "plan-launch.h"

struct host_facts;
struct run;
struct run_dir;
struct run_left;
struct run_part;
struct run_record;

/* What a walk over left runs knows of engines: one that hangs is asked once, and not once for each run. */
struct left_walk {
  const struct host_facts *host;
  unsigned patience_ms; /* with an engine; 0: as usual */
  char *hanging;        /* the socket of one; NULL: none */
};

struct run_driver {
  const struct run_part *const *parts; /* ends with NULL; of these one finds the program or engine, and one
                                          removes the container */
  /* Everything is prepared. Makes and starts the container, up to init's hello; the first questions are on
   * their way by then. */
  int (*start) (struct run *run);
  /* Whether something is written or removed after the command has started that takes CAP_DAC_OVERRIDE. */
  bool (*needs_override) (const struct run *run);
  void (*signal) (struct run *run, int signal_number);
  /* Init is gone, and has TOLD how the command ended or not. If not, *RET_STATUS is init's own end as waitpid
   * has it; negative where that is unknown, or not within RUN_END_MS if it is HURRIED. */
  int (*wait) (struct run *run, bool told, bool hurried, int *ret_status);

  /* Removes what only the backend finds of a run whose supervisor is gone. An error keeps the directory, and
   * so the run's turn. */
  int (*remove_left) (struct left_walk *walk, const struct backend *backend, const struct run_record *record,
                      const struct run_dir *dir, struct error *err);
  /* Adds the containers of this user's runs that no directory speaks for to *LEFT; with REMOVE they are
   * removed. A backend that does not answer has none. NULL: there can be none. */
  int (*sweep) (const struct backend *backend, const struct host_facts *host, const char *engine_socket,
                bool remove, struct run_left *left, struct error *err);
};

/* By programs that are executed on a stage (struct runtime_program), and through an engine (struct
 * engine_api). */
extern const struct run_driver run_by_programs, run_by_engine;

/* What one step of a runtime is called with. */
struct runtime_call {
  const char *id;
  const char *directory; /* the run's directory, for the log */
  const char *state;     /* for the runtime's own state */
  const char *bundle;    /* holds config.json */
  const char *program;   /* absolute: the runtime, or our helper */
  const char *console;   /* the socket for a terminal's master, or NULL */
  bool cgroup;           /* whether the run gets one */
  unsigned passed;       /* descriptors from 3 on that go to init */
  int signal;            /* STEP_KILL: which */
};

/* STEP_KILL: only where init is not a process of the host's. */
enum runtime_step { STEP_CREATE, STEP_START, STEP_KILL, STEP_DELETE };

/* A backend that is a program: the supervisor asks for the arguments of a step, executes them on the stage,
 * and on failure asks what the program said. A step without arguments has nothing to do. Where containers
 * have a kernel of their own the runtime's process stands for init, with its exit code, and its pid is in the
 * directory's file "pid". */
struct runtime_program {
  enum init_transport transport;
  bool needs_v1_view; /* refuses a host with both cgroup versions mounted */
  bool is_helper;     /* the program is our helper: put on the stage, or called (run_options.helper_main) */
  bool creates_only;  /* STEP_CREATE starts as well; the other steps execute nothing */
  bool leaves_v1_groups;      /* the supervisor makes cgroups of version 1 */
  bool takes_compiled_filter; /* if not, it compiles the list of the document itself */
  bool has_control;           /* its program answers over a socket after the passed descriptors */
  /* RUNTIME is the value of --runtime, or NULL; HELPER is where our own helper is. */
  int (*find) (const char *runtime, const char *helper, char **ret_path, struct error *err);
  int (*argv) (const struct runtime_call *call, enum runtime_step step, struct strlist *ret_argv,
               struct error *err);
  /* What was said about a failed step, in one line; NULL when nothing was. CONTROL is the socket, or -1. */
  char *(*failure) (const struct runtime_call *call, enum runtime_step step, int control);
};
