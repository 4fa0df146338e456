/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds profiles: in the operator's directory, then the user's, then the shipped one.
 *
 * The only part of src/profile that reads files. A name is looked up in each directory in turn; a text with a
 * slash, or one that ends in .json, is a file. Trust is decided on the opened descriptor: a file that others
 * may write, or that lies in the workspace, may only tighten, and cannot replace a trusted profile of the
 * same name. There is no fallback: an unknown name is an error.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "base-str.h"
#include "profile-ceiling.h"
#include "profile-configuration.h"
#include "profile-profile.h"

enum profile_place { PLACE_OPERATOR, PLACE_USER, PLACE_SHIPPED, PLACE_COUNT };

struct profile_store {
  char *directories[PLACE_COUNT]; /* each holds NAME.json; NULL where there is none */
  char *seccomp_directory;        /* the shipped lists */
  char *ceiling_file;
  char *configuration_file;
  char *workspace; /* without links; NULL where none is known */
};

/* CONFIG is the operator's directory, USER_CONFIG the user's (NULL for none), DATA the shipped one. */
int profile_store_init (struct profile_store *store, const char *config, const char *user_config,
                        const char *data, const char *workspace, struct error *err);
void profile_store_clear (struct profile_store *store);
#define cleanup_profile_store cleanup (profile_store_clear)

/* A resolved profile with its seccomp list. */
int profile_load (const struct profile_store *store, const char *name_or_file, struct profile **ret_profile,
                  struct error *err);

/* Names of all profiles that can be found (a set). */
int profile_names (const struct profile_store *store, struct strlist *ret_names, struct error *err);

/* The ceiling; an empty one when the file does not exist. */
int ceiling_load (const struct profile_store *store, struct ceiling **ret_ceiling, struct error *err);

/* The operator's configuration; the defaults when the file does not exist. */
int configuration_load (const struct profile_store *store, struct configuration **ret_configuration,
                        struct error *err);

/* The same check as configuration_load with STORE, for a workspace that was not known at that time. */
int configuration_check (const struct configuration *configuration, const struct profile_store *store,
                         struct error *err);

const char *profile_place_text (enum profile_place place);
/* The directory that a loaded profile came from; PLACE_COUNT for a file given by path. */
enum profile_place profile_place_of (const struct profile_store *store, const struct profile *profile);
