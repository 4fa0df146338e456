/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the containers of engines leave in the audit journal: the runtime's verbs and the hook write it.
 *
 * requested and plan before the low-level runtime is called; posture and started before the command runs;
 * joined and updated before a process joins, or new limits apply; refused wherever something was;
 * ended when the container is deleted or found lost. All lines of a container name it and have one run's id.
 * What cannot be written does not happen, unless the operator's configuration says otherwise; an end, which
 * has happened, is only warned about.
 *
 * Words of others (names, commands, messages) are cut, and escaped as JSON has it. Of a command only the
 * first word is written: the others may be secrets.
 */
#pragma once

#include "journal-audit-log.h"
#include "posture-posture.h"
#include "shim-policy.h"

struct audit {
  struct audit_log log;
  struct configuration *configuration;
};

/* RUN is NULL for a container that is new. CONTAINER is not copied. */
int audit_open (const char *config_dir, const char *data_dir, const char *container, const char *run,
                struct audit *ret_audit, struct error *err);
void audit_clear (struct audit *audit);
#define cleanup_audit cleanup (audit_clear)

struct audit_request {
  const char *via;              /* the verb, or the hook's stage */
  const char *profile;          /* as it was asked for */
  const char *annotated;        /* NULL: nothing */
  const char *runtime, *bundle; /* NULL: not known */
  const struct json_node *process;
};

/* The container may be made. CONFIG is the restricted specification. */
int audit_met (struct audit *audit, const struct audit_request *asked, const struct policy *policy,
               const struct spec_changes *changes, const char *config, struct error *err);
/* ASKED is NULL where it was written already, POSTURE where nothing was observed. */
int audit_refused (struct audit *audit, const struct audit_request *asked, const struct posture *posture,
                   const struct error *why, struct error *err);
int audit_joined (struct audit *audit, const struct json_node *process, const struct spec_changes *changes,
                  struct error *err);
int audit_updated (struct audit *audit, const struct spec_changes *changes, struct error *err);
/* CODE is -1 where only the engine knows it. */
int audit_ended (struct audit *audit, const char *reason, int code, struct error *err);
