/* A backend carries a plan out. This table is all that the supervisor knows of one.
 *
 * An OCI runtime is a program: the supervisor asks for the words of a step, executes them on the stage, and
 * on failure asks what the runtime said. libcrun is the same, with our own helper as the program. A step
 * without words has nothing to do.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "base-str.h"
#include "control-enforcement.h"
#include "plan-staged.h"

struct launch {
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
enum backend_step { STEP_CREATE, STEP_START, STEP_KILL, STEP_DELETE };

struct backend_ops {
  const char *name;
  enum init_transport transport;
  bool needs_v1_view; /* refuses a host with both cgroup versions mounted */
  bool own_kernel; /* init is no process of the host's: the runtime's own process stands for it, with its exit
                    * code, and its pid is in the directory's file "pid" */
  bool listens;    /* hands the listener of a filter over (OCI's listenerPath) */
  bool prepared;   /* part of us: what we do better ourselves is left to us, which is to make the groups of
                    * version 1 and to compile the filter */
  bool has_control; /* its program answers over a socket behind the passed descriptors */
  int (*argv) (const struct launch *launch, enum backend_step step, struct strlist *ret_argv,
               struct error *err);
  /* What was said about a failed step, in one line; NULL when nothing was. CONTROL is the socket, or -1. */
  char *(*failure) (const struct launch *launch, enum backend_step step, int control);
};

/* The operations of BACKEND; NULL for one that is no program. */
const struct backend_ops *backend_ops (enum backend backend);

/* Finds the runtime NAME: an absolute path, or a name in the usual directories for programs. */
int backend_find_program (const char *name, char **ret_path, struct error *err);
