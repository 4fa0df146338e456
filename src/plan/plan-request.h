/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A request: what one launch asks for.
 *
 * A request may only tighten. request_check holds it against the settings in force: a limit that would
 * rise, a mount, variable or secret that no profile names, is an error that names the control and both
 * values. The command line appends a profile that grants it: escalation is a profile's name in the shell
 * history, never a stray flag. Pure.
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
  struct strlist caller_env; /* NAME=VALUE: what pass picks from */
  struct grants mounts;      /* --mount */
  struct grants secrets;     /* --secret: name and source */
  struct settings tighten;   /* --limit, --timeout */
  struct strlist accepted;   /* --accept-unenforced (a set of control names) */
  bool rawdog;               /* --rawdog-no-sandbox-at-all */

  const struct backend *backend;
  const struct backend
      *below;            /* what RUNTIME is, where BACKEND has a runtime carry it out; NULL: not known */
  bool stand_in;         /* nothing was chosen, and BACKEND takes the place of libcrun, which is not here */
  char *runtime;         /* as named by the user; NULL for the backend's own */
  bool engine_found;     /* an engine's socket was looked at: */
  uint32_t engine_owner; /* whose it is */
  char *run_id;
  unsigned id_slot; /* which private range of ids this run gets */
  bool terminal;
};

/* Reads "memory=256M" into request->tighten. */
int request_add_limit (struct request *request, const char *assignment, struct error *err);
int request_set_timeout (struct request *request, const char *duration, struct error *err);
/* Reads "SRC:DST[:ro|:rw]"; both absolute and normal. Read-only unless said otherwise. */
int request_add_mount (struct request *request, const char *text, struct error *err);
/* Reads "NAME=FILE". */
int request_add_secret (struct request *request, const char *text, struct error *err);
/* Reads "NAME" or "NAME=VALUE". */
int request_add_env (struct request *request, const char *text, struct error *err);
/* Reads a control's name. */
int request_accept (struct request *request, const char *control, struct error *err);

/* Whether SETTINGS (resolved) grant all that REQUEST asks. */
int request_check (const struct settings *settings, const struct request *request, struct error *err);

/* Whether NAME may pass from outside under SETTINGS: named exactly, or by a pattern unless the name looks
 * like a credential. */
bool request_env_allowed (const struct settings *settings, const char *name);
bool request_looks_like_credential (const char *name);

void request_clear (struct request *request);
#define cleanup_request cleanup (request_clear)
