/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes from an engine, taken apart: frames, values, heads. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "base-limits.h"
#include "base-str.h"
#include "engine-frames.h"
#include "engine-head.h"
#include "engine-http.h"
#include "engine-values.h"
#include "unit.h"

#define BYTES(text) text, sizeof (text) - 1

/* Takes BYTES in pieces of STEP; what each stream got goes to TEXTS. */
static int take_frames (const char *bytes, size_t len, size_t step, struct strbuf texts[3], bool *ret_whole)
{
  cleanup_error struct error err = { 0 };
  struct frames frames = { 0 };
  int r = 0;

  for (size_t at = 0; at < len && r == 0;) {
    struct frame_piece piece = { 0 };
    size_t used = 0;

    r = frames_take (&frames, bytes + at, step < len - at ? step : len - at, &piece, &used, &err);
    if (r == 0 && piece.len > 0)
      strbuf_add_bytes (&texts[piece.stream], piece.bytes, piece.len);
    at += used;
  }
  *ret_whole = frames_are_whole (&frames);
  return r;
}

static void test_frames_split_anywhere (void **state)
{
  static const char stream[] =
      "\1\0\0\0\0\0\0\5hello\2\0\0\0\0\0\0\3err\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\6 again";

  (void) state;
  for (size_t step = 1; step < sizeof (stream); step++) {
    struct strbuf texts[3] = { 0 };
    bool whole = false;

    assert_int_equal (take_frames (BYTES (stream), step, texts, &whole), 0);
    assert_true (whole);
    assert_string_equal (texts[FRAME_STDOUT].text, "hello again");
    assert_string_equal (texts[FRAME_STDERR].text, "err");
    assert_true (texts[FRAME_STDIN].text == NULL);
    for (size_t i = 0; i < 3; i++)
      strbuf_clear (&texts[i]);
  }
}

static void test_frames_refused (void **state)
{
  static const struct {
    const char *bytes;
    size_t len;
  } rows[] = { { BYTES ("\3\0\0\0\0\0\0\1x") }, { BYTES ("\1\1\0\0\0\0\0\1x") },
               { BYTES ("\1\0\0\1\0\0\0\1x") }, { BYTES ("\1\0\0\0\377\377\377\377") },
               { BYTES ("\1\0\0\0\1\0\0\1") },  { BYTES ("HTTP/1.1 500") } };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    for (size_t step = 1; step <= rows[i].len; step++) {
      struct strbuf texts[3] = { 0 };
      bool whole;

      CHECK (take_frames (rows[i].bytes, rows[i].len, step, texts, &whole) == -EPROTO, "row %zu", i);
      for (size_t k = 0; k < 3; k++)
        strbuf_clear (&texts[k]);
    }
}

static void test_frames_cut_off (void **state)
{
  static const char stream[] = "\1\0\0\0\0\0\0\2ab";

  (void) state;
  for (size_t len = 1; len < sizeof (stream); len++) {
    struct strbuf texts[3] = { 0 };
    bool whole = false;

    assert_int_equal (take_frames (stream, len, len, texts, &whole), 0);
    CHECK (whole == (len == sizeof (stream) - 1), "%zu bytes", len);
    for (size_t i = 0; i < 3; i++)
      strbuf_clear (&texts[i]);
  }
}

static int join (const char *text, size_t len, void *data, struct error *err)
{
  struct strbuf *all = data;

  (void) err;
  strbuf_addf (all, "<%.*s>", (int) len, text);
  return 0;
}

static void test_values_split_anywhere (void **state)
{
  static const char stream[] = "\x1e{\"a\":\"}\\\"\"}\n{}{\"b\":[{\"c\":1},[]]}\r\n";

  (void) state;
  for (size_t step = 1; step < sizeof (stream); step++) {
    cleanup_error struct error err = { 0 };
    cleanup_strbuf struct strbuf all = { 0 };
    cleanup_values struct values values = { .each = join, .data = &all };

    for (size_t at = 0; at < sizeof (stream) - 1; at += step)
      assert_int_equal (values_take (&values, stream + at,
                                     step < sizeof (stream) - 1 - at ? step : sizeof (stream) - 1 - at, &err),
                        0);
    assert_true (values_are_whole (&values));
    assert_string_equal (all.text, "<{\"a\":\"}\\\"\"}><{}><{\"b\":[{\"c\":1},[]]}>");
  }
}

static void test_values_refused (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_strbuf struct strbuf all = { 0 };
  cleanup_values struct values values = { .each = join, .data = &all };
  cleanup_free char *big = malloc (LIMIT_ENGINE_VALUE_BYTES);

  (void) state;
  assert_int_equal (values_take (&values, BYTES ("{\"a\":1} [1]"), &err), -EPROTO);
  assert_string_equal (all.text, "<{\"a\":1}>");
  error_clear (&err);
  values_clear (&values);
  assert_non_null (big);
  memset (big, ' ', LIMIT_ENGINE_VALUE_BYTES);
  assert_int_equal (values_take (&values, "{", 1, &err), 0);
  assert_false (values_are_whole (&values));
  assert_int_equal (values_take (&values, big, LIMIT_ENGINE_VALUE_BYTES - 1, &err), 0);
  assert_int_equal (values_take (&values, big, 1, &err), -EFBIG);
}

static void test_heads (void **state)
{
  static const struct {
    const char *text;
    size_t len;
    int code;
    unsigned status;
    size_t bytes;
  } rows[] = {
    { BYTES ("HTTP/1.1 101 UPGRADED\r\nUpgrade: tcp\r\n\r\nrest"), 0, 101, 39 },
    { BYTES ("HTTP/1.0 200 OK\n\nrest"), 0, 200, 17 },
    { BYTES ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n"), 0, 404, 51 },
    { BYTES ("HTTP/1.1 200\r\n\r\n"), 0, 200, 16 },
    { BYTES ("HTTP/1.1 200 OK\r\nA: b\r\n"), 0, 0, 0 },
    { BYTES ("HTTP/1.1 100 Continue\r\n\r\n"), 0, 0, 0 },
    { BYTES (""), 0, 0, 0 },
    { BYTES ("HTTP/2 200 OK\r\n\r\n"), -EPROTO, 0, 0 },
    { BYTES ("HTTP/1.1 2000\r\n\r\n"), -EPROTO, 0, 0 },
    { BYTES ("HTTP/1.1 20\r\n\r\n"), -EPROTO, 0, 0 },
    { BYTES ("HTTP/1.1 -20 x\r\n\r\n"), -EPROTO, 0, 0 },
    { BYTES ("garbage\n"), -EPROTO, 0, 0 },
    { BYTES ("HTTP/1.1 200 OK\r\nA: \0b\r\n\r\n"), -EPROTO, 0, 0 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    struct reply_head head = { 0 };
    int r = reply_head_read (rows[i].text, rows[i].len, &head, &err);

    CHECK (r == rows[i].code && head.status == rows[i].status && head.bytes == rows[i].bytes,
           "row %zu: %d, %u, %zu", i, r, head.status, head.bytes);
  }
}

static void test_head_too_long (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_strbuf struct strbuf text = { 0 };
  struct reply_head head = { 0 };

  (void) state;
  strbuf_add (&text, "HTTP/1.1 200 OK\r\nA: ");
  while (text.len <= LIMIT_ENGINE_HEAD_BYTES)
    strbuf_add (&text, "aaaaaaaaaaaaaaaa");
  assert_int_equal (reply_head_read (text.text, text.len, &head, &err), -EFBIG);
}

static void test_escape (void **state)
{
  cleanup_free char *text = http_escape ("a/b:1?x=\"{}\" ~\xc3\xa9");

  (void) state;
  assert_string_equal (text, "a%2Fb%3A1%3Fx%3D%22%7B%7D%22%20~%C3%A9");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_frames_split_anywhere), cmocka_unit_test (test_frames_refused),
  cmocka_unit_test (test_frames_cut_off),        cmocka_unit_test (test_values_split_anywhere),
  cmocka_unit_test (test_values_refused),        cmocka_unit_test (test_heads),
  cmocka_unit_test (test_head_too_long),         cmocka_unit_test (test_escape),
};

UNIT_MAIN (cases)
