/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a list to a filter to a document: what is put in, left out or refused on the way. */
#include <config.h>

#include "plan-seccomp.h"

#include "base-json-write.h"
#include "render-oci-seccomp.h"
#include "seccomp-case.h"

static uint32_t ask (const struct seccomp_list *list, const struct strlist *extra, const char *call,
                     uint64_t argument)
{
  cleanup_filter struct filter *filter = build_filter (list, extra, "x86_64");
  cleanup_program struct seccomp_program program = seccomp_program (filter);
  struct seccomp_data data = { .nr = seccomp_syscall_resolve_name_arch (SCMP_ARCH_X86_64, call),
                               .arch = AUDIT_ARCH_X86_64,
                               .args = { argument } };

  return seccomp_run (&program, &data);
}

/* In how many rules NAME stands; in *RET_LAST the last of them. */
static size_t mentions (const struct filter *filter, const char *name, const struct filter_rule **ret_last)
{
  size_t count = 0;

  for (size_t i = 0; i < filter->rule_count; i++)
    if (strset_has (&filter->rules[i].names, name)) {
      *ret_last = &filter->rules[i];
      count++;
    }
  return count;
}

static void test_extra (void **state)
{
  static const char *const names[] = { "keyctl", "clone", "clone3", "read", "socketcall" };
  cleanup_seccomp_list struct seccomp_list *list = shipped_list ("strict");
  cleanup_strlist struct strlist extra = { 0 };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++)
    assert_int_equal (strset_add (&extra, names[i]), 0);
  assert_int_equal (ask (list, NULL, "keyctl", 0), NO (PERM));
  assert_int_equal (ask (list, &extra, "keyctl", 0), ALLOW);
  assert_int_equal (ask (list, &extra, "add_key", 0), NO (PERM));
  assert_int_equal (ask (list, NULL, "clone", 0x10000000), NO (PERM));
  assert_int_equal (ask (list, &extra, "clone", 0x10000000), ALLOW);
  assert_int_equal (ask (list, &extra, "clone", 17), ALLOW);
  assert_int_equal (ask (list, NULL, "clone3", 0), NO (NOSYS));
  assert_int_equal (ask (list, &extra, "clone3", 0), ALLOW);
  assert_int_equal (ask (list, &extra, "read", 0), ALLOW);
  assert_int_equal (ask (list, &extra, "socket", 38), NO (AFNOSUPPORT));
}

/* Every other rule for such a name is gone, as runtimes need not agree on which of two would win. */
static void test_extra_stands_alone (void **state)
{
  static const char *const names[] = { "keyctl", "clone", "splice" };
  cleanup_seccomp_list struct seccomp_list *list = shipped_list ("strict");
  cleanup_strlist struct strlist extra = { 0 };
  cleanup_filter struct filter *without = build_filter (list, NULL, "x86_64");
  cleanup_filter struct filter *with = NULL;
  const struct filter_rule *rule = NULL;

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++)
    assert_int_equal (strset_add (&extra, names[i]), 0);
  with = build_filter (list, &extra, "x86_64");
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    assert_int_equal (mentions (with, names[i], &rule), 1);
    assert_true (rule->allow && rule->arg_count == 0);
    assert_true (strset_has (&with->allowed, names[i]));
  }
  assert_true (mentions (without, "clone", &rule) > 1);
  assert_int_equal (mentions (without, "keyctl", &rule), 1);
  assert_false (rule->allow);
}

static void check_extra_refused (const char *name, int code, const char *message)
{
  cleanup_error struct error err = { 0 };
  cleanup_seccomp_list struct seccomp_list *list = shipped_list ("strict");
  cleanup_strlist struct strlist extra = { 0 };
  struct filter *filter = NULL;

  assert_int_equal (strset_add (&extra, name), 0);
  assert_int_equal (filter_build (list, &extra, NULL, "x86_64", &filter, &err), code);
  assert_null (filter);
  CHECK (str_has_prefix (error_text (&err), message), "'%s'", error_text (&err));
}

static void test_extra_refused (void **state)
{
  (void) state;
  check_extra_refused ("keyctll", -EINVAL,
                       "process.seccomp.allow: 'keyctll' is not a system call that libseccomp");
  if (seccomp_syscall_resolve_name ("listns") == __NR_SCMP_ERROR)
    check_extra_refused ("listns", -ENOTSUP,
                         "process.seccomp.allow: 'listns' came with Linux 6.19, which libseccomp");
}

#define LIST(body) "{\"version\":1,\"name\":\"a\",\"meaning\":\"\",\"unknown\":\"ENOSYS\"," body "}"

static void check_build (const char *text, const char *machine, int code, const char *message)
{
  cleanup_error struct error err = { 0 };
  cleanup_seccomp_list struct seccomp_list *list = text_list (text);
  cleanup_filter struct filter *filter = NULL;
  struct strlist none = { 0 };
  int r = filter_build (list, &none, NULL, machine, &filter, &err);

  CHECK (r == code && (filter != NULL) == (code == 0), "%d: %s", r, error_text (&err));
  if (code != 0)
    CHECK (str_has_prefix (error_text (&err), message), "'%s'", error_text (&err));
}

static void test_build_refused (void **state)
{
  (void) state;
  check_build (LIST ("\"allow\":{\"x\":[\"read\"]}"), "x86_64", 0, NULL);
  check_build (LIST ("\n\"allow\":{\"x\":[\"raed\"]}"), "x86_64", -EINVAL,
               "list.json:2: 'raed' is not a system call that libseccomp ");
  check_build (LIST ("\"allow\":{},\n\n\"deny\":{\"EPERM\":[\"mont\"]}"), "aarch64", -EINVAL,
               "list.json:3: 'mont' is not a system call that libseccomp ");
  check_build (LIST ("\"allow\":{\"x\":[\"read\"]}"), "riscv64", -ENOTSUP,
               "no seccomp filter can be made for machine 'riscv64', only for x86_64 and aarch64");
  /* The newest, the oldest, and those of another architecture are no mistakes. */
  check_build (LIST ("\"allow\":{\"x\":[\"listns\",\"open\",\"modify_ldt\",\"socketcall\",\"uretprobe\"]}"),
               "aarch64", 0, NULL);
}

/* What another architecture has is left out; what this libseccomp does not know yet is not. */
static void test_left_out (void **state)
{
  cleanup_seccomp_list struct seccomp_list *list =
      text_list (LIST ("\"allow\":{\"x\":[\"read\",\"open\",\"uretprobe\",\"listns\",\"socketcall\"]}"));
  cleanup_filter struct filter *x86 = build_filter (list, NULL, "x86_64");
  cleanup_filter struct filter *arm = build_filter (list, NULL, "aarch64");
  static const struct {
    const char *name;
    bool x86, arm;
  } presences[] = {
    { "read", true, true },   { "open", true, false },        { "uretprobe", true, false },
    { "listns", true, true }, { "socketcall", false, false },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (presences); i++) {
    assert_int_equal (strset_has (&x86->allowed, presences[i].name), presences[i].x86);
    assert_int_equal (strset_has (&arm->allowed, presences[i].name), presences[i].arm);
  }
}

static void test_suggestion (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_seccomp_list struct seccomp_list *list = text_list (LIST ("\"allow\":{\"x\":[\"opnat\"]}"));
  struct strlist none = { 0 };
  struct filter *filter = NULL;

  (void) state;
  assert_int_equal (filter_build (list, &none, NULL, "x86_64", &filter, &err), -EINVAL);
  CHECK (str_has_suffix (error_text (&err), " knows; did you mean 'openat'?"), "'%s'", error_text (&err));
}

/* 64 values on one argument are well below the limit; multiplied over three arguments they pass it. */
static void test_too_many_rules (void **state)
{
  cleanup_strbuf struct strbuf values = { 0 };
  cleanup_free char *one = NULL;
  cleanup_free char *three = NULL;

  (void) state;
  for (unsigned i = 0; i < 64; i++)
    strbuf_addf (&values, "%s%u", i ? "," : "", i * 0x01010101);
  one = str_format (LIST ("\"allow\":{},\"when\":{\"prctl\":{\"allow\":[[{\"argument\":0,\"in\":[%s]}]],"
                          "\"else\":\"EPERM\"}}"),
                    values.text);
  three =
      str_format (LIST ("\"allow\":{},\"when\":{\"prctl\":{\"allow\":[[{\"argument\":0,\"in\":[%s]},"
                        "{\"argument\":1,\"in\":[%s]},{\"argument\":2,\"in\":[%s]}]],\"else\":\"EPERM\"}}"),
                  values.text, values.text, values.text);
  check_build (one, "x86_64", 0, NULL);
  check_build (three, "x86_64", -E2BIG, "list.json:1: the conditions on 'prctl' make more than 4096 rules");
}

static char *written (const char *text, const char *machine)
{
  cleanup_error struct error err = { 0 };
  cleanup_seccomp_list struct seccomp_list *list = text_list (text);
  cleanup_filter struct filter *filter = build_filter (list, NULL, machine);
  cleanup_json_writer struct json_writer w = { 0 };
  char *document = NULL;

  oci_seccomp_write (&w, NULL, filter, NULL);
  CHECK (json_finish (&w, &document, &err) == 0, "%s", error_text (&err));
  return document;
}

static void test_document (void **state)
{
  cleanup_free char *document =
      written (LIST ("\"allow\":{\"x\":[\"write\",\"read\",\"open\"]},\"when\":{\"clone\":{\"allow\":"
                     "[[{\"argument\":0,\"clear\":[\"0x30\"]}]],\"else\":\"EPERM\"}},"
                     "\"deny\":{\"ENOSYS\":[\"clone3\"],\"EPERM\":[\"mount\",\"keyctl\"]}"),
               "aarch64");

  (void) state;
  assert_string_equal (document,
                       "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":38,"
                       "\"architectures\":[\"SCMP_ARCH_AARCH64\"],\"syscalls\":["
                       "{\"names\":[\"read\",\"write\"],\"action\":\"SCMP_ACT_ALLOW\"},"
                       "{\"names\":[\"keyctl\",\"mount\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":1},"
                       "{\"names\":[\"clone3\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":38},"
                       "{\"names\":[\"nfsservctl\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":3427},"
                       "{\"names\":[\"clone\"],\"action\":\"SCMP_ACT_ALLOW\",\"args\":"
                       "[{\"index\":0,\"value\":48,\"valueTwo\":0,\"op\":\"SCMP_CMP_MASKED_EQ\"}]},"
                       "{\"names\":[\"clone\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":1,\"args\":"
                       "[{\"index\":0,\"value\":32,\"valueTwo\":32,\"op\":\"SCMP_CMP_MASKED_EQ\"}]},"
                       "{\"names\":[\"clone\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":1,\"args\":"
                       "[{\"index\":0,\"value\":48,\"valueTwo\":16,\"op\":\"SCMP_CMP_MASKED_EQ\"}]}]}\n");
}

/* The order of a list's entries does not show in the document. */
static void test_document_is_canonical (void **state)
{
  cleanup_free char *a =
      written (LIST ("\"allow\":{\"x\":[\"read\",\"write\"],\"y\":[\"exit\"]},\"when\":{"
                     "\"socket\":{\"allow\":[[{\"argument\":0,\"in\":[1,2]}]],\"else\":\"EPERM\"},"
                     "\"socketpair\":{\"allow\":[[{\"argument\":0,\"in\":[1]}]],\"else\":\"EPERM\"}},"
                     "\"deny\":{\"EPERM\":[\"mount\",\"keyctl\"],\"EINVAL\":[\"tee\"]}"),
               "x86_64");
  cleanup_free char *b =
      written (LIST ("\"deny\":{\"EINVAL\":[\"tee\"],\"EPERM\":[\"keyctl\",\"mount\"]},\"when\":{"
                     "\"socketpair\":{\"allow\":[[{\"argument\":0,\"in\":[1]}]],\"else\":\"EPERM\"},"
                     "\"socket\":{\"else\":\"EPERM\",\"allow\":[[{\"argument\":0,\"in\":[1,2]}]]}},"
                     "\"allow\":{\"a\":[\"exit\",\"write\"],\"b\":[\"read\"]}"),
               "x86_64");

  (void) state;
  assert_string_equal (a, b);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_extra),
  cmocka_unit_test (test_extra_stands_alone),
  cmocka_unit_test (test_extra_refused),
  cmocka_unit_test (test_build_refused),
  cmocka_unit_test (test_left_out),
  cmocka_unit_test (test_suggestion),
  cmocka_unit_test (test_too_many_rules),
  cmocka_unit_test (test_document),
  cmocka_unit_test (test_document_is_canonical),
};

UNIT_MAIN (cases)
