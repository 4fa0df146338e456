/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A request: what one launch asks for.
 *
 * A request may only tighten. request_check compares it with the settings in force: a limit above the
 * profile's, or a mount, variable or secret that the profile does not name, is an error that names the
 * control and both values. To get more, the user adds a profile that grants it; no flag does. Pure.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "base-str.h"
#include "control-backend.h"
#include "control-value.h"

enum root_kind { ROOT_FROM_HOST, ROOT_FROM_DIRECTORY, ROOT_FROM_IMAGE };

struct request {
  struct strlist argv;
  char *cwd;       /* NULL: the workspace, or / without one */
  char *workspace; /* absolute and normal; NULL for none */
  enum root_kind root;
  char *root_path; /* ROOT_FROM_DIRECTORY: absolute and normal; ROOT_FROM_IMAGE: the reference */

  struct strlist env;        /* --env: NAME or NAME=VALUE */
  struct strlist caller_env; /* NAME=VALUE: the caller's own, filtered by environment.pass */
  struct grants mounts;      /* --mount */
  struct grants secrets;     /* --secret: name and source */
  struct settings tighten;   /* --limit, --timeout */
  struct strlist accepted;   /* --accept-unenforced (a set of control names) */
  bool unconfined;           /* --rawdog-no-sandbox-at-all */

  const struct backend *backend;
  const struct backend *below; /* the runtime that the engine BACKEND uses; NULL: not known */
  bool stand_in;         /* no backend was chosen, and BACKEND replaces libcrun, which this build lacks */
  char *runtime;         /* as named by the user; NULL for the backend's own */
  bool engine_found;     /* the engine's socket was found, so engine_owner is valid */
  uint32_t engine_owner; /* uid of the engine */
  char *run_id;
  unsigned id_slot; /* number of the run's private id range */
  bool terminal;
};

/* Reads "memory=256M" into request->tighten. */
int request_add_limit (struct request *request, const char *assignment, struct error *err);
int request_set_timeout (struct request *request, const char *duration, struct error *err);
/* Reads "SRC:DST[:ro|:rw]"; both absolute and normal. The default is read-only. */
int request_add_mount (struct request *request, const char *text, struct error *err);
/* Reads "NAME=FILE". */
int request_add_secret (struct request *request, const char *text, struct error *err);
/* Reads "NAME" or "NAME=VALUE". */
int request_add_env (struct request *request, const char *text, struct error *err);
/* Reads a control's name. */
int request_accept (struct request *request, const char *control, struct error *err);

/* Whether SETTINGS (resolved) grant all that REQUEST asks. */
int request_check (const struct settings *settings, const struct request *request, struct error *err);

/* Whether environment.pass allows NAME: by its exact name, or by a pattern unless it looks like a
 * credential. */
bool request_env_allowed (const struct settings *settings, const char *name);
bool request_looks_like_credential (const char *name);

void request_clear (struct request *request);
#define cleanup_request cleanup (request_clear)
