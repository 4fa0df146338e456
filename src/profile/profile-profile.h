/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A profile: a named posture, read from one file, later joined with its parents.
 *
 * profile_parse takes text and returns the values of that one file, each with its line; the table of settings
 * defines the language. profile_inherit fills unset values from the parent. profile-find.h does both for a
 * name. A profile is *resolved* when its chain is joined and every setting has its fallback.
 *
 * Parsing, joining and writing are pure: bytes and values in, values or an error with line and column out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "control-value.h"
#include "profile-seccomp.h"

struct profile {
  char *name;
  char *meaning;
  char *extends;
  unsigned extends_line;
  char *file;
  bool trusted;
  struct settings settings;
  struct seccomp_list *seccomp; /* the list in force, once loaded */
  char seccomp_digest[65];      /* SHA-256 of that list's text, in hex */
};

/* FILE names it in messages and origins. An untrusted file is parsed like any other;
 * profile_inherit checks what it may set. */
int profile_parse (const char *file, const char *text, size_t len, bool trusted, struct profile **ret_profile,
                   struct error *err);

/* Fills CHILD's unset settings from PARENT. An untrusted child may only tighten: anything else is an
 * error that names the key and both values. */
int profile_inherit (struct profile *child, const struct profile *parent, struct error *err);

/* Whether CHILD, which is not trusted, is nowhere looser than PARENT. */
int profile_check_tighter (const struct profile *child, const struct profile *parent, struct error *err);

/* Checks what involves the whole chain, and gives every unset setting its fallback. */
int profile_resolve (struct profile *profile, struct error *err);

/* Writes a resolved profile in the profile language; equal settings give equal bytes. */
int profile_write (const struct profile *profile, char **ret_text, struct error *err);

/* "sha256:..." over the settings of a resolved profile; name, meaning and origins are not included. */
#define PROFILE_DIGEST_SIZE (sizeof ("sha256:") + 64)
int profile_digest (const struct profile *profile, char ret_digest[PROFILE_DIGEST_SIZE], struct error *err);

void profile_free (struct profile *profile);
DEFINE_CLEANUP (struct profile, profile_free)
#define cleanup_profile cleanup (profile_free_p)
