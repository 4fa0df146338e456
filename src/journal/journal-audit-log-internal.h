/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by audit-log*.c. */
#pragma once

#include "journal-audit-log.h"

struct audit_log_change {
  const char *name, *digest;
  char before[JOURNAL_DIGEST_SIZE];
};

/* Whether the digest differs from that of the profile's last use; the first use is no change. */
int audit_log_look_for_change (struct audit_log *log, struct audit_log_change *change, bool *ret_changed,
                               struct error *err);
journal_details audit_log_change_details; /* of a change */

/* Adds nothing if POSTURE is NULL. */
void audit_log_add_posture (struct journal_event *events, size_t *count, const struct posture *posture);
journal_details audit_log_refused_details; /* of the error */
