/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter of a plan as the linux.seccomp object of an OCI config.json.
 *
 * A filter that DEFERS (FILTER_DEFERS in plan-seccomp.h) leaves calls of which a person should learn to the
 * filter that init loads; otherwise every denied call gets its errno.
 *
 * Docker takes the same form in its "seccomp=" option. The default action is an errno, so that a runtime that
 * does not support a rule can only deny more.
 */
#pragma once

#include "base-json-write.h"
#include "plan-seccomp.h"

/* Writes the object under KEY, or as the whole document if KEY is NULL. */
void oci_seccomp_write (struct json_writer *w, const char *key, const struct filter *filter, bool defers);

/* The same without rules, for a runtime that gets the compiled filter, because parsing the rules takes longer
 * than all the rest. A runtime that ignores the compiled filter would deny every call. */
void oci_seccomp_write_head (struct json_writer *w, const char *key, const struct filter *filter);
