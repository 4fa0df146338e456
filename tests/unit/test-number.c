/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers that people type: every form, every edge, and back again. */
#include <config.h>

#include "base-number.h"

#include <inttypes.h>

#include "base-cleanup.h"
#include "unit.h"

#define UNTOUCHED UINT64_C (0xabadcafe)

/* Refused whatever the unit; each parser gets them all. */
static const char *const refused[] = {
  "",
  " ",
  " 1",
  "1 ",
  "\t1",
  "\n",
  "-1",
  "-0",
  "+1",
  "00",
  "01",
  "007",
  "0x10",
  "1e3",
  "1E3",
  "1_000",
  "1,000",
  "1'000",
  "one",
  "K",
  "ms",
  ".5",
  ".",
  "1..5",
  "1.5.",
  "1.x",
  "inf",
  "nan",
  "1;",
  "1K1",
  "1s1",
  "1KK",
  "1ss",
  "1 K",
  "1 s",
  "0-1",
  "1-",
  "\xd9\xa1",
  "1\xc2\xa0",
  "18446744073709551616",
  "99999999999999999999999999999999999999999",
};

struct row {
  const char *text;
  bool ok;
  uint64_t value;
};

typedef bool (*parser) (const char *text, uint64_t *ret_value);

static void check_refusals (const char *name, parser parse)
{
  for (size_t i = 0; i < ARRAY_LEN (refused); i++) {
    uint64_t value = UNTOUCHED;

    CHECK (!parse (refused[i], &value), "%s reads '%s'", name, refused[i]);
    CHECK (value == UNTOUCHED, "%s writes its output for '%s'", name, refused[i]);
  }
}

static void check_rows (const char *name, parser parse, const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    uint64_t value = UNTOUCHED;
    bool ok = parse (rows[i].text, &value);

    CHECK (ok == rows[i].ok, "%s ('%s') is not %d", name, rows[i].text, rows[i].ok);
    CHECK (value == (ok ? rows[i].value : UNTOUCHED), "%s ('%s') gives %" PRIu64, name, rows[i].text, value);
  }
}

static bool parse_any (const char *text, uint64_t *ret_value)
{
  return number_parse (text, UINT64_MAX, ret_value);
}

static void test_numbers (void **state)
{
  static const struct row rows[] = {
    { "0", true, 0 },
    { "1", true, 1 },
    { "10", true, 10 },
    { "4194304", true, 4194304 },
    { "18446744073709551615", true, UINT64_MAX },
    { "18446744073709551616", false, 0 },
    { "18446744073709551620", false, 0 },
    { "184467440737095516150", false, 0 },
    { "1K", false, 0 },
    { "1.0", false, 0 },
    { "1s", false, 0 },
  };

  (void) state;
  check_rows ("number_parse", parse_any, rows, ARRAY_LEN (rows));
  check_refusals ("number_parse", parse_any);
}

static void test_numbers_stay_below_max (void **state)
{
  uint64_t value = UNTOUCHED;

  (void) state;
  assert_true (number_parse ("65535", 65535, &value));
  assert_int_equal (value, 65535);
  assert_false (number_parse ("65536", 65535, &value));
  assert_int_equal (value, 65535);
  assert_true (number_parse ("0", 0, &value));
  assert_int_equal (value, 0);
  assert_false (number_parse ("1", 0, &value));
}

static void test_sizes (void **state)
{
  static const struct row rows[] = {
    { "0", true, 0 },
    { "512", true, 512 },
    { "0K", true, 0 },
    { "1K", true, 1024 },
    { "64M", true, UINT64_C (64) << 20 },
    { "1G", true, UINT64_C (1) << 30 },
    { "2T", true, UINT64_C (2) << 40 },
    { "8388607T", true, UINT64_C (8388607) << 40 },
    { "8388608T", false, 0 },
    { "9223372036854775807", true, INT64_MAX },
    { "9223372036854775808", false, 0 },
    { "9007199254740991K", true, UINT64_C (9007199254740991) << 10 },
    { "9007199254740992K", false, 0 },
    { "16777216T", false, 0 },          /* 2^64 exactly: would wrap to 0 */
    { "18014398509481984K", false, 0 }, /* the same */
    { "18446744073709551615T", false, 0 },
    { "1k", false, 0 },
    { "1m", false, 0 },
    { "1KB", false, 0 },
    { "1KiB", false, 0 },
    { "1.5G", false, 0 },
    { "1P", false, 0 },
    { "1s", false, 0 },
  };

  (void) state;
  check_rows ("number_parse_size", number_parse_size, rows, ARRAY_LEN (rows));
  check_refusals ("number_parse_size", number_parse_size);
}

static void test_durations (void **state)
{
  static const struct row rows[] = {
    { "0ms", true, 0 },
    { "0s", true, 0 },
    { "250ms", true, 250 },
    { "60s", true, 60000 },
    { "5m", true, 300000 },
    { "2h", true, 7200000 },
    { "720h", true, UINT64_C (720) * 3600000 },
    { "9223372036854775807ms", true, INT64_MAX },
    { "9223372036854775808ms", false, 0 },
    { "2562047788015h", true, UINT64_C (2562047788015) * 3600000 },
    { "2562047788016h", false, 0 },
    { "5124095576030432h", false, 0 }, /* wraps past 2^64 */
    { "60", false, 0 },
    { "0", false, 0 },
    { "1d", false, 0 },
    { "1S", false, 0 },
    { "1sec", false, 0 },
    { "1m30s", false, 0 },
    { "1.5s", false, 0 },
    { "1M", false, 0 },
  };

  (void) state;
  check_rows ("number_parse_duration", number_parse_duration, rows, ARRAY_LEN (rows));
  check_refusals ("number_parse_duration", number_parse_duration);
}

static void test_thousandths (void **state)
{
  static const struct row rows[] = {
    { "0", true, 0 },
    { "1", true, 1000 },
    { "1.0", true, 1000 },
    { "1.000", true, 1000 },
    { "1.5", true, 1500 },
    { "0.25", true, 250 },
    { "0.05", true, 50 },
    { "0.001", true, 1 },
    { "12.345", true, 12345 },
    { "1000000", true, UINT64_C (1000000000) },
    { "1000000.999", true, UINT64_C (1000000999) },
    { "1000001", false, 0 },
    { "0.0001", false, 0 },
    { "1.0000", false, 0 },
    { "1.", false, 0 },
    { "1.5 ", false, 0 },
    { "1.-5", false, 0 },
    { "1.5e3", false, 0 },
    { "1,5", false, 0 },
    { "00.5", false, 0 },
  };

  (void) state;
  check_rows ("number_parse_milli", number_parse_milli, rows, ARRAY_LEN (rows));
  check_refusals ("number_parse_milli", number_parse_milli);
}

static void test_ids (void **state)
{
  static const struct {
    const char *text;
    bool ok;
    uint32_t uid, gid;
  } rows[] = {
    { "0:0", true, 0, 0 },
    { "10001:10002", true, 10001, 10002 },
    { "4294967294:4294967294", true, 4294967294u, 4294967294u },
    { "4294967295:1", false, 0, 0 }, /* (uid_t) -1 */
    { "1:4294967295", false, 0, 0 },
    { "4294967296:1", false, 0, 0 }, /* 2^32 would truncate to root */
    { "1:4294967296", false, 0, 0 },
    { "18446744073709551616:1", false, 0, 0 },
    { "1", false, 0, 0 },
    { "1:", false, 0, 0 },
    { ":1", false, 0, 0 },
    { ":", false, 0, 0 },
    { "", false, 0, 0 },
    { "1:2:3", false, 0, 0 },
    { "1: 2", false, 0, 0 },
    { "1 :2", false, 0, 0 },
    { "01:1", false, 0, 0 },
    { "1:01", false, 0, 0 },
    { "-1:1", false, 0, 0 },
    { "1:-1", false, 0, 0 },
    { "root:root", false, 0, 0 },
    { "1.1", false, 0, 0 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    uint32_t uid = 77, gid = 78;
    bool ok = number_parse_ids (rows[i].text, &uid, &gid);

    CHECK (ok == rows[i].ok, "number_parse_ids ('%s') is not %d", rows[i].text, rows[i].ok);
    CHECK (uid == (ok ? rows[i].uid : 77) && gid == (ok ? rows[i].gid : 78),
           "'%s' gives %" PRIu32 ":%" PRIu32, rows[i].text, uid, gid);
  }
}

static void test_formats (void **state)
{
  static const struct {
    void (*format) (uint64_t value, char text[NUMBER_TEXT]);
    uint64_t value;
    const char *text;
  } rows[] = {
    { number_format_size, 0, "0" },
    { number_format_size, 1, "1" },
    { number_format_size, 1023, "1023" },
    { number_format_size, 1024, "1K" },
    { number_format_size, 1536, "1536" },
    { number_format_size, UINT64_C (64) << 20, "64M" },
    { number_format_size, UINT64_C (1) << 40, "1T" },
    { number_format_size, UINT64_C (1) << 50, "1024T" },
    { number_format_size, INT64_MAX, "9223372036854775807" },
    { number_format_size, UINT64_MAX, "18446744073709551615" },
    { number_format_duration, 0, "0ms" },
    { number_format_duration, 999, "999ms" },
    { number_format_duration, 1000, "1s" },
    { number_format_duration, 1001, "1001ms" },
    { number_format_duration, 60000, "1m" },
    { number_format_duration, 90000, "90s" },
    { number_format_duration, 7200000, "2h" },
    { number_format_duration, INT64_MAX, "9223372036854775807ms" },
    { number_format_milli, 0, "0" },
    { number_format_milli, 1, "0.001" },
    { number_format_milli, 10, "0.01" },
    { number_format_milli, 100, "0.1" },
    { number_format_milli, 1000, "1" },
    { number_format_milli, 1050, "1.05" },
    { number_format_milli, 1500, "1.5" },
    { number_format_milli, 12345, "12.345" },
    { number_format_milli, UINT64_MAX, "18446744073709551.615" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    char text[NUMBER_TEXT];

    rows[i].format (rows[i].value, text);
    CHECK (strcmp (text, rows[i].text) == 0, "%" PRIu64 " becomes '%s', not '%s'", rows[i].value, text,
           rows[i].text);
  }
}

static void check_round_trip (uint64_t value)
{
  char text[NUMBER_TEXT];
  uint64_t back = UNTOUCHED;

  number_format_size (value, text);
  CHECK (number_parse_size (text, &back) && back == value, "size %" PRIu64 " does not come back from '%s'",
         value, text);
  number_format_duration (value, text);
  CHECK (number_parse_duration (text, &back) && back == value,
         "duration %" PRIu64 " does not come back from '%s'", value, text);
  number_format_milli (value % UINT64_C (1000001000), text);
  CHECK (number_parse_milli (text, &back) && back == value % UINT64_C (1000001000),
         "thousandths %" PRIu64 " do not come back from '%s'", value, text);
}

static void test_formats_read_back (void **state)
{
  (void) state;
  for (uint64_t value = 0; value < 20000; value++)
    check_round_trip (value);
  for (unsigned bit = 1; bit < 63; bit++)
    for (uint64_t near = 0; near < 3; near++)
      check_round_trip ((UINT64_C (1) << bit) - 1 + near);
  for (uint64_t hours = 1; hours < UINT64_C (2562047788015); hours *= 7)
    check_round_trip (hours * 3600000);
  check_round_trip (INT64_MAX);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_numbers),     cmocka_unit_test (test_numbers_stay_below_max),
  cmocka_unit_test (test_sizes),       cmocka_unit_test (test_durations),
  cmocka_unit_test (test_thousandths), cmocka_unit_test (test_ids),
  cmocka_unit_test (test_formats),     cmocka_unit_test (test_formats_read_back),
};

UNIT_MAIN (cases)
