/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operator's configuration: defaults, values, and mistakes with their place. */
#include <config.h>

#include "profile-configuration.h"

#include <errno.h>

#include "unit.h"

static void test_defaults (void **state)
{
  cleanup_configuration struct configuration *none = NULL, *empty = NULL;
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (configuration_new (&none, &err), 0);
  assert_int_equal (configuration_parse ("c.json", "{\"version\":1}", 13, &empty, &err), 0);
  assert_null (none->file);
  assert_string_equal (empty->file, "c.json");
  assert_true (none->journal_required && none->journal_sync && empty->journal_required
               && empty->journal_sync);
  assert_int_equal (empty->journal_max_bytes, 64u * 1024 * 1024);
  assert_int_equal (empty->journal_keep, 8);
  assert_int_equal (empty->images_unused, (uint64_t) 30 * 24 * 3600 * 1000);
  assert_int_equal (empty->toolrunner_mode, TOOLRUNNER_UNSET);
  assert_false (empty->policy_checked_upstream);
  assert_null (empty->daemon_socket);
  assert_true (empty->daemon_use);
  assert_false (empty->daemon_start);
  assert_int_equal (empty->daemon_idle, 600 * 1000);
  assert_int_equal (empty->ready_age, 600 * 1000);
  assert_int_equal (empty->ready.count, 0);
}

static void test_values (void **state)
{
  static const char text[] =
      "// comments are fine\n"
      "{\"version\":1,\"journal\":{\"required\":false,\"sync\":false,\"max_size\":\"1M\",\"keep\":3},"
      "\"images\":{\"unused\":\"48h\"},"
      "\"toolrunner\":{\"mode\":\"runner\",\"policy_checked_upstream\":true,\"profile\":\"hardened\","
      "\"backend\":\"oci\",\"runtime\":\"runc\",\"image\":\"oci:/x\",\"workspace\":\"work\","
      "\"command\":[\"node\",\"\"],\"migrations_dir\":\"/m\"}}";
  cleanup_configuration struct configuration *c = NULL;
  cleanup_error struct error err = { 0 };

  (void) state;
  CHECK (configuration_parse ("c.json", text, strlen (text), &c, &err) == 0, "%s", error_text (&err));
  assert_false (c->journal_required || c->journal_sync);
  assert_int_equal (c->journal_max_bytes, 1024 * 1024);
  assert_int_equal (c->journal_keep, 3);
  assert_int_equal (c->images_unused, (uint64_t) 48 * 3600 * 1000);
  assert_int_equal (c->toolrunner_mode, TOOLRUNNER_RUNNER);
  assert_true (c->policy_checked_upstream);
  assert_string_equal (c->profile, "hardened");
  assert_string_equal (c->backend, "oci");
  assert_string_equal (c->runtime, "runc");
  assert_string_equal (c->image, "oci:/x");
  assert_string_equal (c->workspace, "work");
  assert_string_equal (c->migrations, "/m");
  assert_int_equal (c->command.count, 2);
}

static void test_daemon (void **state)
{
  static const char text[] =
      "{\"version\":1,\"daemon\":{\"socket\":\"/run/l\",\"use\":false,\"start\":true,\"idle\":\"1s\","
      "\"ready\":{\"plugin\":1,\"baseline\":60,\"hardened\":3},\"ready_age\":\"24h\"}}";
  static const struct {
    const char *profile;
    unsigned count;
  } ready[] = { { "baseline", 60 }, { "hardened", 3 }, { "plugin", 1 } };
  cleanup_configuration struct configuration *c = NULL;
  cleanup_error struct error err = { 0 };

  (void) state;
  CHECK (configuration_parse ("c.json", text, strlen (text), &c, &err) == 0, "%s", error_text (&err));
  assert_string_equal (c->daemon_socket, "/run/l");
  assert_false (c->daemon_use);
  assert_true (c->daemon_start);
  assert_int_equal (c->daemon_idle, 1000);
  assert_int_equal (c->ready_age, 24 * 3600 * 1000);
  assert_int_equal (c->ready.count, ARRAY_LEN (ready));
  /* Each number stays with its name, in whatever order they come. */
  for (size_t i = 0; i < ARRAY_LEN (ready); i++) {
    assert_string_equal (c->ready.items[i], ready[i].profile);
    assert_int_equal (c->ready_counts[i], ready[i].count);
  }
}

static void test_mistakes (void **state)
{
#define JOURNAL(members) "{\"version\":1,\"journal\":{" members "}}"
#define RUNNER(members)  "{\"version\":1,\"toolrunner\":{" members "}}"
#define DAEMON(members)  "{\"version\":1,\"daemon\":{" members "}}"
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "", "configuration 'c.json':1:1: " },
    { "[]", "configuration 'c.json':1:1: expected an object, found an array" },
    { "{}", "configuration 'c.json':1:1: 'version' is missing" },
    { "{\"version\":2}", "configuration 'c.json':1:12: version: this program reads version 1" },
    { "{\"version\":1,\n \"jurnal\":{}}",
      "configuration 'c.json':2:2: unknown key 'jurnal', did you mean 'journal'?" },
    { JOURNAL ("\"keeps\":1"), "journal: unknown key 'keeps', did you mean 'keep'?" },
    { JOURNAL ("\"keep\":0"), "journal.keep: '0' is not a number from 1 to 10000" },
    { "{\"version\":1,\"images\":{\"unused\":\"59m\"}}",
      "images.unused: '59m' is not a time from 1h to 8784h, such as \"720h\"" },
    { JOURNAL ("\"keep\":\"1\""), "journal.keep: expected a number, found a string" },
    { JOURNAL ("\"max_size\":\"1K\""), "journal.max_size: '1K' is not a size from 64K on" },
    { JOURNAL ("\"max_size\":65536"), "journal.max_size: expected a string, found a number" },
    { JOURNAL ("\"required\":\"yes\""), "journal.required: expected true or false, found a string" },
    { RUNNER ("\"mode\":\"both\""), "toolrunner.mode: 'both' is not 'runner' or 'command'" },
    { RUNNER ("\"profile\":\" \""), "toolrunner.profile: the value is blank" },
    { RUNNER ("\"command\":[]"), "toolrunner.command: the command names no program" },
    { RUNNER ("\"command\":[\"\"]"), "toolrunner.command[0]: the command names no program" },
    { RUNNER ("\"command\":\"node\""), "toolrunner.command: expected an array, found a string" },
    { RUNNER ("\"workspace\":\"../x\""), "toolrunner.workspace: '../x' is not a path without" },
    { RUNNER ("\"migrations_dir\":\"m\""), "toolrunner.migrations_dir: 'm' is not an absolute path" },
    { RUNNER ("\"image\":\"a\",\"rootfs\":\"b\""), "toolrunner: 'rootfs' and 'image' both name a root" },
    { DAEMON ("\"sockets\":1"), "daemon: unknown key 'sockets', did you mean 'socket'?" },
    { DAEMON ("\"socket\":\"run/l\""), "daemon.socket: 'run/l' is not an absolute path" },
    { DAEMON ("\"use\":1"), "daemon.use: expected true or false, found a number" },
    { DAEMON ("\"start\":\"yes\""), "daemon.start: expected true or false, found a string" },
    { DAEMON ("\"idle\":\"10\""), "daemon.idle: '10' is not a time from 1s to 24h" },
    { DAEMON ("\"idle\":\"999ms\""), "daemon.idle: '999ms' is not a time from 1s to 24h" },
    { DAEMON ("\"idle\":\"25h\""), "daemon.idle: '25h' is not a time from 1s to 24h" },
    { DAEMON ("\"idle\":600"), "daemon.idle: expected a string, found a number" },
    { DAEMON ("\"ready_age\":\"0s\""), "daemon.ready_age: '0s' is not a time from 1s to 24h" },
    { DAEMON ("\"ready\":[]"), "daemon.ready: expected an object, found an array" },
    { DAEMON ("\"ready\":{\"hardened\":0}"),
      "daemon.ready.hardened: the value is not a number from 1 to 64" },
    { DAEMON ("\"ready\":{\"hardened\":65}"),
      "daemon.ready.hardened: the value is not a number from 1 to 64" },
    { DAEMON ("\"ready\":{\"hardened\":-1}"),
      "daemon.ready.hardened: the value is not a number from 1 to 64" },
    { DAEMON ("\"ready\":{\"hardened\":1.5}"),
      "daemon.ready.hardened: the value is not a number from 1 to 64" },
    { DAEMON ("\"ready\":{\"hardened\":\"1\"}"),
      "daemon.ready.hardened: the value is not a number from 1 to 64" },
    { DAEMON ("\"ready\":{\"a\":40,\"b\":40}"), "daemon.ready: more than 64 sandboxes in total" },
    { DAEMON ("\"ready\":{\"a\":1,\"a\":2}"), "'a'" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_configuration struct configuration *c = NULL;
    cleanup_error struct error err = { 0 };

    assert_int_equal (configuration_parse ("c.json", rows[i].text, strlen (rows[i].text), &c, &err), -EINVAL);
    assert_null (c);
    CHECK (strstr (error_text (&err), rows[i].message) != NULL, "row %zu: %s", i, error_text (&err));
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_defaults),
  cmocka_unit_test (test_values),
  cmocka_unit_test (test_daemon),
  cmocka_unit_test (test_mistakes),
};

UNIT_MAIN (cases)
