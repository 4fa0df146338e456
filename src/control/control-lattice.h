/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strictness as a lattice: which of two values is stricter, and the stricter of both.
 *
 * Every setting has an order, given in its row. `meet` gives the loosest value that is at least as strict as
 * both. Where two values cannot both hold (two different users, two AppArmor profiles) the meet is the
 * conflict, the bottom: every further meet preserves it, and plan_build reports it as an error that names
 * both sides. Unset and lifted values are the top: they restrict nothing.
 *
 * Pure. The same function serves extends, ceiling, request, untrusted files and the runtime.
 */
#pragma once

#include "control-value.h"

enum relation { RELATION_EQUAL, RELATION_TIGHTER, RELATION_LOOSER, RELATION_UNRELATED };

/* The relation of B to A. */
enum relation value_compare (enum setting setting, const struct value *a, const struct value *b);

/* B is as strict as A, or stricter. */
bool value_within (enum setting setting, const struct value *a, const struct value *b);

/* The result has the origin of the side that decided; that of A where both are equal. */
int value_meet (enum setting setting, const struct value *a, const struct value *b, struct value *ret_value);

/* Complete the granting side first (settings_complete): an unset value is no restriction here. A control
 * that either side requires by name is not optional in the result. */
int settings_meet (const struct settings *a, const struct settings *b, struct settings *ret_settings);

const char *relation_text (enum relation relation);
