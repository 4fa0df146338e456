/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment: exactly the promised variables, with the promised values. Secrets are files. */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FNV_START UINT64_C (0xcbf29ce484222325)
#define FNV_PRIME UINT64_C (0x100000001b3)
#define HASH_HEX  17

/* The hash that init sends instead of the values, which may be secrets. */
static void hash_hex (const char *value, char hex[HASH_HEX])
{
  uint64_t hash = FNV_START;

  for (; *value != '\0'; value++)
    hash = (hash ^ (unsigned char) *value) * FNV_PRIME;
  snprintf (hex, HASH_HEX, "%016" PRIx64, hash);
}

static const char *promised_value (const struct promises *promises, const char *name, size_t len)
{
  for (size_t i = 0; i < promises->env->count; i++)
    if (strncmp (promises->env->items[i], name, len) == 0 && promises->env->items[i][len] == '=')
      return promises->env->items[i] + len + 1;
  return NULL;
}

/* Checks NUL-terminated NAME=TEXT entries. HASHED: the text is a hash. Returns the number of entries, or -1
 * after recording a violation. */
static int walk (struct judge *judge, const char *bytes, size_t length, bool hashed, enum seen seen)
{
  int count = 0;

  for (size_t at = 0; at < length; at += strlen (bytes + at) + 1, count++) {
    const char *entry = bytes + at, *equals = strchr (entry, '=');
    size_t len = equals ? (size_t) (equals - entry) : strlen (entry);
    const char *value = promised_value (judge->promises, entry, len);
    char hex[HASH_HEX] = "";

    if (value == NULL || equals == NULL) {
      judge_say (judge, CONTROL_ENVIRONMENT_CLEAN, VERDICT_VIOLATED, seen,
                 "the variable '%.*s' was not planned", (int) len, entry);
      return -1;
    }
    if (hashed)
      hash_hex (value, hex);
    if (strcmp (hashed ? hex : value, equals + 1) != 0) {
      judge_say (judge, CONTROL_ENVIRONMENT_CLEAN, VERDICT_VIOLATED, seen,
                 "the variable '%.*s' has another value", (int) len, entry);
      return -1;
    }
  }
  return count;
}

/* Init is not dumpable, so a user cannot read its environment in /proc. Then only the answer from inside
 * counts; the command inherits that environment. */
static void judge_env (struct judge *judge)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_ENVIRONMENT, "");
  const struct outside *out = judge->out;
  bool outside = out->seen && out->environment != NULL;
  int in;

  if (answer->errnum != 0 || (answer->length > 0 && answer->bytes[answer->length - 1] != '\0')) {
    judge_say (judge, CONTROL_ENVIRONMENT_CLEAN, VERDICT_UNVERIFIED, SEEN_NOT, "it could not be read inside");
    return;
  }
  in = walk (judge, answer->bytes, answer->length, true, SEEN_INSIDE);
  if (in < 0 || (outside && walk (judge, out->environment, out->environment_length, false, SEEN_OUTSIDE) < 0))
    return;
  judge_say (judge, CONTROL_ENVIRONMENT_CLEAN, VERDICT_VERIFIED, outside ? SEEN_BOTH : SEEN_INSIDE,
             "%d variables, all of them planned, by name and value", in);
}

#define SECRET_MODE 0400

static void judge_secrets (struct judge *judge)
{
  const struct grants *secrets = &judge->promises->settings->values[SETTING_SECRETS].grants;

  for (size_t i = 0; i < secrets->count; i++) {
    const char *target = secrets->items[i].target;
    const struct proc_mount *mount = judge->has_mounts ? proc_mounts_find (&judge->mounts, target) : NULL;
    struct report_look look;

    if (inside_answer (judge->in, QUESTION_SEE, target)->errnum == ENODATA)
      continue; /* not mounted in this run */
    if (!inside_see (judge->in, target, &look) || mount == NULL)
      judge_say (judge, CONTROL_SECRETS_FILES, VERDICT_UNVERIFIED, SEEN_NOT, "'%s' could not be looked at",
                 target);
    else if (!proc_option_has (mount->options, "ro") || (look.mode & 07777) != SECRET_MODE)
      judge_say (judge, CONTROL_SECRETS_FILES, VERDICT_VIOLATED, SEEN_INSIDE,
                 "'%s' has mode %04o and is mounted %s", target, look.mode & 07777,
                 proc_option_has (mount->options, "ro") ? "ro" : "rw");
    else
      judge_say (judge, CONTROL_SECRETS_FILES, VERDICT_VERIFIED, SEEN_INSIDE, "'%s' is read-only, mode 0400",
                 target);
  }
}

void judge_environment (struct judge *judge)
{
  judge_env (judge);
  judge_secrets (judge);
}
