/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The error type: the first cause stays, context goes in front. */
#include <config.h>

#include "base-error.h"

#include <errno.h>

#include "base-cleanup.h"
#include "unit.h"

static void test_starts_unset (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_false (error_is_set (&err));
  assert_string_equal (error_text (&err), "no error");
  assert_int_equal (error_prefix (&err, "profile '%s'", "ci.json"), 0);
  assert_false (error_is_set (&err));
  assert_string_equal (error_text (&err), "no error");
}

static void test_set_returns_and_stores (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (error_set (&err, -EINVAL, "'%s' is not a number from %d to %d", "-4", 1, 7), -EINVAL);
  assert_true (error_is_set (&err));
  assert_int_equal (err.code, -EINVAL);
  assert_string_equal (error_text (&err), "'-4' is not a number from 1 to 7");
}

static void test_first_cause_is_kept (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  error_set (&err, -ENOENT, "first");
  assert_int_equal (error_set (&err, -EIO, "second"), -EIO);
  assert_int_equal (error_set_errno (&err, EPERM, "third"), -EPERM);
  assert_int_equal (error_oom (&err), -ENOMEM);
  assert_int_equal (err.code, -ENOENT);
  assert_string_equal (error_text (&err), "first");
}

static void test_errno_is_appended (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (error_set_errno (&err, ENOENT, "cannot open '%s'", "/x"), -ENOENT);
  assert_int_equal (err.code, -ENOENT);
  assert_string_equal (error_text (&err), "cannot open '/x': No such file or directory");
}

static void test_context_goes_in_front (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  error_set (&err, -EINVAL, "'-4' is not a number");
  assert_int_equal (error_prefix (&err, "limits.%s", "pids"), -EINVAL);
  assert_int_equal (error_prefix (&err, "profile '%s':%d:%d", "ci.json", 14, 9), -EINVAL);
  assert_string_equal (error_text (&err), "profile 'ci.json':14:9: limits.pids: '-4' is not a number");
}

/* What came from outside may hold a percent sign; it is text by then, not a format. */
static void test_percent_signs_are_text (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  error_set (&err, -EINVAL, "'%s' is refused", "%s%n");
  error_prefix (&err, "file '%s'", "100%d");
  assert_string_equal (error_text (&err), "file '100%d': '%s%n' is refused");
}

static void test_out_of_memory_has_words (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (error_oom (&err), -ENOMEM);
  assert_null (err.message);
  assert_string_equal (error_text (&err), "out of memory");
  assert_int_equal (error_prefix (&err, "context"), -ENOMEM);
  assert_string_equal (error_text (&err), "out of memory");
}

static void test_without_an_error (void **state)
{
  (void) state;
  assert_int_equal (error_set (NULL, -EINVAL, "nobody listens to %d", 1), -EINVAL);
  assert_int_equal (error_set_errno (NULL, EIO, "nobody"), -EIO);
  assert_int_equal (error_oom (NULL), -ENOMEM);
  assert_int_equal (error_prefix (NULL, "nobody"), 0);
}

static void test_clear_makes_room (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  error_set (&err, -EINVAL, "one");
  error_clear (&err);
  assert_false (error_is_set (&err));
  assert_null (err.message);
  error_clear (&err);
  assert_int_equal (error_set (&err, -EIO, "two"), -EIO);
  assert_string_equal (error_text (&err), "two");
}

/* A key of a hostile file may hold anything. */
static void test_message_is_one_line (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  error_set (&err, -EINVAL, "unknown key '%s'", "a\nb\x1b[2Jc\x7f");
  error_prefix (&err, "file '%s'", "x\ty");
  assert_string_equal (error_text (&err), "file 'x?y': unknown key 'a?b?[2Jc?'");
}

static void test_letters_beyond_ascii_stay (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  error_set (&err, -EINVAL, "'%s'", "gr\xc3\xbc\xc3\x9f");
  assert_string_equal (error_text (&err), "'gr\xc3\xbc\xc3\x9f'");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_starts_unset),
  cmocka_unit_test (test_set_returns_and_stores),
  cmocka_unit_test (test_first_cause_is_kept),
  cmocka_unit_test (test_errno_is_appended),
  cmocka_unit_test (test_context_goes_in_front),
  cmocka_unit_test (test_percent_signs_are_text),
  cmocka_unit_test (test_out_of_memory_has_words),
  cmocka_unit_test (test_without_an_error),
  cmocka_unit_test (test_clear_makes_room),
  cmocka_unit_test (test_message_is_one_line),
  cmocka_unit_test (test_letters_beyond_ascii_stay),
};

UNIT_MAIN (cases)
