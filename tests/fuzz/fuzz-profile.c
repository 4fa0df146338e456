/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The profile parser on any bytes, and what follows it.
 *
 * There is a profile or an error, never both. A profile that resolves can be written as a document, which
 * parses to the same settings and the same digest; linting it does not fail; and it is within itself by the
 * lattice.
 */
#include <config.h>

#include "profile-profile.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control-lattice.h"
#include "profile-ceiling.h"
#include "profile-lint.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

static struct profile *parse (const char *text, size_t len)
{
  cleanup_error struct error err = { 0 };
  struct profile *profile = NULL;
  int r = profile_parse ("input", text, len, true, &profile, &err);

  INVARIANT ((r == 0) == (profile != NULL));
  INVARIANT ((r == 0) == !error_is_set (&err));
  INVARIANT (r == 0 || (err.message != NULL && strchr (err.message, '\n') == NULL));
  return profile;
}

static void check_written (const struct profile *profile)
{
  char digest[PROFILE_DIGEST_SIZE], again_digest[PROFILE_DIGEST_SIZE];
  cleanup_profile struct profile *again = NULL;
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;

  INVARIANT (profile_write (profile, &text, &err) == 0);
  again = parse (text, strlen (text));
  INVARIANT (again != NULL);
  INVARIANT (profile_resolve (again, &err) == 0);
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    INVARIANT (value_equal (s, &profile->settings.values[s], &again->settings.values[s]));
  INVARIANT (profile_digest (profile, digest, &err) == 0 && profile_digest (again, again_digest, &err) == 0);
  INVARIANT (strcmp (digest, again_digest) == 0);
}

static void check_resolved (struct profile *profile)
{
  cleanup_error struct error err = { 0 };
  cleanup_lint struct lint lint = { 0 };

  if (profile_resolve (profile, &err) < 0)
    return;
  INVARIANT (profile_lint (profile, &lint, &err) == 0);
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    INVARIANT (value_within (s, &profile->settings.values[s], &profile->settings.values[s]));
  check_written (profile);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  cleanup_profile struct profile *profile = parse ((const char *) data, size);
  cleanup_ceiling struct ceiling *ceiling = NULL;
  cleanup_error struct error err = { 0 };

  if (profile != NULL)
    check_resolved (profile);
  INVARIANT ((ceiling_parse ("input", (const char *) data, size, &ceiling, &err) == 0) == (ceiling != NULL));
  return 0;
}
