/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of an OCI runtime, as the engines write it. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base-cleanup.h"
#include "shim-command.h"
#include "shim-policy.h"

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* As main gets them. */
static char *const *writable (const char *const *words)
{
  static char *copy[32];

  memcpy (copy, words, sizeof (copy[0]));
  for (size_t i = 0; words[i] != NULL; i++)
    memcpy (&copy[i + 1], &words[i + 1], sizeof (copy[0]));
  return copy;
}

static struct command parse (const char *const *words)
{
  struct command command = { 0 };
  struct error err = { 0 };

  assert_int_equal (command_parse (writable (words), &command, &err), 0);
  return command;
}

static void refuse (const char *const *words, const char *why)
{
  struct command command = { 0 };
  struct error err = { 0 };

  assert_int_equal (command_parse (writable (words), &command, &err), -EINVAL);
  assert_non_null (strstr (error_text (&err), why));
  error_clear (&err);
}

static void test_containerd (void **state)
{
  struct command c =
      parse (WORDS ("--root", "/run/moby", "--log", "/b/log.json", "--log-format", "json", "create",
                    "--bundle", "/b", "--pid-file", "/b/init.pid", "--console-socket", "/tmp/s", "id1"));

  (void) state;
  assert_int_equal (c.verb, VERB_CREATE);
  assert_string_equal (c.root.text, "/run/moby");
  assert_string_equal (c.log.text, "/b/log.json");
  assert_string_equal (c.log_format.text, "json");
  assert_string_equal (c.bundle.text, "/b");
  assert_string_equal (c.pid_file.text, "/b/init.pid");
  assert_string_equal (c.id, "id1");
}

static void test_joined_values (void **state)
{
  struct command c =
      parse (WORDS ("--log-format=json", "--log=/l", "--root=/r", "update", "--resources=/f", "id"));

  (void) state;
  assert_int_equal (c.verb, VERB_UPDATE);
  assert_string_equal (c.log.text, "/l");
  assert_string_equal (c.root.text, "/r");
  assert_string_equal (c.resources.text, "/f");
  assert_int_equal (c.resources.at, 4);
  assert_int_equal (c.resources.prefix, strlen ("--resources="));
  assert_string_equal (c.id, "id");
}

/* A value, or a container, that is called like a verb is not one. */
static void test_names_like_verbs (void **state)
{
  struct command c = parse (WORDS ("--root", "create", "--log", "exec", "start", "delete"));

  (void) state;
  assert_int_equal (c.verb, VERB_START);
  assert_string_equal (c.root.text, "create");
  assert_string_equal (c.id, "delete");
  c = parse (WORDS ("create", "-b", "run", "create"));
  assert_int_equal (c.verb, VERB_CREATE);
  assert_string_equal (c.bundle.text, "run");
  assert_string_equal (c.id, "create");
}

static void test_unknown_flags (void **state)
{
  struct command c = parse (
      WORDS ("--systemd-cgroup", "--new-flag", "value", "--other=x", "--debug", "kill", "--all", "id", "9"));

  (void) state;
  assert_int_equal (c.verb, VERB_OTHER);
  assert_string_equal (c.id, "id");
  c = parse (WORDS ("--new-flag", "create", "-b", "/b", "id"));
  assert_int_equal (c.verb, VERB_CREATE);
  c = parse (WORDS ("--version"));
  assert_int_equal (c.verb, VERB_NONE);
  assert_null (c.id);
}

static void test_asking_for_more (void **state)
{
  (void) state;
  assert_string_equal (parse (WORDS ("exec", "--cap", "CAP_SYS_ADMIN", "-p", "/p", "id")).forbidden, "cap");
  assert_string_equal (parse (WORDS ("exec", "--user=0", "--process", "/p", "id")).forbidden, "user");
  assert_string_equal (parse (WORDS ("update", "--memory", "9", "id")).forbidden, "memory");
  assert_string_equal (parse (WORDS ("update", "--cpu-burst=5", "-r", "-", "id")).forbidden, "cpu-burst=5");
  assert_null (parse (WORDS ("update", "--resources", "-", "id")).forbidden);
  assert_null (parse (WORDS ("exec", "--detach", "--process", "/p", "--pid-file", "/f", "id")).forbidden);
}

static void test_refused (void **state)
{
  (void) state;
  refuse (WORDS ("destroy", "id"), "unknown verb");
  refuse (WORDS ("--root"), "no value");
  refuse (WORDS ("start", "../x"), "not the id");
  refuse (WORDS ("start", ".x"), "not the id");
  refuse (WORDS ("start", "a/b"), "not the id");
  refuse (WORDS ("start", ""), "not the id");
  refuse (WORDS ("start"), "no id");
  refuse (WORDS ("exec", "--process", "/p"), "no id");
}

/* crun reads each of these as a flag that names, or says, what is met; runc does not. */
static void test_not_written_out (void **state)
{
  const char *const *const words[] = {
    WORDS ("create", "--bundle", "/b", "--bund=/other", "id"),
    WORDS ("create", "--bundle", "/b", "-b/other", "id"),
    WORDS ("create", "-b=/other", "id"),
    WORDS ("create", "-bundle", "/other", "id"),
    WORDS ("run", "--conf", "/other", "id"),
    WORDS ("exec", "--process", "/p", "-p/other", "id"),
    WORDS ("exec", "--process", "/p", "-tp", "/other", "id"),
    WORDS ("exec", "--process", "/p", "--proces=/other", "id"),
    WORDS ("exec", "--process", "/p", "--us=0", "id"),
    WORDS ("update", "--resources", "-", "--pids=9", "id"),
    WORDS ("update", "-r/other", "id"),
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (words); i++)
    refuse (words[i], "write the whole name");
  assert_string_equal (parse (WORDS ("exec", "--c", "CAP_KILL", "-p", "/p", "id")).forbidden, "c");
  assert_string_equal (parse (WORDS ("create", "--no-pivot", "-b", "/b", "id")).bundle.text, "/b");
  assert_string_equal (parse (WORDS ("ps", "-f", "json", "id")).id, "id");
  assert_string_equal (parse (WORDS ("delete", "-f", "id")).id, "id");
}

/* A word that may be the value of a flag or an id is neither. */
static void test_two_ids (void **state)
{
  (void) state;
  refuse (WORDS ("create", "--frob", "value", "-b", "/b", "id"), "'value' and 'id'");
  refuse (WORDS ("run", "-b", "/b", "id", "more"), "'id' and 'more'");
  refuse (WORDS ("start", "id", "more"), "'id' and 'more'");
  refuse (WORDS ("update", "-r", "-", "id", "more"), "'id' and 'more'");
  refuse (WORDS ("exec", "--frob", "value", "-p", "/p", "id"), "'value' and 'id'");
  assert_string_equal (parse (WORDS ("create", "--frob=value", "-b", "/b", "id")).id, "id");
  assert_string_equal (parse (WORDS ("exec", "id", "ls", "more")).id, "id");
  assert_string_equal (parse (WORDS ("kill", "id", "9")).id, "id");
  assert_int_equal (parse (WORDS ("restore", "--image-path", "/i", "--detach", "id")).verb, VERB_RESTORE);
}

static void test_profile_by_name (void **state)
{
  (void) state;
  assert_string_equal (policy_name_of ("/etc/tyrum-oci/runtimes/tyrum-hardened"), "hardened");
  assert_string_equal (policy_name_of ("tyrum-my-own"), "my-own");
  assert_string_equal (policy_name_of ("/usr/bin/tyrum-oci-runtime"), "baseline");
  assert_null (policy_name_of ("/usr/bin/crun"));
  assert_null (policy_name_of ("tyrum-"));
}

static void test_plain_names (void **state)
{
  static const char *const paths[] = { "",        ".",         "..",        "/etc/shadow", "../../x",
                                       "a/b",     ".hidden",   "x.json",    "a b",         "a\nb",
                                       "a%s\x1b", "h\xc3\xa4", "dir/x.json" };
  char longest[130];

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (paths); i++)
    assert_false (policy_is_plain_name (paths[i]));
  assert_true (policy_is_plain_name ("hardened") && policy_is_plain_name ("My_own-2.1"));
  memset (longest, 'x', sizeof (longest));
  longest[129] = '\0';
  assert_false (policy_is_plain_name (longest));
  longest[128] = '\0';
  assert_true (policy_is_plain_name (longest));
}

#define ID_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define ID_B "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"

static void test_id_of_cgroup (void **state)
{
  (void) state;
  assert_string_equal (command_id_of_cgroup ("/machine/libpod-" ID_A), ID_A);
  assert_string_equal (command_id_of_cgroup ("machine.slice:libpod:" ID_A), ID_A);
  /* A parent that looks like another container. */
  assert_string_equal (command_id_of_cgroup ("/libpod-" ID_B "/libpod-" ID_A), ID_A);
  assert_string_equal (command_id_of_cgroup ("libpod-" ID_B ".slice:libpod:" ID_A), ID_A);
  assert_null (command_id_of_cgroup ("/libpod-" ID_B "/other"));
  assert_null (command_id_of_cgroup ("/machine/xlibpod-" ID_A));
  assert_null (command_id_of_cgroup ("/machine/libpod-0" ID_A));
  assert_null (command_id_of_cgroup ("/machine/libpod-" ID_A "/x"));
  assert_null (command_id_of_cgroup ("slice:docker:" ID_A));
  assert_null (command_id_of_cgroup (ID_A));
  assert_null (command_id_of_cgroup ("-" ID_A));
  assert_null (command_id_of_cgroup (""));
}

static void test_run (void **state)
{
  struct command c = parse (WORDS ("run", "-d", "--keep=false", "--no-subreaper", "--console-socket", "/s",
                                   "--bundle", "detach", "id4"));

  (void) state;
  assert_int_equal (c.verb, VERB_RUN);
  assert_true (c.detach && !c.keep);
  assert_string_equal (c.console_socket.text, "/s");
  assert_string_equal (c.bundle.text, "detach");
  assert_string_equal (c.id, "id4");
  c = parse (WORDS ("run", "--detach=false", "--keep", "id5"));
  assert_true (!c.detach && c.keep);
  assert_false (parse (WORDS ("create", "--detach", "id6")).detach);
  refuse (WORDS ("run", "--detach=perhaps", "id7"), "neither true nor false");
}

int main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_containerd),       cmocka_unit_test (test_joined_values),
    cmocka_unit_test (test_names_like_verbs), cmocka_unit_test (test_unknown_flags),
    cmocka_unit_test (test_asking_for_more),  cmocka_unit_test (test_refused),
    cmocka_unit_test (test_profile_by_name),  cmocka_unit_test (test_run),
    cmocka_unit_test (test_plain_names),      cmocka_unit_test (test_id_of_cgroup),
    cmocka_unit_test (test_not_written_out),  cmocka_unit_test (test_two_ids),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
