/* The filter of a plan as the linux.seccomp object of an OCI specification.
 *
 * Docker takes the same form in its "seccomp=" option. The default action is an errno, so that what
 * a runtime does not understand in a rule can only take a call away.
 */
#pragma once

#include "base-json-write.h"
#include "plan-seccomp.h"

/* Writes the object under KEY, or as the whole document where KEY is NULL. */
void oci_seccomp_write (struct json_writer *w, const char *key, const struct filter *filter);
