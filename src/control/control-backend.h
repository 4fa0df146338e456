/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A backend: what carries a plan out. One value describes it, in one file of src/backend, and one row of the
 * table there lists it.
 *
 * Whatever differs between backends is a field here. Code outside src/backend reads these fields and never
 * asks which backend it has. The functions and the values behind pointers belong to directories that come
 * later; this one only names their types.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "control-enforcement.h"

struct backend_question;
struct engine_ways;
struct launch;
struct plan;
struct run_driver;
struct runtime_program;

struct backend {
  const char *name;   /* for --backend and for people: "oci:runc" */
  unsigned isolation; /* the kind of isolation that it gives: ISOLATION_CONTAINER */

  /* How it carries controls: rows of its own, then those that it shares with its like (may be NULL), then
   * the common ones; the first that fits decides. Each ends with a row without a reason. */
  const struct enforcement_row *rows, *shared;
  bool observed;                                /* what rows call measured was seen on this one */
  const struct backend_difference *differences; /* ends with one without a name; NULL: none */

  /* What a plan for it is like. */
  bool own_kernel;           /* containers have a kernel of their own: init is no process of the host's */
  bool images_only;          /* it starts images of its own store, not directories */
  bool own_privilege;        /* it makes cgroups and ids with its own privilege, not with the caller's */
  bool adds_env;             /* it adds variables that were not asked for */
  bool has_others;           /* it has containers of other callers, which may share namespaces with ours */
  bool names_runtimes;       /* --runtime is its name for one, not a program of this host */
  bool fixed_runtime;        /* there is no --runtime for it */
  bool shows_group;          /* the stage can give the command a view of its cgroup */
  bool reads_filter;         /* the filter is a file that it reads */
  bool prewarms;             /* sandboxes can be made before their command is known */
  const char *const *mounts; /* what it mounts on its own; ends with NULL; NULL: nothing */

  const char *document; /* what it is given, for --target: "oci" */
  int (*render) (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err);
  /* "runc version 1.1.5 (/usr/sbin/runc)", as asked of it; fails where it is not here. */
  int (*version) (const struct backend_question *question, char **ret_text, struct error *err);
  /* 1: this host has it; 0: it has not; -ENOMEM. Executes nothing. HELPER is the path of our own helper,
   * NULL: it is in this program. Where no backend is named the first that is ready is used; NULL: never
   * this one. */
  int (*ready) (const struct backend *backend, const char *helper);
  const char *missing; /* what `doctor` says where it is not ready; NULL: that it was not found */

  const struct run_driver *driver;       /* makes, starts, signals, waits for and removes a container */
  const struct runtime_program *program; /* for the driver of programs */
  const struct engine_ways *engine;      /* for the driver of engines */
};

/* All of them, in the order in which they are shown; ends with NULL (src/backend/table.c). */
extern const struct backend *const backends[];
#define BACKEND_MAX 16

/* Every OCI runtime that has no row. */
extern const struct backend backend_other;

/* The one of that very name; NULL: none. */
const struct backend *backend_named (const char *name);

/* The OCI runtime that RUNTIME, a name or a path, is. */
const struct backend *backend_of_runtime (const char *runtime);

/* Finds the backend for --backend NAME and --runtime RUNTIME (may be NULL). */
int backend_find (const char *name, const char *runtime, const struct backend **ret_backend,
                  struct error *err);

/* Values of a control that some backend carries differently, one by one; false past the last. */
struct enforcement_note {
  enum control control;
  const char *value; /* "allow" */
  unsigned backends; /* bit per row of BACKENDS */
  struct enforcement enforcement;
};
bool enforcement_note_at (size_t index, struct enforcement_note *ret_note);

/* What runs do or tell otherwise on some backend, one by one; false past the last. */
bool backend_difference_at (size_t index, struct backend_difference *ret_difference, unsigned *ret_backends);
