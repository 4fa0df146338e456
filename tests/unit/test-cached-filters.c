/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists and filters that are kept: the same for the same text, another for another, and documents to the byte
 * as before. */
#include <config.h>

#include "plan-seccomp.h"

#include "base-json-write.h"
#include "render-oci-seccomp.h"
#include "seccomp-case.h"

static const char text[] =
    "{ \"version\": 1, \"name\": \"small\", \"meaning\": \"for tests\", \"unknown\": "
    "\"ENOSYS\", \"allow\": { \"files\": [\"read\"] }, \"deny\": { \"EPERM\": [\"mount\"] } }";
static const char other[] =
    "{ \"version\": 1, \"name\": \"small\", \"meaning\": \"for tests\", \"unknown\": "
    "\"ENOSYS\", \"allow\": { \"files\": [\"write\"] }, \"deny\": { \"EPERM\": [\"mount\"] } }";

static struct seccomp_list *obtain (const char *file, const char *from)
{
  cleanup_error struct error err = { 0 };
  struct seccomp_list *list = NULL;

  assert_int_equal (seccomp_list_obtain (file, from, strlen (from), &list, &err), 0);
  return list;
}

static char *written (const struct filter *filter, bool pretty)
{
  cleanup_json_writer struct json_writer w = { .pretty = pretty };
  cleanup_error struct error err = { 0 };
  char *document = NULL;

  json_object_begin (&w, NULL);
  json_string (&w, "before", "this");
  oci_seccomp_write (&w, "seccomp", filter, NULL);
  json_string (&w, "behind", "that");
  json_object_end (&w);
  assert_int_equal (json_finish (&w, &document, &err), 0);
  return document;
}

/* Before anything is kept each is one's own. */
static void test_not_kept (void **state)
{
  cleanup_seccomp_list struct seccomp_list *one = obtain ("small.json", text),
                                           *two = obtain ("small.json", text);

  (void) state;
  assert_ptr_not_equal (one, two);
  assert_false (one->kept);
}

static void test_kept (void **state)
{
  cleanup_seccomp_list struct seccomp_list *fresh = NULL;
  cleanup_error struct error err = { 0 };
  cleanup_strlist struct strlist extra = { 0 };
  struct strlist none = { 0 };
  struct seccomp_list *one;
  struct filter *filter = NULL, *again = NULL, *more = NULL;

  (void) state;
  seccomp_lists_keep ();
  filters_keep ();
  one = obtain ("small.json", text);
  assert_true (one->kept);
  /* Freed as often as one likes. */
  seccomp_list_free (one);
  assert_ptr_equal (obtain ("small.json", text), one);
  assert_ptr_not_equal (obtain ("small.json", other), one);
  assert_ptr_not_equal (obtain ("elsewhere.json", text), one);
  assert_int_equal (filter_build (one, &none, NULL, "x86_64", &filter, &err), 0);
  filter_free (filter);
  assert_int_equal (filter_build (one, &none, NULL, "x86_64", &again, &err), 0);
  assert_ptr_equal (filter, again);
  assert_int_equal (filter_build (one, &none, NULL, "aarch64", &more, &err), 0);
  assert_ptr_not_equal (more, filter);
  assert_int_equal (strset_add (&extra, "keyctl"), 0);
  assert_int_equal (filter_build (one, &extra, NULL, "x86_64", &more, &err), 0);
  assert_ptr_not_equal (more, filter);
  assert_int_equal (filter_build (one, &none, &extra, "x86_64", &more, &err), 0);
  assert_ptr_not_equal (more, filter);
  /* Of a list that is not kept no filter is. */
  assert_int_equal (seccomp_list_parse ("small.json", text, strlen (text), &fresh, &err), 0);
  assert_int_equal (filter_build (fresh, &none, NULL, "x86_64", &more, &err), 0);
  assert_false (more->kept);
  filter_free (more);
}

static void test_written (void **state)
{
  cleanup_seccomp_list struct seccomp_list *fresh = NULL;
  cleanup_filter struct filter *plain = NULL;
  cleanup_error struct error err = { 0 };
  struct strlist none = { 0 };
  struct filter *filter = NULL;

  (void) state;
  assert_int_equal (seccomp_list_parse ("small.json", text, strlen (text), &fresh, &err), 0);
  assert_int_equal (filter_build (fresh, &none, NULL, "x86_64", &plain, &err), 0);
  assert_int_equal (filter_build (obtain ("small.json", text), &none, NULL, "x86_64", &filter, &err), 0);
  for (unsigned turn = 0; turn < 3; turn++)
    for (unsigned pretty = 0; pretty < 2; pretty++) {
      cleanup_free char *expected = written (plain, pretty), *got = written (filter, pretty);

      assert_string_equal (got, expected);
    }
}

int main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_not_kept),
    cmocka_unit_test (test_kept),
    cmocka_unit_test (test_written),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
