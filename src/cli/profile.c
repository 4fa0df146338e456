/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: the verbs that inspect profiles and launch nothing. */
#include <config.h>

#include "cli-verbs.h"

static const struct verb *const verbs[] = { &verb_profile_list, &verb_profile_show,   &verb_profile_lint,
                                            &verb_profile_diff, &verb_profile_schema, NULL };

static const enum option options[] = { OPTION_COUNT };

const struct verb verb_profile = {
  .path = "profile",
  .summary = "list, show, check and compare profiles",
  .description =
      "Profiles are looked up in the operator's directory, then in the user's, then among the shipped "
      "ones. A text with a slash, or one that ends in .json, is a file.",
  .operands = "VERB [ARG...]",
  .complete = COMPLETE_VERB,
  .options = options,
  .verbs = verbs,
};
