/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* References to images, and names made fit for messages. */
#include <config.h>

#include "image-reference.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base-limits.h"
#include "base-str.h"
#include "image-case.h"
#include "image-name-internal.h"
#include "unit.h"

static void assert_parts (const char *text, const char *directory, const char *tag)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_reference struct image_reference reference = { 0 };
  int r = image_reference_parse (text, &reference, &err);

  CHECK (r == 0, "%s: %s", text, error_text (&err));
  CHECK (str_equal (reference.directory, directory), "%s: directory '%s'", text, reference.directory);
  CHECK (str_equal (reference.tag, tag), "%s: tag '%s'", text, reference.tag ? reference.tag : "(none)");
}

static void assert_refused (const char *text, int code, const char *message)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_reference struct image_reference reference = { 0 };
  int r = image_reference_parse (text, &reference, &err);

  CHECK (r == code, "%s: %d, %s", text, r, error_text (&err));
  assert_string_equal (error_text (&err), message);
  assert_null (reference.directory);
}

static void test_splits_at_a_directory (void **state)
{
  (void) state;
  assert_int_equal (mkdir ("a", 0755), 0);
  assert_int_equal (mkdir ("a/b", 0755), 0);
  assert_parts ("oci:a", "a", NULL);
  assert_parts ("oci:a/b", "a/b", NULL);
  assert_parts ("oci:a/", "a/", NULL);
  assert_parts ("oci:./a:v1", "./a", "v1");
  assert_parts ("oci:a:v1.2-x_y", "a", "v1.2-x_y");
  assert_parts ("oci:a:name:v1", "a", "name:v1");
  assert_parts ("oci:a:example.org/name@x+y", "a", "example.org/name@x+y");
}

static void test_directory_with_colons (void **state)
{
  (void) state;
  assert_int_equal (mkdir ("a", 0755), 0);
  assert_parts ("oci:a:b", "a", "b");
  assert_parts ("oci:a:b:c", "a", "b:c");
  assert_int_equal (mkdir ("a:b", 0755), 0);
  assert_parts ("oci:a:b", "a:b", NULL);
  assert_parts ("oci:a:b:c", "a:b", "c");
  /* A file is no directory. */
  case_write_text ("a:c", "");
  assert_parts ("oci:a:c", "a", "c");
}

static void test_refuses (void **state)
{
  char text[LIMIT_IMAGE_TAG_BYTES + 8];

  (void) state;
  assert_int_equal (mkdir ("a", 0755), 0);
  assert_refused ("", -EINVAL, "image '': expected oci:DIR or oci:DIR:TAG, an image layout on disk");
  assert_refused ("oci:", -EINVAL, "image 'oci:': expected oci:DIR or oci:DIR:TAG, an image layout on disk");
  assert_refused ("docker:a", -EINVAL,
                  "image 'docker:a': expected oci:DIR or oci:DIR:TAG, an image layout on disk");
  assert_refused ("a", -EINVAL, "image 'a': expected oci:DIR or oci:DIR:TAG, an image layout on disk");
  assert_refused ("oci:none:v1", -ENOENT,
                  "image 'oci:none:v1': there is no such directory; it must hold an OCI image layout");
  assert_refused ("oci::v1", -ENOENT,
                  "image 'oci::v1': there is no such directory; it must hold an OCI image layout");
  assert_refused ("oci:a:", -EINVAL, "image 'oci:a:': what follows the directory is not a tag");
  assert_refused ("oci:a:b c", -EINVAL, "image 'oci:a:b c': what follows the directory is not a tag");
  assert_refused ("oci:a:b\n", -EINVAL, "image 'oci:a:b\\x0a': what follows the directory is not a tag");

  memcpy (text, "oci:a:", 6);
  memset (text + 6, 'x', sizeof (text) - 7);
  text[6 + LIMIT_IMAGE_TAG_BYTES] = '\0';
  assert_parts (text, "a", text + 6);
  text[6 + LIMIT_IMAGE_TAG_BYTES] = 'x';
  text[7 + LIMIT_IMAGE_TAG_BYTES] = '\0';
  {
    cleanup_error struct error err = { 0 };
    cleanup_image_reference struct image_reference reference = { 0 };

    assert_int_equal (image_reference_parse (text, &reference, &err), -EINVAL);
  }
}

static void test_is_reference (void **state)
{
  (void) state;
  assert_true (image_reference_is ("oci:x"));
  assert_false (image_reference_is ("oci"));
  assert_false (image_reference_is ("OCI:x"));
}

static void test_show (void **state)
{
  char shown[IMAGE_SHOWN], text[IMAGE_SHOWN + 8];

  (void) state;
  assert_string_equal (image_show ("usr/bin/a b~", shown), "usr/bin/a b~");
  assert_string_equal (image_show ("a\x1b[31m\n\\\x7f\xc3\xbc", shown),
                       "a\\x1b[31m\\x0a\\x5c\\x7f\\xc3\\xbc");
  assert_string_equal (image_show (NULL, shown), "");
  memset (text, 'x', sizeof (text) - 1);
  text[sizeof (text) - 1] = '\0';
  assert_int_equal (strlen (image_show (text, shown)), IMAGE_SHOWN - 1);
  assert_string_equal (shown + IMAGE_SHOWN - 5, "x...");
  /* An escape is never cut in half. */
  memset (text, '\n', sizeof (text) - 1);
  assert_string_equal (image_show (text, shown) + strlen (shown) - 7, "\\x0a...");
}

int main (void)
{
  const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown (test_splits_at_a_directory, case_enter, case_leave),
    cmocka_unit_test_setup_teardown (test_directory_with_colons, case_enter, case_leave),
    cmocka_unit_test_setup_teardown (test_refuses, case_enter, case_leave),
    cmocka_unit_test (test_is_reference),
    cmocka_unit_test (test_show),
  };

  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, NULL, NULL);
}
