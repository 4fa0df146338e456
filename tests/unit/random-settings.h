/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random settings for property tests, the same ones for the same seed.
 *
 * Values come from small pools, so that equal, nested and unrelated ones all turn up often. Every value
 * is made through value_parse, value_add or value_add_grant: what a profile could not say is not made.
 * A value that cannot be made is a bug of the pools, and fails the test.
 *
 * The seed is TYRUM_OCI_TEST_SEED from the environment, or a fixed one; rng_start prints it.
 */
#pragma once

#include <stdint.h>

#include "control-value.h"

struct rng {
  uint64_t state;
};

/* Takes the seed and prints it as a TAP comment, so that a failure can be run again. */
struct rng rng_start (void);

uint64_t rng_next (struct rng *rng);

/* 0 up to BOUND - 1. */
unsigned rng_below (struct rng *rng, unsigned bound);

/* Which states a value may be in. */
enum random_states {
  RANDOM_SAID, /* as a source says it: set, unset, and lifted where the setting can be lifted */
  RANDOM_ANY,  /* also lifted where no profile could, and conflicts: the lattice knows no difference */
};

/* VALUE and SETTINGS must be empty; the caller clears them. */
void random_value (struct rng *rng, enum random_states states, enum setting setting, struct value *value);
void random_settings (struct rng *rng, enum random_states states, struct settings *settings);
