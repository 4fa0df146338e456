/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter of a plan as the linux.seccomp object of an OCI specification.
 *
 * With a listener, refusals that somebody wants to hear of (filter_tells) are notified to it instead of being
 * answered by the filter; whoever listens answers what the filter would. Without one the filter answers all.
 *
 * Docker takes the same form in its "seccomp=" option. The default action is an errno, so that what
 * a runtime does not understand in a rule can only take a call away.
 */
#pragma once

#include "base-json-write.h"
#include "plan-seccomp.h"

/* Writes the object under KEY, or as the whole document where KEY is NULL. LISTENER is the path of the socket
 * to which the runtime sends the listener; NULL: nobody listens. */
void oci_seccomp_write (struct json_writer *w, const char *key, const struct filter *filter,
                        const char *listener);

/* The same without its rules, for a runtime that has them as a program: they take it longer to read than all
 * else together. One that did not find the program would refuse every call. */
void oci_seccomp_write_head (struct json_writer *w, const char *key, const struct filter *filter,
                             const char *listener);
