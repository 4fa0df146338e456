/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter of a plan: a seccomp list resolved for one architecture.
 *
 * Every name is looked up in libseccomp (plan/seccomp*.c are its only users), and in a short table of calls
 * that are newer than the oldest libseccomp that we build with. A name in neither is an error: a misspelled
 * name would silently allow or deny less than intended. A name that only other architectures have is left
 * out. A name that is too new for this libseccomp stays in the filter, so that the same list gives the same
 * filter everywhere; a runtime that does not support it omits the rule, and the call gets the errno for
 * unknown calls, so that never more than intended is allowed. A name in process.seccomp.allow that this
 * libseccomp does not support is an error, because the user asked for that call.
 *
 * Conditions become masked comparisons, the only OCI operator that can ignore the upper half of an argument
 * as the kernel does. The rules for one call never overlap, so neither their order nor whether a runtime
 * joins them with "and" or "or" matters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-sha256.h"
#include "base-str.h"
#include "profile-seccomp.h"

/* Upper bound of the rules of one filter, and of the comparisons on one argument. */
#define FILTER_RULES_MAX 4096u

/* Holds if (argument & MASK) == DATUM. */
struct filter_arg {
  unsigned index;
  uint32_t mask; /* never 0 */
  uint32_t datum;
};

/* NAMES get the action if all ARGS hold. */
struct filter_rule {
  struct strlist names; /* a set */
  bool allow;
  int errnum;                                /* where not allowed */
  struct filter_arg args[SECCOMP_ARGUMENTS]; /* ascending, at most one per argument */
  size_t arg_count;
};

/* The line of the list that denies a call, always or under a condition. */
struct filter_line {
  char *name;
  unsigned line;
};

struct filter {
  char *file; /* of the list */
  struct filter_line *lines;
  size_t line_count;
  const char *architecture; /* such as "SCMP_ARCH_X86_64"; only the native one */
  int unknown_errnum;
  struct filter_rule *rules; /* sorted; no two with the same action and condition */
  size_t rule_count;
  struct strlist allowed; /* every name that is allowed under some condition (a set), for reports */
  int seal;               /* the errno of SEAL_CALL, which identifies this filter */
  bool kept;              /* in the cache: filter_free does nothing */
};

/* "Seccomp: 2" does not show whose filter is loaded. Linux has not had nfsservctl since 3.1 and does not
 * reuse its number, so without a filter it fails with ENOSYS, under another filter with EPERM or ENOSYS.
 * Under ours it fails with an errno that no kernel uses and that is derived from the digest of all rules. */
#define SEAL_CALL  "nfsservctl"
#define SEAL_FIRST 1024
#define SEAL_COUNT 3000 /* the kernel passes errnos up to 4095 */

/* EXTRA are the names in process.seccomp.allow, allowed without condition. UNKNOWN are names (a set; NULL:
 * none) that get the errno for unknown calls; none of them may be in EXTRA. Both override the list. MACHINE
 * is that of uname. */
int filter_build (const struct seccomp_list *list, const struct strlist *extra, const struct strlist *unknown,
                  const char *machine, struct filter **ret_filter, struct error *err);

/* From here on filters of cached lists are cached, too. profile-seccomp.h has the measured gain of both. */
void filters_keep (void);

/* The filter's result for a call: 0 for allowed, or the errno. */
int filter_answer (const struct filter *filter, const char *name,
                   const uint64_t arguments[SECCOMP_ARGUMENTS]);

/* Whether the listener is notified when RULE denies NAME. Not for ENOSYS and EINVAL: libraries probe for such
 * calls all the time and fall back to others. Never for sendmsg and write, with which init hands the listener
 * over. */
bool filter_tells (const struct filter_rule *rule, const char *name);

/* Whether that holds for the rule that denies this call. */
bool filter_call_tells (const struct filter *filter, const char *name,
                        const uint64_t arguments[SECCOMP_ARGUMENTS]);

/* What becomes of a denied call.
 *
 * A run can have the same filter twice: the runtime loads it first, and init a second time, with a listener
 * that the runtime cannot have. The kernel takes the stricter of the two results, and an errno is stricter
 * than a notification. So the runtime's filter gives SCMP_ACT_TRACE where init's notifies: that is less
 * strict than a notification, and without init's filter the call fails with ENOSYS. */
enum filter_mode {
  FILTER_ERRNO,    /* it fails with the list's errno */
  FILTER_NOTIFIES, /* init's: where filter_tells holds a listener is notified */
  FILTER_DEFERS,   /* the runtime's: these get SCMP_ACT_TRACE, and init may load a filter */
};

/* The call by which init loads a filter: its first argument is SECCOMP_SET_MODE_FILTER. A list that does not
 * allow that has its rules for this call replaced in FILTER_DEFERS. */
#define FILTER_LOAD_CALL "seccomp"
bool filter_allows_loading (const struct filter *filter);

/* Compiles FILTER to BPF for this machine. Takes about 20 milliseconds, so callers cache the result. */
int filter_compile (const struct filter *filter, enum filter_mode mode, uint8_t **ret_program,
                    size_t *ret_size, struct error *err);

/* The cache key of such a program: a digest of all its inputs, which are the rules, the architecture, the
 * version of libseccomp and that of this code. */
void filter_program_name (const struct filter *filter, enum filter_mode mode, char ret_hex[SHA256_HEX]);

/* The name of a call by its number; NULL if libseccomp has none, or without memory. */
char *filter_call_name (const struct filter *filter, int number);

/* The line of the list that denies NAME; 0: none. */
unsigned filter_line_of (const struct filter *filter, const char *name);

void filter_free (struct filter *filter);
DEFINE_CLEANUP (struct filter, filter_free)
#define cleanup_filter cleanup (filter_free_p)
