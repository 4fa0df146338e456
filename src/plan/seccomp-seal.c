/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The seal of a filter, and lookups in a filter: its result for a call, whether it notifies, its line. */
#include <config.h>

#include "plan-seccomp-internal.h"

#include <errno.h>
#include <string.h>

#include "base-sha256.h"

static void digest_rule (struct sha256 *hash, const struct filter_rule *rule)
{
  for (size_t i = 0; i < rule->names.count; i++)
    sha256_update (hash, rule->names.items[i], strlen (rule->names.items[i]) + 1);
  sha256_update (hash, &rule->allow, sizeof (rule->allow));
  sha256_update (hash, &rule->errnum, sizeof (rule->errnum));
  for (size_t i = 0; i < rule->arg_count; i++) {
    const struct filter_arg *arg = &rule->args[i];
    const uint32_t words[] = { arg->index, arg->mask, arg->datum };

    sha256_update (hash, words, sizeof (words));
  }
}

int filter_seal (struct filter *filter, struct error *err)
{
  struct filter_rule rule = { 0 };
  uint8_t digest[SHA256_BYTES];
  struct sha256 hash;
  int r;

  sha256_init (&hash);
  for (size_t i = 0; i < filter->rule_count; i++)
    digest_rule (&hash, &filter->rules[i]);
  sha256_update (&hash, &filter->unknown_errnum, sizeof (filter->unknown_errnum));
  sha256_final (&hash, digest);
  filter->seal = SEAL_FIRST + (digest[0] << 16 | digest[1] << 8 | digest[2]) % SEAL_COUNT;
  rule.errnum = filter->seal;
  r = filter_add (filter, SEAL_CALL, &rule, err);
  if (r == 0)
    filter_sort_last (filter);
  return r;
}

static bool rule_holds (const struct filter_rule *rule, const uint64_t arguments[SECCOMP_ARGUMENTS])
{
  for (size_t i = 0; i < rule->arg_count; i++) {
    const struct filter_arg *arg = &rule->args[i];

    if (((uint32_t) arguments[arg->index] & arg->mask) != arg->datum)
      return false;
  }
  return true;
}

static const struct filter_rule *find_rule (const struct filter *filter, const char *name,
                                            const uint64_t arguments[SECCOMP_ARGUMENTS])
{
  for (size_t i = 0; i < filter->rule_count; i++)
    if (strset_has (&filter->rules[i].names, name) && rule_holds (&filter->rules[i], arguments))
      return &filter->rules[i];
  return NULL;
}

int filter_answer (const struct filter *filter, const char *name, const uint64_t arguments[SECCOMP_ARGUMENTS])
{
  const struct filter_rule *rule = find_rule (filter, name, arguments);

  if (rule == NULL)
    return filter->unknown_errnum;
  return rule->allow ? 0 : rule->errnum;
}

bool filter_call_tells (const struct filter *filter, const char *name,
                        const uint64_t arguments[SECCOMP_ARGUMENTS])
{
  const struct filter_rule *rule = find_rule (filter, name, arguments);

  return rule != NULL && filter_tells (rule, name);
}

bool filter_tells (const struct filter_rule *rule, const char *name)
{
  static const char *const silent[] = { "sendmsg", "write" };

  for (size_t i = 0; i < ARRAY_LEN (silent); i++)
    if (strcmp (silent[i], name) == 0)
      return false;
  return !rule->allow
         && (rule->errnum == EPERM || rule->errnum == EACCES || rule->errnum == EAFNOSUPPORT
             || rule->errnum == EPROTONOSUPPORT);
}

unsigned filter_line_of (const struct filter *filter, const char *name)
{
  for (size_t i = 0; i < filter->line_count; i++)
    if (strcmp (filter->lines[i].name, name) == 0)
      return filter->lines[i].line;
  return 0;
}
