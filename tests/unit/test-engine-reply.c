/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What engines answer: messages, states, lists, and what differs from what was asked for. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine-reply.h"
#include "engine-socket.h"
#include "unit.h"

static struct json_node *tree_of (const char *text)
{
  cleanup_error struct error err = { 0 };
  struct json_node *tree = NULL;

  CHECK (reply_read (text, strlen (text), &tree, &err) == 0, "%s: %s", text, error_text (&err));
  return tree;
}

static void test_messages (void **state)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "{\"message\":\"no such image\"}", "no such image" },
    { "{\"cause\":\"a\",\"message\":\"two\\nlines\\t\",\"response\":500}", "two lines" },
    { "<html>\n", "<html>" },
    { "", "it gave no reason" },
    { "{\"message\":\"\"}", "it gave no reason" },
    { "{\"message\":5}", "{\"message\":5}" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *message = reply_message (rows[i].text, strlen (rows[i].text));

    assert_string_equal (message, rows[i].message);
  }
}

/* An exit code that is missing must never pass for 0. */
static void test_states (void **state)
{
  static const struct {
    const char *text;
    int code;
    bool started, running;
    int pid, exit;
  } rows[] = {
    { "{\"State\":{\"Status\":\"running\",\"Running\":true,\"Pid\":7,\"ExitCode\":0}}", 0, true, true, 7, 0 },
    { "{\"State\":{\"Status\":\"exited\",\"Running\":false,\"Pid\":0,\"ExitCode\":137}}", 0, true, false, 0,
      137 },
    { "{\"State\":{\"Status\":\"created\",\"Running\":false,\"Pid\":0,\"ExitCode\":0}}", 0, false, false, 0,
      0 },
    { "{\"State\":{\"Status\":\"exited\",\"Running\":false,\"Pid\":0}}", -EPROTO, false, false, 0, 0 },
    { "{\"State\":{\"Status\":\"running\",\"Running\":true,\"Pid\":-7,\"ExitCode\":0}}", -EPROTO, false,
      false, 0, 0 },
    { "{\"State\":{\"Status\":\"running\",\"Running\":\"yes\",\"Pid\":7,\"ExitCode\":0}}", -EPROTO, false,
      false, 0, 0 },
    { "{}", -EPROTO, false, false, 0, 0 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    cleanup_json struct json_node *tree = tree_of (rows[i].text);
    cleanup_container_state struct container_state found = { 0 };
    int r = reply_state (tree, &found, &err);

    CHECK (r == rows[i].code && found.started == rows[i].started && found.running == rows[i].running
               && found.pid == rows[i].pid && found.code == rows[i].exit,
           "row %zu: %d %s", i, r, error_text (&err));
  }
}

static void test_versions (void **state)
{
  unsigned major = 0, minor = 0;

  (void) state;
  assert_true (reply_version ("1.41", &major, &minor));
  assert_true (major == 1 && minor == 41);
  assert_true (reply_version ("4.3.1-rc1", &major, &minor));
  assert_true (major == 4 && minor == 3);
  assert_false (reply_version ("one", &major, &minor));
  assert_false (reply_version ("1", &major, &minor));
  assert_false (reply_version (".1", &major, &minor));
  assert_false (reply_version ("-1.1", &major, &minor));
}

static void test_differences (void **state)
{
  static const struct {
    const char *sent, *got, *differs;
  } rows[] = {
    { "{\"A\":1}", "{\"A\":1,\"B\":2}", "" },
    { "{\"A\":1}", "{}", "x.A" },
    { "{\"A\":1}", "{\"A\":2}", "x.A" },
    { "{\"A\":\"1\"}", "{\"A\":1}", "x.A" },
    { "{\"A\":false,\"B\":[],\"C\":{},\"D\":\"\",\"E\":0,\"F\":null}", "{}", "" },
    { "{\"A\":[]}", "{\"A\":[\"SYS_ADMIN\"]}", "x.A" },
    { "{\"A\":false}", "{\"A\":true}", "x.A" },
    { "{\"A\":[1,2]}", "{\"A\":[1,3]}", "x.A[1]" },
    { "{\"A\":[1]}", "{\"A\":[1,2]}", "x.A" },
    { "{\"A\":{\"B\":1}}", "{\"A\":{\"B\":1,\"C\":0}}", "" },
    { "{\"A\":{\"B\":1}}", "{\"A\":{\"B\":1,\"C\":5}}", "x.A.C" },
    { "{\"A\":{}}", "{\"A\":{\"/host\":\"rw\"}}", "x.A./host" },
    { "{\"A\":null}", "{\"A\":\"host\"}", "x.A" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json struct json_node *sent = tree_of (rows[i].sent), *got = tree_of (rows[i].got);
    cleanup_strlist struct strlist differences = { 0 };

    assert_int_equal (reply_compare ("x", sent, got, &differences), 0);
    CHECK (differences.count == (rows[i].differs[0] != '\0')
               && (differences.count == 0 || strcmp (differences.items[0], rows[i].differs) == 0),
           "row %zu: %zu, %s", i, differences.count, differences.count > 0 ? differences.items[0] : "none");
  }
}

static void test_containers (void **state)
{
  /* Docker's, Podman's, and those that only say they are ours. */
  static const char text[] =
      "[{\"Id\":\"ab\",\"Labels\":{\"io.tyrum.run\":\"r-1\"},\"Names\":[\"/other\",\"/tyrum-oci-r-1\"]},"
      "{\"Id\":\"bc\",\"Labels\":{\"io.tyrum.run\":\"r-2\"},\"Names\":[\"tyrum-oci-r-2\"]},"
      "{\"Id\":\"cd\",\"Labels\":null,\"Names\":[\"/tyrum-oci-r-3\"]},"
      "{\"Id\":\"de\",\"Labels\":{\"io.tyrum.run\":\"r-4\"},\"Names\":[\"/web\",null]},"
      "{\"Id\":\"ef\",\"Labels\":{\"io.tyrum.run\":\"r-5\"},\"Names\":[\"/tyrum-oci-r-1\",\"/"
      "x-tyrum-oci-r-5\"]},"
      "{\"Id\":\"fa\",\"Labels\":{\"io.tyrum.run\":\"r-6\"}}]";
  cleanup_error struct error err = { 0 };
  cleanup_strlist struct strlist ids = { 0 }, runs = { 0 }, none = { 0 }, nothing = { 0 };

  (void) state;
  assert_int_equal (reply_containers (text, strlen (text), "io.tyrum.run", "tyrum-oci-", &ids, &runs, &err),
                    0);
  assert_int_equal (ids.count, 2);
  assert_string_equal (runs.items[0], "r-1");
  assert_string_equal (ids.items[1], "bc");
  assert_string_equal (runs.items[1], "r-2");
  assert_int_equal (reply_containers ("null", 4, "x", "", &none, &nothing, &err), 0);
  assert_int_equal (none.count, 0);
  assert_int_equal (reply_containers ("{}", 2, "x", "", &none, &nothing, &err), -EPROTO);
  error_clear (&err);
  assert_int_equal (reply_containers ("[{\"Id\":\"../x\"}]", 15, "x", "", &none, &nothing, &err), -EPROTO);
}

static void make_socket (const char *path, mode_t mode)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  assert_true (fd >= 0 && strlen (path) < sizeof (address.sun_path));
  memcpy (address.sun_path, path, strlen (path) + 1);
  assert_int_equal (bind (fd, (const struct sockaddr *) &address, sizeof (address)), 0);
  assert_int_equal (chmod (path, mode), 0);
  close (fd);
}

static void test_sockets (void **state)
{
  char directory[] = "/tmp/test-engine-XXXXXX";
  cleanup_error struct error err = { 0 };
  cleanup_free char *own = NULL, *found = NULL, *warning = NULL, *none = NULL;
  struct engine_place place = { .engine = backend_named ("docker"), .uid = 1000 };

  (void) state;
  assert_non_null (mkdtemp (directory));
  own = str_format ("%s/docker.sock", directory);
  place.runtime = directory;
  make_socket (own, 0600);
  assert_int_equal (engine_socket_find (&place, &found, &err), 0);
  assert_string_equal (found, own);
  assert_int_equal (engine_socket_judge (own, (uint32_t) getuid (), &none, &err), 0);
  assert_null (none);
  assert_int_equal (chmod (own, 0666), 0);
  assert_int_equal (engine_socket_judge (own, (uint32_t) getuid (), &warning, &err), 0);
  assert_non_null (strstr (warning, "any user can write"));
  place.address = "tcp://10.0.0.1:2375";
  assert_int_equal (engine_socket_find (&place, &none, &err), -EINVAL);
  assert_non_null (strstr (error_text (&err), "DOCKER_HOST"));
  error_clear (&err);
  place.named = directory;
  assert_int_equal (engine_socket_find (&place, &none, &err), -ENOENT);
  unlink (own);
  rmdir (directory);
}

/* {"mode":134218239}, {"mode":2147484141}, {"mode":-1}, {"mode":"x"}, {}, no base64, no JSON. */
static void test_links (void **state)
{
  static const struct {
    const char *text;
    int code;
    bool link;
  } rows[] = {
    { "eyJtb2RlIjoxMzQyMTgyMzl9", 0, true },
    { "eyJtb2RlIjoyMTQ3NDg0MTQxfQ==", 0, false },
    { "eyJtb2RlIjotMX0=", -EPROTO, false },
    { "eyJtb2RlIjoieCJ9", -EPROTO, false },
    { "e30=", -EPROTO, false },
    { "{}", -EPROTO, false },
    { "eA==", -EPROTO, false },
    { "", -EPROTO, false },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    bool link = false;
    int r = reply_is_link (rows[i].text, &link, &err);

    CHECK (r == rows[i].code && link == rows[i].link, "'%s': %d, %d", rows[i].text, r, link);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_messages),    cmocka_unit_test (test_states),     cmocka_unit_test (test_versions),
  cmocka_unit_test (test_differences), cmocka_unit_test (test_containers), cmocka_unit_test (test_sockets),
  cmocka_unit_test (test_links),
};

UNIT_MAIN (cases)
