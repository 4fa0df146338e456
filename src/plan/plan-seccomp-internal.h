/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a filter is put together: rules of one condition merged, conditions made disjoint.
 *
 * Only for the files plan/seccomp*.c.
 */
#pragma once

#include "plan-seccomp.h"

/* Gives NAME the action and condition of RULE, whose own names are not looked at. */
int filter_add (struct filter *filter, const char *name, const struct filter_rule *rule, struct error *err);

/* Gives the name of RULES, which all have it and tests, an allowing rule for each set of arguments
 * that passes one of them, and ERRNUM for the rest; together they cover every call once. */
int filter_add_conditional (struct filter *filter, const struct seccomp_rule *rules, size_t count, int errnum,
                            struct error *err);

/* Puts the rules in the order in which they are written. */
void filter_sort (struct filter *filter);
/* The same where all but the last are in order. */
void filter_sort_last (struct filter *filter);

/* Draws the seal from the digest of all rules, which must be sorted, and adds its own rule. */
int filter_seal (struct filter *filter, struct error *err);

/* seccomp-cached.c: the filter that was kept of the same, or NULL; and keeping one. */
struct filter *filter_find_cached (const struct seccomp_list *list, const struct strlist *extra,
                                   const struct strlist *unknown, const char *machine);
void filter_keep (const struct seccomp_list *list, const struct strlist *extra, const struct strlist *unknown,
                  const char *machine, struct filter *filter);
