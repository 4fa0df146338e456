/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A backend executes a plan. One value describes it, in one file of src/backend, and one row of
 * the table there lists it.
 *
 * Every difference between backends is a field here. Code outside src/backend reads these fields and
 * never asks which backend it has. The functions and the types of the pointers belong to later
 * directories; this one only declares them.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "control-enforcement.h"

struct backend_question;
struct engine_api;
struct launch;
struct plan;
struct run_driver;
struct runtime_program;

struct backend {
  const char *name;   /* for --backend and messages: "oci:runc" */
  unsigned isolation; /* the kind of isolation that it gives: ISOLATION_CONTAINER */

  /* How it enforces controls: its own rows, then those shared with similar backends (may be NULL), then
   * the common ones; the first match decides. Each table ends with a row without a reason. */
  const struct enforcement_row *rows, *shared;
  bool observed;                                /* rows marked as measured were observed on this backend */
  const struct backend_difference *differences; /* ends with one without a name; NULL: none */

  /* Properties that shape a plan. */
  bool own_kernel;           /* containers have their own kernel: init is not a host process */
  bool images_only;          /* it starts images from its own store, not directories */
  bool own_privilege;        /* it creates cgroups and ids with its own privileges, not the caller's */
  bool adds_env;             /* it adds environment variables that were not requested */
  bool has_others;           /* containers of other callers may share namespaces with ours */
  bool names_runtimes;       /* --runtime is a name known to it, not a program on this host */
  bool fixed_runtime;        /* it does not accept --runtime */
  bool shows_group;          /* the stage can show the command its cgroup */
  bool reads_filter;         /* the filter is a file that it reads */
  bool prewarms;             /* sandboxes can be created before the command is known */
  const char *const *mounts; /* mounts that it adds; NULL-terminated; NULL: none */

  const char *document; /* the document that it takes, for --target: "oci" */
  int (*render) (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err);
  /* Asks it for "runc version 1.1.5 (/usr/sbin/runc)"; fails where it is not installed. */
  int (*version) (const struct backend_question *question, char **ret_text, struct error *err);
  /* 1: available on this host; 0: not; -ENOMEM. Executes nothing. HELPER is the path of our helper;
   * NULL: it is part of this program. Where no backend is named, the first that is ready is used. NULL:
   * never chosen by default. */
  int (*ready) (const struct backend *backend, const char *helper);
  const char *missing; /* reported by `doctor` where it is not ready; NULL: "not found" */

  const struct run_driver *driver;       /* creates, starts, signals, waits for and removes a container */
  const struct runtime_program *program; /* for the driver of programs */
  const struct engine_api *engine;       /* for the driver of engines */
};

/* All backends in display order, NULL-terminated (src/backend/table.c). */
extern const struct backend *const backends[];
#define BACKEND_MAX 16

/* Any OCI runtime without a row of its own. */
extern const struct backend backend_other;

/* The backend of exactly that name, or NULL. */
const struct backend *backend_named (const char *name);

/* The backend for the OCI runtime RUNTIME, a name or a path. */
const struct backend *backend_of_runtime (const char *runtime);

/* Finds the backend for --backend NAME and --runtime RUNTIME (may be NULL). */
int backend_find (const char *name, const char *runtime, const struct backend **ret_backend,
                  struct error *err);

/* Iterates over the values of a control that some backend enforces differently; false past the last. */
struct enforcement_note {
  enum control control;
  const char *value; /* "allow" */
  unsigned backends; /* bit per row of BACKENDS */
  struct enforcement enforcement;
};
bool enforcement_note_at (size_t index, struct enforcement_note *ret_note);

/* Iterates over the differences between backends that are not controls; false past the last. */
bool backend_difference_at (size_t index, struct backend_difference *ret_difference, unsigned *ret_backends);
