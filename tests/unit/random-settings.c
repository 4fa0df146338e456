/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "random-settings.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base-number.h"
#include "unit.h"

#define POOL 6

/* Entries of lists, and whole texts, by how they are written. "*" is a name in hide, and all in require. */
static const char *const pools[][POOL] = {
  [SYNTAX_RUNTIME] = { "runc", "crun", "/usr/sbin/runc" },
  [SYNTAX_IMAGE] = { "debian:12", "debian:13", "oci:/srv/image" },
  [SYNTAX_SECCOMP] = { "strict", "default", "own.json", "/etc/other.json" },
  [SYNTAX_LSM] = { "tyrum-hardened", "tyrum-plugin" },
  [SYNTAX_HIDE] = { "*", ".git", "master.key", "/etc/shadow", "a/b" },
  [SYNTAX_PATH] = { "/tmp", "/workspace", "/usr/bin/git", "/usr/bin/env" },
  [SYNTAX_CAPABILITY] = { "CAP_CHOWN", "CAP_KILL", "CAP_NET_RAW", "CAP_SYS_ADMIN" },
  [SYNTAX_SYSCALL] = { "bpf", "keyctl", "mount", "ptrace" },
  [SYNTAX_HOST] = { "example.org:443", "*.example.org", "192.0.2.1", "[2001:db8::1]:80" },
  [SYNTAX_VARIABLE] = { "LANG", "LC_*", "TZ", "TERM" },
  [SYNTAX_CONTROL] = { "limits.memory", "limits.pids", "root.read_only", "process.seccomp",
                       "process.apparmor" },
  [SYNTAX_MOUNT] = { "/opt/tools", "/data", "/srv/a" }, /* the names of grants */
  [SYNTAX_SECRET] = { "key", "token" },
  [SYNTAX_ASSIGNMENT] = { "HOME", "PATH", "LANG" },
};

struct rng rng_start (void)
{
  const char *text = getenv ("TYRUM_OCI_TEST_SEED");
  struct rng rng = { UINT64_C (20240229) };

  if (text != NULL && !number_parse (text, UINT64_MAX, &rng.state))
    fail_msg ("TYRUM_OCI_TEST_SEED: '%s' is not a number", text);
  printf ("# TYRUM_OCI_TEST_SEED=%" PRIu64 "\n", rng.state);
  return rng;
}

/* A counter through a finaliser (the splitmix construction): every seed is a good one. */
uint64_t rng_next (struct rng *rng)
{
  uint64_t x = rng->state += UINT64_C (0x9e3779b97f4a7c15);

  x = (x ^ (x >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

unsigned rng_below (struct rng *rng, unsigned bound)
{
  return (unsigned) (rng_next (rng) % bound);
}

static const char *pick (struct rng *rng, enum value_syntax syntax)
{
  unsigned count = 0;

  while (count < POOL && pools[syntax][count] != NULL)
    count++;
  assert_true (count > 0);
  return pools[syntax][rng_below (rng, count)];
}

static char *copy_of (const char *text)
{
  char *copy = strdup (text);

  assert_non_null (copy);
  return copy;
}

static void random_set (struct rng *rng, enum setting setting, struct value *value)
{
  enum value_syntax syntax = setting_info (setting)->syntax;

  value->state = VALUE_SET;
  for (unsigned i = rng_below (rng, 5); i > 0; i--)
    assert_int_equal (value_add (setting, pick (rng, syntax), value, NULL), 0);
  if (setting == SETTING_REQUIRE && rng_below (rng, 4) == 0)
    assert_int_equal (value_add (setting, "*", value, NULL), 0);
}

static void random_grants (struct rng *rng, enum setting setting, struct value *value)
{
  static const char *const sources[] = { "/srv/one", "/srv/two" };
  static const char *const reasons[] = { "because", "the operator says so" };
  enum value_syntax syntax = setting_info (setting)->syntax;

  value->state = VALUE_SET;
  for (unsigned i = rng_below (rng, 4); i > 0; i--) {
    const char *name = pick (rng, syntax);
    struct grant grant = { 0 };

    if (grants_find (&value->grants, name) != NULL)
      continue;
    grant.name = copy_of (name);
    grant.source = copy_of (sources[rng_below (rng, ARRAY_LEN (sources))]);
    if (syntax == SYNTAX_SECRET)
      grant.target = copy_of (rng_below (rng, 3) ? "/run/secrets/x" : "/run/secrets/y");
    if (syntax == SYNTAX_MOUNT) {
      grant.writable = rng_below (rng, 2) != 0;
      if (rng_below (rng, 2) != 0)
        grant.reason = copy_of (reasons[rng_below (rng, ARRAY_LEN (reasons))]);
    }
    assert_int_equal (value_add_grant (setting, &grant, value, NULL), 0);
  }
}

static void random_number (struct rng *rng, enum setting setting, struct value *value)
{
  const struct setting_info *info = setting_info (setting);
  const uint64_t numbers[] = { info->min, info->min + 1, info->min + 2, info->max - 1, info->max };
  cleanup_free char *text = NULL;

  /* Shown and read again, so that only numbers appear that a profile could hold. */
  value->state = VALUE_SET;
  value->number = numbers[rng_below (rng, ARRAY_LEN (numbers))];
  text = value_text (setting, value);
  assert_non_null (text);
  CHECK (value_parse (setting, text, value, NULL) == 0, "%s: '%s' is refused", info->key, text);
}

static void random_content (struct rng *rng, enum setting setting, struct value *value)
{
  static const char *const ids[] = { "0:0", "0:1", "0:2", "1:0", "2:0", "1:1", "1:2", "2:1", "10001:10001" };
  const struct setting_info *info = setting_info (setting);
  const char *text = NULL;
  unsigned levels = 0;

  switch (info->kind) {
  case KIND_FLAG: text = rng_below (rng, 2) ? "true" : "false"; break;
  case KIND_LEVEL:
    while (info->levels[levels] != NULL)
      levels++;
    text = info->levels[rng_below (rng, levels)];
    break;
  case KIND_IDS: text = ids[rng_below (rng, ARRAY_LEN (ids))]; break;
  case KIND_TEXT: text = pick (rng, info->syntax); break;
  case KIND_NUMBER: random_number (rng, setting, value); return;
  case KIND_SET: random_set (rng, setting, value); return;
  case KIND_GRANTS: random_grants (rng, setting, value); return;
  }
  CHECK (value_parse (setting, text, value, NULL) == 0, "%s: '%s' is refused", info->key, text);
}

void random_value (struct rng *rng, enum random_states states, enum setting setting, struct value *value)
{
  static const char *const files[] = { "ceiling.json", "profile.json", "command line" };
  unsigned chance = rng_below (rng, 10);

  value->origin.file = copy_of (files[rng_below (rng, ARRAY_LEN (files))]);
  value->origin.line = rng_below (rng, 100);
  value->origin.trusted = rng_below (rng, 2) != 0;
  if (chance == 0)
    return;
  if (chance == 1 && (states == RANDOM_ANY || setting_info (setting)->nullable))
    value->state = VALUE_LIFTED;
  else if (chance == 2 && states == RANDOM_ANY)
    value->state = VALUE_CONFLICT;
  else
    random_content (rng, setting, value);
}

void random_settings (struct rng *rng, enum random_states states, struct settings *settings)
{
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    random_value (rng, states, s, &settings->values[s]);
}
