/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A seccomp list made ready for one architecture: the filter of a plan.
 *
 * Every name is looked up in libseccomp (plan/seccomp*.c are its only users), and in a short table of
 * calls that Linux gained after the oldest libseccomp that we build with. A name that neither has
 * is an error: it is a typing mistake, which would silently allow less, or deny less, than was
 * meant. A name that only other architectures have is left out. A name that is too new for this
 * libseccomp stays in the filter, so that the same list gives the same filter everywhere; a runtime
 * that does not know it leaves the rule out, and the call then gets the errno for unknown calls:
 * never more than was meant. Only process.seccomp.allow has to be known here and now, as a person
 * who asks for a call should not find out by its absence.
 *
 * Conditions become masked comparisons, the only kind of an OCI specification that can ignore the
 * upper half of an argument as the kernel does. The rules for one call never overlap, so their
 * order, and whether a runtime joins them with "and" or "or", cannot matter.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-sha256.h"
#include "base-str.h"
#include "profile-seccomp.h"

/* What the conditions of one list may grow to. */
#define FILTER_RULES_MAX 4096u

/* Holds if the argument, under MASK, is DATUM. */
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
  struct filter_arg args[SECCOMP_ARGUMENTS]; /* ascending, one for an argument at most */
  size_t arg_count;
};

/* Where the list refuses a call, always or under a condition. */
struct filter_line {
  char *name;
  unsigned line;
};

struct filter {
  char *file; /* of the list */
  struct filter_line *lines;
  size_t line_count;
  const char *architecture; /* "SCMP_ARCH_X86_64": the native one, and no other */
  int unknown_errnum;
  struct filter_rule *rules; /* sorted; no two with the same action and condition */
  size_t rule_count;
  struct strlist allowed; /* every name that is allowed under some condition (a set), for reports */
  int seal;               /* what SEAL_CALL answers: it tells this filter from every other */
  bool kept;              /* it stays, whoever frees it */
};

/* "Seccomp: 2" does not say whose filter it is. Linux has had no such call since 3.1 and keeps its number, so
 * a kernel without our filter says ENOSYS, and another's filter EPERM or ENOSYS. Ours says an errno that no
 * kernel uses and that is drawn from the digest of all its rules. */
#define SEAL_CALL  "nfsservctl"
#define SEAL_FIRST 1024
#define SEAL_COUNT 3000 /* the kernel hands errnos through up to 4095 */

/* EXTRA are names from process.seccomp.allow: allowed without condition, whatever the list says. UNKNOWN are
 * names (a set; NULL: none) that get the errno for unknown calls, whatever the list says; none of them may be
 * in EXTRA. MACHINE is as uname has it. */
int filter_build (const struct seccomp_list *list, const struct strlist *extra, const struct strlist *unknown,
                  const char *machine, struct filter **ret_filter, struct error *err);

/* From here on filters of lists that are kept (profile-seccomp.h) are kept, too. */
void filters_keep (void);

/* What the filter says to a call: 0 for allowed, or the errno. */
int filter_answer (const struct filter *filter, const char *name,
                   const uint64_t arguments[SECCOMP_ARGUMENTS]);

/* Whether somebody wants to hear of it when RULE refuses NAME. What is refused as a kernel without the call
 * would (ENOSYS), or as calls refuse a file that cannot take part (EINVAL), is probed by libraries all the
 * time, and they go on with something else. Never told of are the calls by which a runtime hands a listener
 * over. */
bool filter_tells (const struct filter_rule *rule, const char *name);

/* The program that the kernel runs for FILTER, on the machine that we are on. With TELLS, refusals that
 * somebody wants to hear of are put to a listener. Takes some 20 milliseconds, so it is worth keeping. */
int filter_compile (const struct filter *filter, bool tells, uint8_t **ret_program, size_t *ret_size,
                    struct error *err);

/* What such a program can be kept under: a digest of all that it is made from, the list as it was read, the
 * architecture, the version of libseccomp and our own way to make it. Another one of these, another name. */
void filter_program_name (const struct filter *filter, bool tells, char ret_hex[SHA256_HEX]);

/* The name of a call by its number; NULL where libseccomp knows none, or memory ran out. */
char *filter_call_name (const struct filter *filter, int number);

/* The line of the list that refuses NAME; 0 where no line names it. */
unsigned filter_line_of (const struct filter *filter, const char *name);

void filter_free (struct filter *filter);
DEFINE_CLEANUP (struct filter, filter_free)
#define cleanup_filter cleanup (filter_free_p)
