/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text: the buffer, lists, sets, UTF-8 and the nearest name. */
#include <config.h>

#include "base-str.h"

#include <errno.h>

#include "unit.h"

static void test_buffer_grows (void **state)
{
  cleanup_strbuf struct strbuf buf = { 0 };
  cleanup_free char *text = NULL;

  (void) state;
  for (unsigned i = 0; i < 1000; i++) {
    strbuf_addf (&buf, "%03u", i);
    strbuf_add (&buf, ";");
    assert_int_equal (buf.len, (i + 1) * 4);
    assert_int_equal (strlen (buf.text), buf.len);
  }
  text = strbuf_take (&buf);
  assert_non_null (text);
  assert_int_equal (strlen (text), 4000);
  assert_memory_equal (text, "000;001;002;", 12);
  assert_string_equal (text + 3996, "999;");
  assert_null (buf.text);
  assert_int_equal (buf.len, 0);
}

/* The first allocation is 256 bytes: one less, as many and one more, with their NUL. */
static void test_buffer_at_its_first_size (void **state)
{
  char fill[300];

  (void) state;
  memset (fill, 'x', sizeof (fill));
  for (size_t len = 250; len <= 260; len++) {
    cleanup_strbuf struct strbuf buf = { 0 };

    strbuf_add_bytes (&buf, fill, len);
    strbuf_add_bytes (&buf, fill, 0);
    assert_int_equal (buf.len, len);
    assert_int_equal (strlen (buf.text), len);
    strbuf_add (&buf, "end");
    assert_string_equal (buf.text + len, "end");
  }
}

static void test_buffer_takes_bytes (void **state)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  (void) state;
  strbuf_add_bytes (&buf, "a\0b", 3);
  strbuf_add (&buf, "c");
  assert_int_equal (buf.len, 4);
  assert_memory_equal (buf.text, "a\0bc", 5);
  memcpy (strbuf_extend (&buf, 3), "def", 3);
  assert_int_equal (buf.len, 7);
  assert_memory_equal (buf.text, "a\0bcdef", 8);
}

static void test_empty_buffer_is_empty_text (void **state)
{
  cleanup_strbuf struct strbuf buf = { 0 };
  cleanup_free char *text = strbuf_take (&buf);

  (void) state;
  assert_non_null (text);
  assert_string_equal (text, "");
}

static void test_buffer_failure_is_sticky (void **state)
{
  cleanup_strbuf struct strbuf buf = { 0 };
  cleanup_free char *text = NULL;

  (void) state;
  strbuf_add (&buf, "before");
  strbuf_add_bytes (&buf, "", SIZE_MAX - 6); /* no room for the NUL: refused before a byte is read */
  assert_true (buf.failed);
  assert_null (strbuf_extend (&buf, 1));
  assert_false (strbuf_reserve (&buf, 1));
  strbuf_add (&buf, "after");
  strbuf_addf (&buf, "%d", 1);
  assert_true (buf.failed);
  assert_null (strbuf_take (&buf));
  assert_false (buf.failed);
  strbuf_add (&buf, "again");
  text = strbuf_take (&buf);
  assert_string_equal (text, "again");
}

static void fill_list (struct strlist *list, const char *const *items)
{
  for (; *items != NULL; items++)
    assert_int_equal (strlist_add (list, *items), 0);
}

static void test_list_keeps_order_and_repeats (void **state)
{
  cleanup_strlist struct strlist list = { 0 }, copy = { 0 }, other = { 0 }, empty = { 0 };

  (void) state;
  fill_list (&list, (const char *const[]){ "b", "a", "b", "", NULL });
  fill_list (&other, (const char *const[]){ "a", "b", "b", "", NULL });
  assert_int_equal (list.count, 4);
  assert_string_equal (list.items[0], "b");
  assert_string_equal (list.items[3], "");
  assert_int_equal (strlist_copy (&list, &copy), 0);
  assert_true (strlist_equal (&list, &copy));
  assert_false (strlist_equal (&list, &other));
  assert_ptr_not_equal (list.items[0], copy.items[0]);
  strlist_clear (&list);
  assert_int_equal (list.count, 0);
  assert_true (strlist_equal (&list, &empty));
  assert_false (strlist_equal (&copy, &empty));
  assert_string_equal (copy.items[1], "a");
}

static void test_list_takes_text (void **state)
{
  cleanup_strlist struct strlist list = { 0 };

  (void) state;
  assert_int_equal (strlist_add_take (&list, NULL), -ENOMEM); /* what a failed strdup hands over */
  assert_int_equal (list.count, 0);
  assert_int_equal (strlist_add_take (&list, str_format ("%s-%d", "a", 1)), 0);
  assert_string_equal (list.items[0], "a-1");
}

/* Shortened by hand to any length, it can be added to: its room is never less than it needs. */
static void test_list_can_be_shortened (void **state)
{
  (void) state;
  for (size_t full = 0; full < 40; full++)
    for (size_t kept = 0; kept <= full; kept++) {
      cleanup_strlist struct strlist list = { 0 };

      for (size_t i = 0; i < full; i++)
        assert_int_equal (strlist_add_take (&list, str_format ("%zu", i)), 0);
      while (list.count > kept)
        free (list.items[--list.count]);
      for (size_t i = kept; i < 70; i++)
        assert_int_equal (strlist_add_take (&list, str_format ("%zu", i)), 0);
      assert_string_equal (list.items[69], "69");
    }
}

static void test_set_is_sorted_once_each (void **state)
{
  static const char *const mixed[] = { "m", "z", "a", "m", "", "Z", "aa", "a", "z", "\xc3\xa4" };
  static const char *const sorted[] = { "", "Z", "a", "aa", "m", "z", "\xc3\xa4" };
  cleanup_strlist struct strlist set = { 0 };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (mixed); i++)
    assert_int_equal (strset_add (&set, mixed[i]), 0);
  assert_int_equal (set.count, ARRAY_LEN (sorted));
  for (size_t i = 0; i < ARRAY_LEN (sorted); i++) {
    assert_string_equal (set.items[i], sorted[i]);
    assert_true (strset_has (&set, sorted[i]));
  }
  assert_false (strset_has (&set, "b"));
  assert_false (strset_has (&set, "aaa"));
  assert_false (strset_has (&set, "\xff"));
}

#define NAMES 6

/* The set whose bits say which names it has, filled from the far end. */
static void set_of (unsigned bits, struct strlist *set)
{
  static const char *const names[NAMES] = { "a", "ab", "b", "ba", "c", "d" };

  for (size_t i = NAMES; i-- > 0;)
    if (bits & (1u << i))
      assert_int_equal (strset_add (set, names[i]), 0);
}

/* Every pair of subsets of six names, against the same done with bits. */
static void test_set_operations_agree_with_bits (void **state)
{
  (void) state;
  for (unsigned a = 0; a < 1u << NAMES; a++)
    for (unsigned b = 0; b < 1u << NAMES; b++) {
      cleanup_strlist struct strlist sa = { 0 }, sb = { 0 }, both = { 0 }, all = { 0 };
      cleanup_strlist struct strlist want_both = { 0 }, want_all = { 0 };

      set_of (a, &sa);
      set_of (b, &sb);
      set_of (a & b, &want_both);
      set_of (a | b, &want_all);
      assert_int_equal (strset_intersect (&sa, &sb, &both), 0);
      assert_int_equal (strset_union (&sa, &sb, &all), 0);
      CHECK (strlist_equal (&both, &want_both), "the intersection of %#x and %#x is wrong", a, b);
      CHECK (strlist_equal (&all, &want_all), "the union of %#x and %#x is wrong", a, b);
      CHECK (strset_subset (&sa, &sb) == ((a & ~b) == 0), "%#x subset of %#x is wrong", a, b);
    }
}

static void test_equal_and_affixes (void **state)
{
  (void) state;
  assert_true (str_equal (NULL, NULL));
  assert_false (str_equal (NULL, ""));
  assert_false (str_equal ("", NULL));
  assert_true (str_equal ("", ""));
  assert_true (str_equal ("abc", "abc"));
  assert_false (str_equal ("abc", "abd"));

  assert_true (str_has_prefix ("oci:runc", "oci:"));
  assert_true (str_has_prefix ("oci:", "oci:"));
  assert_true (str_has_prefix ("x", ""));
  assert_false (str_has_prefix ("oci", "oci:"));
  assert_false (str_has_prefix ("", "o"));
  assert_false (str_has_prefix ("xoci:", "oci:"));

  assert_true (str_has_suffix ("list.json", ".json"));
  assert_true (str_has_suffix (".json", ".json"));
  assert_true (str_has_suffix ("x", ""));
  assert_false (str_has_suffix ("json", ".json"));
  assert_false (str_has_suffix ("list.json ", ".json"));
  assert_false (str_has_suffix ("", "x"));
}

static void test_format (void **state)
{
  cleanup_free char *text = str_format ("%s:%u", "file", 14u);
  cleanup_free char *empty = str_format ("%s", "");

  (void) state;
  assert_string_equal (text, "file:14");
  assert_string_equal (empty, "");
}

/* Around the length up to which no memory is asked for twice. */
static void test_format_of_any_length (void **state)
{
  char fill[600];

  (void) state;
  memset (fill, 'x', sizeof (fill));
  for (int len = 250; len < (int) sizeof (fill); len++) {
    cleanup_free char *text = str_format ("%.*s%d", len, fill, 7);

    assert_int_equal (strlen (text), len + 1);
    assert_memory_equal (text, fill, len);
    assert_string_equal (text + len, "7");
  }
}

static void test_utf8_forms (void **state)
{
  static const struct {
    const char *bytes;
    size_t len;
    bool valid;
  } rows[] = {
    { "", 0, true },
    { "plain", 5, true },
    { "\0", 1, true },
    { "\x7f", 1, true },
    { "\xc3\xa9t\xc3\xa9", 5, true },
    { "\xe2\x82\xac", 3, true },
    { "\xf0\x9f\x98\x80", 4, true },
    { "\xef\xbb\xbf", 3, true },
    { "\xef\xbf\xbf", 3, true }, /* U+FFFF is not a character, but it is UTF-8 */
    { "\x80", 1, false },        /* continuation without a lead */
    { "\xbf", 1, false },
    { "a\x80", 2, false },
    { "\xc0\x80", 2, false },         /* overlong NUL */
    { "\xc0\xae\xc0\xae", 4, false }, /* overlong ".." */
    { "\xc1\xbf", 2, false },
    { "\xe0\x80\xaf", 3, false }, /* overlong "/" */
    { "\xe0\x9f\xbf", 3, false },
    { "\xf0\x80\x80\xaf", 4, false },
    { "\xf0\x8f\xbf\xbf", 4, false },
    { "\xed\xa0\x80", 3, false }, /* surrogates */
    { "\xed\xbf\xbf", 3, false },
    { "\xed\xa0\xbd\xed\xb8\x80", 6, false }, /* a pair of them */
    { "\xf4\x90\x80\x80", 4, false },         /* past U+10FFFF */
    { "\xf5\x80\x80\x80", 4, false },
    { "\xf8\x88\x80\x80\x80", 5, false },
    { "\xfe", 1, false },
    { "\xff", 1, false },
    { "\xc3", 1, false }, /* cut off */
    { "\xe2\x82", 2, false },
    { "\xf0\x9f\x98", 3, false },
    { "\xc3(", 2, false },
    { "\xe2(\xac", 3, false },
    { "\xe2\x82(", 3, false },
    { "\xf0\x9f\x98(", 4, false },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    CHECK (str_is_utf8 (rows[i].bytes, rows[i].len) == rows[i].valid, "row %zu is not %d", i, rows[i].valid);
}

/* The bytes of POINT by the table of RFC 3629, whether or not it may be written. */
static size_t encode (uint32_t point, char *bytes)
{
  if (point < 0x80) {
    bytes[0] = (char) point;
    return 1;
  }
  if (point < 0x800) {
    bytes[0] = (char) (0xc0 | point >> 6);
    bytes[1] = (char) (0x80 | (point & 0x3f));
    return 2;
  }
  if (point < 0x10000) {
    bytes[0] = (char) (0xe0 | point >> 12);
    bytes[1] = (char) (0x80 | (point >> 6 & 0x3f));
    bytes[2] = (char) (0x80 | (point & 0x3f));
    return 3;
  }
  bytes[0] = (char) (0xf0 | point >> 18);
  bytes[1] = (char) (0x80 | (point >> 12 & 0x3f));
  bytes[2] = (char) (0x80 | (point >> 6 & 0x3f));
  bytes[3] = (char) (0x80 | (point & 0x3f));
  return 4;
}

static void test_utf8_of_every_code_point (void **state)
{
  (void) state;
  for (uint32_t point = 0; point < 0x200000; point++) {
    char bytes[4];
    size_t len = encode (point, bytes);
    bool valid = point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);

    if (str_is_utf8 (bytes, len) != valid)
      fail_msg ("U+%04X is not %d", (unsigned) point, valid);
  }
}

/* Two bytes are either two ASCII characters or the one encoding of one code point. */
static void test_utf8_of_every_pair_of_bytes (void **state)
{
  (void) state;
  for (unsigned first = 0; first < 256; first++)
    for (unsigned second = 0; second < 256; second++) {
      char bytes[2] = { (char) first, (char) second };
      bool valid = (first < 0x80 && second < 0x80)
                   || (first >= 0xc2 && first <= 0xdf && second >= 0x80 && second <= 0xbf);

      if (str_is_utf8 (bytes, 2) != valid)
        fail_msg ("%02x %02x is not %d", first, second, valid);
    }
}

#define FORTY_EIGHT "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv"

static void test_nearest (void **state)
{
  static const char *const names[] = { "none", "memory", "pids", "open_files", "bind", "find", FORTY_EIGHT };
  static const struct {
    const char *text, *nearest;
  } rows[] = {
    { "memory", "memory" },  /* itself */
    { "memroy", "memory" },  /* two neighbours swapped */
    { "mmory", "memory" },   /* one missing */
    { "memoryy", "memory" }, /* one too many */
    { "mexxry", "memory" },  /* two of six wrong */
    { "mexxxy", NULL },      /* three of six */
    { "Memory", "memory" },
    { "pid", "pids" },
    { "pidz", "pids" },
    { "pdis", "pids" },
    { "pdxs", NULL }, /* half a swap is none */
    { "pxis", NULL },
    { "pdi", NULL }, /* short names forgive one slip only */
    { "open-files", "open_files" },
    { "openfile", "open_files" },
    { "opn_fles", "open_files" },
    { "kind", "bind" }, /* as near to find: the first wins */
    { "colour", NULL },
    { "", NULL },
    { FORTY_EIGHT, FORTY_EIGHT },
    { FORTY_EIGHT "w", NULL }, /* longer than any name can be */
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const char *nearest = str_nearest (rows[i].text, names, ARRAY_LEN (names));

    CHECK (str_equal (nearest, rows[i].nearest), "nearest to '%s' is '%s', not '%s'", rows[i].text,
           nearest ? nearest : "(nothing)", rows[i].nearest ? rows[i].nearest : "(nothing)");
  }
  assert_null (str_nearest ("memory", names, 0));
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_buffer_grows),
  cmocka_unit_test (test_buffer_at_its_first_size),
  cmocka_unit_test (test_buffer_takes_bytes),
  cmocka_unit_test (test_empty_buffer_is_empty_text),
  cmocka_unit_test (test_buffer_failure_is_sticky),
  cmocka_unit_test (test_list_keeps_order_and_repeats),
  cmocka_unit_test (test_list_takes_text),
  cmocka_unit_test (test_list_can_be_shortened),
  cmocka_unit_test (test_set_is_sorted_once_each),
  cmocka_unit_test (test_set_operations_agree_with_bits),
  cmocka_unit_test (test_equal_and_affixes),
  cmocka_unit_test (test_format),
  cmocka_unit_test (test_format_of_any_length),
  cmocka_unit_test (test_utf8_forms),
  cmocka_unit_test (test_utf8_of_every_code_point),
  cmocka_unit_test (test_utf8_of_every_pair_of_bytes),
  cmocka_unit_test (test_nearest),
};

UNIT_MAIN (cases)
