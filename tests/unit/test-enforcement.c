/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How backends enforce controls: every pair declared, values that differ, and backends by name. */
#include <config.h>

#include "control-backend.h"

#include <errno.h>

#include "base-cleanup.h"
#include "unit.h"
#include "value-case.h"

/* Every row, and behind them the one that stands for all other runtimes. */
static const struct backend **every_backend (void)
{
  static const struct backend *all[BACKEND_MAX + 2];
  size_t count = 0;

  for (; backends[count] != NULL; count++)
    all[count] = backends[count];
  all[count] = &backend_other;
  return all;
}

static void check_declared (struct enforcement enforcement, enum control control,
                            const struct backend *backend)
{
  const char *name = control_info (control)->name;

  CHECK (enforcement.reason != NULL && strlen (enforcement.reason) > 5, "%s on %s: no reason", name,
         backend->name);
  CHECK (strcmp (enforcement.reason, "not declared") != 0, "%s on %s is not declared", name, backend->name);
  CHECK (enforcement.level <= ENFORCEMENT_IMPOSSIBLE && enforcement.basis <= BASIS_SPEC,
         "%s on %s: no such answer", name, backend->name);
}

static bool same (struct enforcement a, struct enforcement b)
{
  return a.level == b.level && a.basis == b.basis && strcmp (a.reason, b.reason) == 0;
}

static void test_every_pair_is_declared (void **state)
{
  (void) state;
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    for (const struct backend **b = every_backend (); *b != NULL; b++)
      check_declared (enforcement_of (c, *b), c, *b);
}

/* The level that decides CONTROL; 1 for what has none, so that it is asked about once. */
static unsigned level_count (enum control control)
{
  enum setting first = control_info (control)->settings[0];
  unsigned count = 0;

  if (first == SETTING_COUNT || setting_info (first)->kind != KIND_LEVEL)
    return 1;
  while (setting_info (first)->levels[count] != NULL)
    count++;
  return count;
}

static void test_every_value_is_declared (void **state)
{
  (void) state;
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    for (unsigned level = 0; level < level_count (c); level++) {
      cleanup_settings struct settings settings = { 0 };

      assert_int_equal (settings_complete (&settings, NULL), 0);
      if (level_count (c) > 1)
        settings.values[control_info (c)->settings[0]].level = level;
      for (const struct backend **b = every_backend (); *b != NULL; b++)
        check_declared (enforcement_for (c, *b, &settings), c, *b);
    }
}

/* A rate is kept by reading later, and an engine with gVisor below it reads first. */
static void test_rate_through_an_engine (void **state)
{
  cleanup_settings struct settings settings = { 0 };
  const struct backend *docker = NULL, *runsc = NULL, *crun = NULL;

  (void) state;
  assert_int_equal (settings_complete (&settings, NULL), 0);
  for (const struct backend **b = every_backend (); *b != NULL; b++) {
    docker = strcmp ((*b)->name, "docker") == 0 ? *b : docker;
    runsc = strcmp ((*b)->name, "oci:runsc") == 0 ? *b : runsc;
    crun = strcmp ((*b)->name, "oci:crun") == 0 ? *b : crun;
  }
  assert_int_equal (enforcement_through (CONTROL_LIMITS_OUTPUT_RATE, docker, runsc, &settings).level,
                    ENFORCEMENT_WEAKER);
  assert_int_equal (enforcement_through (CONTROL_LIMITS_OUTPUT_RATE, docker, crun, &settings).level,
                    ENFORCEMENT_ENFORCED);
  assert_int_equal (enforcement_through (CONTROL_LIMITS_OUTPUT_RATE, runsc, NULL, &settings).level,
                    ENFORCEMENT_ENFORCED);
}

/* What the matrix says in a cell and in its notes is what a launch is told, value by value. */
static void test_notes_are_the_differences (void **state)
{
  struct enforcement_note note;
  size_t notes = 0;

  (void) state;
  while (enforcement_note_at (notes, &note)) {
    enum setting first = control_info (note.control)->settings[0];

    CHECK (note.backends != 0, "note %zu speaks of no backend", notes);
    for (size_t b = 0; backends[b] != NULL; b++) {
      cleanup_settings struct settings settings = { 0 };

      settings_case (&settings, first, note.value);
      assert_int_equal (settings_complete (&settings, NULL), 0);
      if (note.backends & (1u << b))
        CHECK (same (enforcement_for (note.control, backends[b], &settings), note.enforcement),
               "note %zu does not decide", notes);
      else
        check_declared (enforcement_for (note.control, backends[b], &settings), note.control, backends[b]);
    }
    notes++;
  }
  assert_true (notes > 0);
  assert_false (enforcement_note_at (notes, &note));
  assert_false (enforcement_note_at (SIZE_MAX, &note));
}

static void test_values_without_a_note_are_the_cell (void **state)
{
  cleanup_settings struct settings settings = { 0 };

  (void) state;
  assert_int_equal (settings_complete (&settings, NULL), 0);
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    for (const struct backend **b = every_backend (); *b != NULL; b++)
      CHECK (same (enforcement_for (c, *b, &settings), enforcement_of (c, *b)),
             "%s on %s: default and cell differ", control_info (c)->name, (*b)->name);
}

static const struct backend *find (const char *name)
{
  cleanup_error struct error err = { 0 };
  const struct backend *found = NULL;

  CHECK (backend_find (name, NULL, &found, &err) == 0, "%s", error_text (&err));
  return found;
}

/* Facts that were measured and that a launch must not forget. */
static void test_known_cells (void **state)
{
  static const struct {
    enum control control;
    const char *backend;
    enum enforcement_level level;
  } rows[] = {
    { CONTROL_USER_NAMESPACE, "docker", ENFORCEMENT_IMPOSSIBLE },
    { CONTROL_USER_NAMESPACE, "podman", ENFORCEMENT_ENFORCED },
    { CONTROL_SECCOMP, "oci:runsc", ENFORCEMENT_IMPOSSIBLE },
    { CONTROL_SECCOMP, "oci:crun", ENFORCEMENT_ENFORCED },
    { CONTROL_APPARMOR, "oci:runsc", ENFORCEMENT_IMPOSSIBLE },
    { CONTROL_APPARMOR, "docker", ENFORCEMENT_WEAKER },
    { CONTROL_LIMITS_DISK, "docker", ENFORCEMENT_IMPOSSIBLE },
    { CONTROL_LIMITS_MEMORY, "libcrun", ENFORCEMENT_ENFORCED },
    { CONTROL_NO_NEW_PRIVILEGES, "oci:other", ENFORCEMENT_ENFORCED },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    CHECK (enforcement_of (rows[i].control, find (rows[i].backend)).level == rows[i].level,
           "%s on %s is not %s", control_info (rows[i].control)->name, rows[i].backend,
           enforcement_text (rows[i].level));
}

static bool has_note (enum control control, const char *value)
{
  struct enforcement_note note;

  for (size_t i = 0; enforcement_note_at (i, &note); i++)
    if (note.control == control && strcmp (note.value, value) == 0)
      return true;
  return false;
}

static void test_values_that_no_backend_has (void **state)
{
  static const struct {
    enum setting setting;
    const char *text;
    enum control control;
  } rows[] = {
    { SETTING_ISOLATION_TYPE, "vm", CONTROL_ISOLATION_TYPE },
    { SETTING_ISOLATION_TYPE, "local", CONTROL_ISOLATION_TYPE },
    { SETTING_ISOLATION_TYPE, "firejail", CONTROL_ISOLATION_TYPE },
    { SETTING_WORKSPACE, "copy-on-write", CONTROL_WORKSPACE_BOUNDED },
    { SETTING_NETWORK_MODE, "allow", CONTROL_NETWORK_MODE },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    for (const struct backend **b = every_backend (); *b != NULL; b++) {
      cleanup_settings struct settings settings = { 0 };

      settings_case (&settings, rows[i].setting, rows[i].text);
      assert_int_equal (settings_complete (&settings, NULL), 0);
      CHECK (enforcement_for (rows[i].control, *b, &settings).level == ENFORCEMENT_IMPOSSIBLE,
             "%s enforces %s", (*b)->name, rows[i].text);
      CHECK (has_note (rows[i].control, rows[i].text), "no note says so about %s", rows[i].text);
      CHECK (enforcement_of (rows[i].control, *b).level != ENFORCEMENT_IMPOSSIBLE,
             "%s does not enforce %s at all", (*b)->name, control_info (rows[i].control)->name);
    }
}

static void test_engine_network_needs_an_engine (void **state)
{
  cleanup_settings struct settings settings = { 0 };

  (void) state;
  settings_case (&settings, SETTING_NETWORK_MODE, "engine");
  assert_int_equal (settings_complete (&settings, NULL), 0);
  for (const struct backend **b = every_backend (); *b != NULL; b++) {
    bool engine = strcmp ((*b)->name, "docker") == 0 || strcmp ((*b)->name, "podman") == 0;

    assert_int_equal (enforcement_for (CONTROL_NETWORK_MODE, *b, &settings).level,
                      engine ? ENFORCEMENT_ENFORCED : ENFORCEMENT_IMPOSSIBLE);
  }
}

/* Each is named once, speaks of some of the backends, and says why. */
static void test_differences (void **state)
{
  struct backend_difference one, other;
  unsigned mask, every = 0, ignored;
  size_t count = 0;

  (void) state;
  for (size_t b = 0; backends[b] != NULL; b++)
    every |= 1u << b;
  for (; backend_difference_at (count, &one, &mask); count++) {
    CHECK (mask != 0 && mask != every, "%s: of no backend, or of all", one.name);
    CHECK (strlen (one.reason) > 5, "%s: no reason", one.name);
    for (size_t i = 0; i < count; i++)
      CHECK (backend_difference_at (i, &other, &ignored) && strcmp (one.name, other.name) != 0,
             "%s is there twice", one.name);
    for (enum control c = 0; c < CONTROL_COUNT; c++)
      CHECK (strcmp (one.name, control_info (c)->name) != 0, "%s is a control", one.name);
  }
  assert_true (count > 0);
  assert_false (backend_difference_at (SIZE_MAX, &one, &mask));
}

static void test_texts (void **state)
{
  (void) state;
  assert_string_equal (enforcement_text (ENFORCEMENT_ENFORCED), "enforced");
  assert_string_equal (enforcement_text (ENFORCEMENT_WEAKER), "weaker");
  assert_string_equal (enforcement_text (ENFORCEMENT_IMPOSSIBLE), "impossible");
  assert_string_equal (basis_text (BASIS_MEASURED), "measured");
  assert_string_equal (basis_text (BASIS_SPEC), "declared, not yet observed");
}

static void test_backends_are_found (void **state)
{
  static const struct {
    const char *name, *runtime, *backend;
  } rows[] = {
    { "libcrun", NULL, "libcrun" },
    { "docker", NULL, "docker" },
    { "podman", "runc", "podman" },
    { "oci", NULL, "oci:runc" },
    { "oci", "crun", "oci:crun" },
    { "oci", "runsc", "oci:runsc" },
    { "oci", "/usr/local/sbin/runc", "oci:runc" },
    { "oci", "/opt/runc/crun", "oci:crun" },
    { "oci", "youki", "oci:other" },
    { "oci", "runc-wrapper", "oci:other" },
    { "oci", "/opt/runc/", "oci:other" },
    { "oci:crun", NULL, "oci:crun" },
    { "oci:runsc", NULL, "oci:runsc" },
    { "oci:/usr/bin/crun", NULL, "oci:crun" },
    { "oci:kata-runtime", NULL, "oci:other" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    const struct backend *found = NULL;

    CHECK (backend_find (rows[i].name, rows[i].runtime, &found, &err) == 0, "%s", error_text (&err));
    CHECK (found != NULL && strcmp (found->name, rows[i].backend) == 0, "'%s' with '%s' is %s", rows[i].name,
           rows[i].runtime ? rows[i].runtime : "(nothing)", found->name);
  }
}

static void test_backends_that_are_none (void **state)
{
  static const struct {
    const char *name, *message;
  } rows[] = {
    { "dokcer", "unknown backend 'dokcer'; did you mean 'docker'?" },
    { "Podman", "unknown backend 'Podman'; did you mean 'podman'?" },
    { "oci:", "unknown backend 'oci:'; did you mean 'oci'?" },
    { "runc", "unknown backend 'runc'; known are libcrun, oci, docker, podman" },
    { "", "unknown backend ''; known are libcrun, oci, docker, podman" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    const struct backend *found = NULL;

    CHECK (backend_find (rows[i].name, NULL, &found, &err) == -EINVAL, "'%s' is found", rows[i].name);
    assert_string_equal (error_text (&err), rows[i].message);
    assert_null (found);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_every_pair_is_declared),
  cmocka_unit_test (test_every_value_is_declared),
  cmocka_unit_test (test_rate_through_an_engine),
  cmocka_unit_test (test_notes_are_the_differences),
  cmocka_unit_test (test_values_without_a_note_are_the_cell),
  cmocka_unit_test (test_known_cells),
  cmocka_unit_test (test_values_that_no_backend_has),
  cmocka_unit_test (test_engine_network_needs_an_engine),
  cmocka_unit_test (test_differences),
  cmocka_unit_test (test_texts),
  cmocka_unit_test (test_backends_are_found),
  cmocka_unit_test (test_backends_that_are_none),
};

UNIT_MAIN (cases)
