/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "plan-seccomp-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How conditions become rules
 *
 * libseccomp takes one comparison per argument and rule, runtimes join several for one argument with "or",
 * and a rule without arguments overrides all others for its call. So "not TIOCSTI", and "EPERM for all other
 * values", must become rules of their own, made of masked comparisons. A cube is the set of values that pass
 * one such comparison.
 *
 * For one argument, the values named in any test divide the 2^32 possible ones into disjoint cubes, so that
 * each test holds for all of a cube or for none of it. For one value these are the value itself and its 32
 * neighbouring prefixes: the same upper bits, then one bit flipped, and the rest free. For each cube we
 * continue with the next argument and with those rules that can still hold, until an action is decided. No
 * two rules overlap, so the order in which a runtime evaluates them does not matter.
 */
struct cube {
  uint32_t mask;
  uint32_t datum;
};

struct cubes {
  struct cube *items;
  size_t count;
  size_t capacity;
};

static void cubes_clear (struct cubes *cubes)
{
  free (cubes->items);
  *cubes = (struct cubes){ 0 };
}

#define cleanup_cubes cleanup (cubes_clear)

static int cubes_add (struct cubes *cubes, struct cube cube)
{
  if (cubes->count == cubes->capacity) {
    size_t capacity = cubes->capacity ? cubes->capacity * 2 : 64;
    struct cube *grown = realloc (cubes->items, capacity * sizeof (*grown));

    if (grown == NULL)
      return -ENOMEM;
    cubes->items = grown;
    cubes->capacity = capacity;
  }
  cubes->items[cubes->count++] = cube;
  return 0;
}

static bool cube_within (struct cube small, struct cube big)
{
  return (small.mask & big.mask) == big.mask && (small.datum & big.mask) == big.datum;
}

/* Adds CUBE, divided into the part inside CUT and those outside. */
static int cubes_add_parts (struct cubes *cubes, struct cube cube, struct cube cut)
{
  if (((cube.datum ^ cut.datum) & cube.mask & cut.mask) != 0)
    return cubes_add (cubes, cube);
  for (uint32_t bit = UINT32_C (1) << 31; bit != 0; bit >>= 1) {
    struct cube outside = { cube.mask | bit, cube.datum | (~cut.datum & bit) };

    if ((cut.mask & bit) == 0 || (cube.mask & bit) != 0)
      continue;
    if (cubes_add (cubes, outside) < 0)
      return -ENOMEM;
    cube.mask |= bit;
    cube.datum |= cut.datum & bit;
  }
  return cubes_add (cubes, cube);
}

static struct cube test_cube (const struct seccomp_test *test, size_t value)
{
  if (test->compare == SECCOMP_CLEAR)
    return (struct cube){ test->values[value], 0 };
  return (struct cube){ UINT32_MAX, test->values[value] };
}

/* Cuts CUBES so that TEST holds for all of each or for none. */
static int cubes_cut (struct cubes *cubes, const struct seccomp_test *test, struct error *err)
{
  for (size_t v = 0; v < test->count; v++) {
    struct cubes cut = { 0 };

    for (size_t i = 0; i < cubes->count; i++)
      if (cubes_add_parts (&cut, cubes->items[i], test_cube (test, v)) < 0) {
        cubes_clear (&cut);
        return error_oom (err);
      }
    cubes_clear (cubes);
    *cubes = cut;
    if (cubes->count > FILTER_RULES_MAX)
      return error_set (err, -E2BIG, "the tests on argument %u need more than %u comparisons", test->argument,
                        FILTER_RULES_MAX);
  }
  return 0;
}

static bool test_holds (const struct seccomp_test *test, struct cube cube)
{
  bool within = false;

  for (size_t v = 0; v < test->count; v++)
    within = within || cube_within (cube, test_cube (test, v));
  return test->compare == SECCOMP_NOT_IN ? !within : within;
}

static const struct seccomp_test *find_test (const struct seccomp_rule *rule, unsigned argument)
{
  for (size_t i = 0; i < rule->test_count; i++)
    if (rule->tests[i].argument == argument)
      return &rule->tests[i];
  return NULL;
}

/* The first argument from ARGUMENT on that RULE tests; SECCOMP_ARGUMENTS: none. */
static unsigned next_argument (const struct seccomp_rule *rule, unsigned argument)
{
  while (argument < SECCOMP_ARGUMENTS && find_test (rule, argument) == NULL)
    argument++;
  return argument;
}

/* The recursion over the arguments of one call. */
struct walk {
  struct filter *filter;
  const struct seccomp_rule *rules;
  size_t count;
  int errnum;
  struct filter_rule so_far; /* its args are the cubes chosen up to here */
};

/* Bit N of ALIVE: rule N can still hold. */
typedef uint32_t rule_set;
_Static_assert(SECCOMP_WAYS_MAX <= 32, "a rule_set has a bit for each rule");

static int walk_on (struct walk *walk, rule_set alive, unsigned argument, struct error *err);

static int walk_cubes (struct walk *walk, rule_set alive, unsigned argument, struct error *err)
{
  cleanup_cubes struct cubes cubes = { 0 };
  int r = cubes_add (&cubes, (struct cube){ 0 }) < 0 ? error_oom (err) : 0;

  for (size_t n = 0; r == 0 && n < walk->count; n++) {
    const struct seccomp_test *test = find_test (&walk->rules[n], argument);

    if ((alive >> n & 1) != 0 && test != NULL)
      r = cubes_cut (&cubes, test, err);
  }
  for (size_t i = 0; r == 0 && i < cubes.count; i++) {
    rule_set left = alive;

    for (size_t n = 0; n < walk->count; n++) {
      const struct seccomp_test *test = find_test (&walk->rules[n], argument);

      if (test != NULL && !test_holds (test, cubes.items[i]))
        left &= ~(UINT32_C (1) << n);
    }
    walk->so_far.args[walk->so_far.arg_count++] =
        (struct filter_arg){ argument, cubes.items[i].mask, cubes.items[i].datum };
    r = walk_on (walk, left, argument + 1, err);
    walk->so_far.arg_count--;
  }
  return r;
}

/* Recurses at most once per argument. */
static int walk_on (struct walk *walk, rule_set alive, unsigned argument, struct error *err)
{
  unsigned nearest = SECCOMP_ARGUMENTS;
  bool allow = false;

  for (size_t n = 0; n < walk->count; n++) {
    unsigned next;

    if ((alive >> n & 1) == 0)
      continue;
    next = next_argument (&walk->rules[n], argument);
    if (next == SECCOMP_ARGUMENTS)
      allow = true;
    else if (next < nearest)
      nearest = next;
  }
  if (alive != 0 && !allow)
    return walk_cubes (walk, alive, nearest, err);
  walk->so_far.allow = allow;
  walk->so_far.errnum = allow ? 0 : walk->errnum;
  return filter_add (walk->filter, walk->rules[0].name, &walk->so_far, err);
}

int filter_add_conditional (struct filter *filter, const struct seccomp_rule *rules, size_t count, int errnum,
                            struct error *err)
{
  struct walk walk = { .filter = filter, .rules = rules, .count = count, .errnum = errnum };

  if (count > SECCOMP_WAYS_MAX)
    return error_set (err, -E2BIG, "more than %u conditions for '%s'", SECCOMP_WAYS_MAX, rules[0].name);
  return walk_on (&walk, (rule_set) ((UINT64_C (1) << count) - 1), 0, err);
}
