/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of settings: complete, without contradictions, and pinned to the constants that code uses. */
#include <config.h>

#include "control-setting.h"

#include <inttypes.h>

#include "control-catalogue.h"
#include "control-value.h"
#include "unit.h"

static void test_keys (void **state)
{
  (void) state;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const char *key = setting_info (s)->key;
    enum setting found = SETTING_COUNT;

    CHECK (key != NULL && key[0] != '\0', "setting %d has no key", s);
    CHECK (strspn (key, "abcdefghijklmnopqrstuvwxyz_.") == strlen (key), "'%s' is not a key", key);
    /* The search takes the first match, so another one of the same name would be found instead. */
    CHECK (setting_find (key, &found) && found == s, "'%s' is found as setting %d, not %d", key, found, s);
  }
}

static void test_keys_that_are_none (void **state)
{
  static const char *const keys[] = {
    "",        "limits",          "limits.",       "limits.memory ", "Limits.memory", "memory",
    ".memory", "limits.memory.x", "limits/memory", "version",        "extends",       "limits.memor"
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (keys); i++) {
    enum setting found = SETTING_COUNT;

    CHECK (!setting_find (keys[i], &found), "'%s' is found", keys[i]);
    assert_int_equal (found, SETTING_COUNT);
  }
}

static void test_help (void **state)
{
  (void) state;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const char *help = setting_info (s)->help;

    CHECK (help != NULL && strlen (help) > 10, "%s has no help", setting_info (s)->key);
    CHECK (help[strlen (help) - 1] != '.' && strchr (help, '\n') == NULL, "%s: help is not one phrase",
           setting_info (s)->key);
  }
}

static bool order_fits (enum value_kind kind, enum value_order order)
{
  switch (kind) {
  case KIND_FLAG: return order == ORDER_TRUE;
  case KIND_LEVEL: return order == ORDER_LEVEL;
  case KIND_NUMBER: return order == ORDER_LESS;
  case KIND_IDS: return order == ORDER_USER;
  case KIND_TEXT: return order == ORDER_SAME || order == ORDER_LIST;
  case KIND_SET: return order == ORDER_FEWER || order == ORDER_MORE;
  case KIND_GRANTS: return order == ORDER_GRANTS;
  }
  return false;
}

static bool syntax_fits (enum value_kind kind, enum value_syntax syntax)
{
  switch (kind) {
  case KIND_FLAG:
  case KIND_LEVEL:
  case KIND_IDS: return syntax == SYNTAX_NONE;
  case KIND_NUMBER: return syntax >= SYNTAX_COUNT && syntax <= SYNTAX_MILLI;
  case KIND_TEXT:
  case KIND_SET: return syntax >= SYNTAX_RUNTIME && syntax <= SYNTAX_CONTROL;
  case KIND_GRANTS: return syntax >= SYNTAX_MOUNT && syntax <= SYNTAX_ASSIGNMENT;
  }
  return false;
}

/* The lattice and the parser look at different columns of a row; they must speak of the same kind. */
static void test_columns_agree (void **state)
{
  (void) state;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const struct setting_info *info = setting_info (s);

    CHECK (order_fits (info->kind, info->order), "%s: order %d does not fit kind %d", info->key, info->order,
           info->kind);
    CHECK (syntax_fits (info->kind, info->syntax), "%s: syntax %d does not fit kind %d", info->key,
           info->syntax, info->kind);
    CHECK ((info->kind == KIND_LEVEL) == (info->levels != NULL),
           "%s: levels without a kind for them, or none", info->key);
    CHECK (info->kind != KIND_NUMBER || (info->min < info->max && info->max <= INT64_MAX), "%s: no range",
           info->key);
    CHECK (info->kind == KIND_NUMBER || (info->min == 0 && info->max == 0), "%s: a range without numbers",
           info->key);
  }
}

static void test_levels_are_pinned (void **state)
{
  static const struct {
    enum setting setting;
    unsigned level;
    const char *name;
  } rows[] = {
    { SETTING_ISOLATION_TYPE, ISOLATION_VM, "vm" },
    { SETTING_ISOLATION_TYPE, ISOLATION_CONTAINER, "container" },
    { SETTING_ISOLATION_TYPE, ISOLATION_LOCAL, "local" },
    { SETTING_ISOLATION_TYPE, ISOLATION_FIREJAIL, "firejail" },
    { SETTING_ISOLATION_TYPE, ISOLATION_DISABLED, "disabled" },
    { SETTING_ROOT, ROOT_READ_ONLY, "read-only" },
    { SETTING_ROOT, ROOT_WRITABLE_LAYER, "writable-layer" },
    { SETTING_WORKSPACE, WORKSPACE_NONE, "none" },
    { SETTING_WORKSPACE, WORKSPACE_READ_ONLY, "read-only" },
    { SETTING_WORKSPACE, WORKSPACE_COPY_ON_WRITE, "copy-on-write" },
    { SETTING_WORKSPACE, WORKSPACE_READ_WRITE, "read-write" },
    { SETTING_USER_NAMESPACE, USERNS_PRIVATE, "private" },
    { SETTING_USER_NAMESPACE, USERNS_HOST, "host" },
    { SETTING_NETWORK_MODE, NETWORK_NONE, "none" },
    { SETTING_NETWORK_MODE, NETWORK_ALLOW, "allow" },
    { SETTING_NETWORK_MODE, NETWORK_ENGINE, "engine" },
    { SETTING_NETWORK_MODE, NETWORK_HOST, "host" },
    { SETTING_OUTPUT_ACTION, OUTPUT_END, "end" },
    { SETTING_OUTPUT_ACTION, OUTPUT_CUT, "cut" },
  };
  size_t total = 0;

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const char *const *levels = setting_info (rows[i].setting)->levels;

    /* Rows stand in the order of the constants, so an unpinned level shows as a gap here or in the sum. */
    CHECK (strcmp (levels[rows[i].level], rows[i].name) == 0, "%s: level %u is '%s', not '%s'",
           setting_info (rows[i].setting)->key, rows[i].level, levels[rows[i].level], rows[i].name);
  }
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    for (const char *const *l = setting_info (s)->levels; l != NULL && *l != NULL; l++)
      total++;
  assert_int_equal (total, ARRAY_LEN (rows));
}

static void test_fallbacks_parse (void **state)
{
  (void) state;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const struct setting_info *info = setting_info (s);
    cleanup_error struct error err = { 0 };
    cleanup_value struct value value = { 0 };
    cleanup_free char *text = NULL;

    if (info->fallback == NULL)
      continue;
    CHECK (value_parse (s, info->fallback, &value, &err) == 0, "%s: %s", info->key, error_text (&err));
    text = value_text (s, &value);
    assert_non_null (text);
    /* A duration may be written shorter: 60s is 1m. */
    CHECK (info->syntax == SYNTAX_DURATION || strcmp (text, info->fallback) == 0, "%s: '%s' is shown as '%s'",
           info->key, info->fallback, text);
  }
}

/* What nobody says is not granted: the strict side of every order that has one. */
static void test_fallbacks_are_strict (void **state)
{
  (void) state;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const struct setting_info *info = setting_info (s);

    switch (info->kind) {
    case KIND_FLAG: assert_string_equal (info->fallback, "true"); break;
    case KIND_LEVEL:
      /* No backend has a virtual machine, so containers are the strictest that can be the default. */
      assert_string_equal (info->fallback,
                           info->levels[s == SETTING_ISOLATION_TYPE ? ISOLATION_CONTAINER : 0]);
      break;
    case KIND_IDS: assert_string_equal (info->fallback, "10001:10001"); break;
    case KIND_SET:
    case KIND_GRANTS: assert_null (info->fallback); break;
    case KIND_TEXT:
    case KIND_NUMBER: break;
    }
  }
  assert_string_equal (setting_info (SETTING_SECCOMP_LIST)->fallback, "strict");
  for (enum setting s = SETTING_MEMORY; s <= SETTING_OUTPUT; s++)
    CHECK (setting_info (s)->fallback != NULL, "%s has no limit of its own", setting_info (s)->key);
}

/* Only limits and texts that one can do without may be lifted; no null switches a protection off. */
static void test_what_null_lifts (void **state)
{
  (void) state;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    bool expected = (s >= SETTING_MEMORY && s <= SETTING_BUDGET_TOKENS && s != SETTING_OUTPUT_ACTION)
                    || s == SETTING_ISOLATION_RUNTIME || s == SETTING_ISOLATION_IMAGE || s == SETTING_APPARMOR
                    || s == SETTING_TOOLS;

    CHECK (setting_info (s)->nullable == expected, "%s: nullable is not %d", setting_info (s)->key, expected);
  }
}

static void test_settings_belong_to_controls (void **state)
{
  (void) state;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    bool about_all = s == SETTING_REQUIRE || s == SETTING_OPTIONAL;

    CHECK ((control_of_setting (s) == CONTROL_COUNT) == about_all, "%s belongs to no control, or should not",
           setting_info (s)->key);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_keys),
  cmocka_unit_test (test_keys_that_are_none),
  cmocka_unit_test (test_help),
  cmocka_unit_test (test_columns_agree),
  cmocka_unit_test (test_levels_are_pinned),
  cmocka_unit_test (test_fallbacks_parse),
  cmocka_unit_test (test_fallbacks_are_strict),
  cmocka_unit_test (test_what_null_lifts),
  cmocka_unit_test (test_settings_belong_to_controls),
};

UNIT_MAIN (cases)
