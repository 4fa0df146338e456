/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which policy a container is under: the files of the operator, and the host, made into a value.
 *
 * The profile is the one that the program's name says (tyrum-hardened), or that a hook's annotation says. An
 * annotation may name another one where the operator's configuration lists it; both are combined then, so
 * that the container's owner can only tighten. The ceiling is applied to both. Profiles come from the
 * operator's and the shipped directory, never from a user's.
 */
#pragma once

#include "base-error.h"
#include "host-facts.h"
#include "profile-ceiling.h"
#include "profile-find.h"
#include "restrict-restrict.h"

struct policy {
  struct host_facts *host;
  struct profile_store store;
  struct ceiling *ceiling;
  struct configuration *configuration;
  struct profile *profile, *second; /* SECOND: the annotation's; NULL for none */
  struct settings settings;
  struct filter *filter;
  char digest[PROFILE_DIGEST_SIZE];
  struct strlist layers; /* of the container's root */
  struct spec_points points;
  struct spec_policy spec; /* what src/restrict takes; points into the above */
};

/* Host, store, ceiling, configuration. CONFIG_DIR and DATA_DIR are the operator's and the shipped directory.
 */
int policy_open (struct policy *policy, const char *config_dir, const char *data_dir, struct error *err);

/* Whether NAME can only be found in the store's directories: letters, digits, "._-", not a dot first, not
 * ending in .json, of bounded length. */
bool policy_is_plain_name (const char *name);

/* The profile NAME, and the annotation's wish ANNOTATED (NULL for none). Both have to be plain names: they
 * come from clients of the engine, and we may be root. */
int policy_choose (struct policy *policy, const char *name, const char *annotated, struct error *err);

/* The ids that a container with range number SLOT gets; how many ranges there are. */
void policy_use_slot (struct policy *policy, unsigned slot);
unsigned policy_slots (const struct policy *policy);

/* Whether CONFIG needs one of our ranges of ids. */
bool policy_needs_ids (const struct policy *policy, const struct json_node *config);

/* Looks at the sources of CONFIG, and where they lie, for restrict_spec to judge. The bundle has to be known
 * by then, and the root to be one of the mount table's (mount-chroot.h). */
int policy_look_sources (struct policy *policy, const struct json_node *config, struct error *err);

/* What was seen of SOURCE; NULL: it was not looked at. */
const struct path_fact *policy_fact (const struct policy *policy, const char *source);

/* "hardened" of "/usr/bin/tyrum-hardened"; "baseline" for our own name. NULL for any other. */
const char *policy_name_of (const char *program);

void policy_clear (struct policy *policy);
#define cleanup_policy cleanup (policy_clear)
