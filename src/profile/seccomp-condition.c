/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-seccomp-internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-number.h"
#include "base-str.h"
#include "profile-seccomp.h"

/* The values of x86_64 and aarch64, whatever machine this is compiled for. */
static const struct seccomp_constant constants[] = {
  { "AF_UNIX", 1 },
  { "AF_INET", 2 },
  { "AF_INET6", 10 },
  { "AF_NETLINK", 16 },
  { "AF_PACKET", 17 },
  { "AF_CAN", 29 },
  { "AF_BLUETOOTH", 31 },
  { "AF_ALG", 38 },
  { "AF_VSOCK", 40 },
  { "AF_XDP", 44 },
  { "IPPROTO_IP", 0 },
  { "IPPROTO_ICMP", 1 },
  { "IPPROTO_TCP", 6 },
  { "IPPROTO_UDP", 17 },
  { "IPPROTO_ICMPV6", 58 },
  { "IPPROTO_SCTP", 132 },
  { "IPPROTO_MPTCP", 262 },
  { "NETLINK_ROUTE", 0 },
  { "NETLINK_SOCK_DIAG", 4 },
  { "NETLINK_KOBJECT_UEVENT", 15 },
  { "NETLINK_GENERIC", 16 },
  { "CLONE_NEWNS", 0x00020000 },
  { "CLONE_NEWCGROUP", 0x02000000 },
  { "CLONE_NEWUTS", 0x04000000 },
  { "CLONE_NEWIPC", 0x08000000 },
  { "CLONE_NEWUSER", 0x10000000 },
  { "CLONE_NEWPID", 0x20000000 },
  { "CLONE_NEWNET", 0x40000000 },
  { "TIOCSTI", 0x5412 },
  { "TIOCLINUX", 0x541c },
  { "TIOCCONS", 0x541d },
  { "TIOCSETD", 0x5423 },
  { "MSG_OOB", 1 },
  { "PER_LINUX", 0 },
  { "PER_LINUX32", 8 },
  { "ADDR_NO_RANDOMIZE", 0x0040000 },
  { "O_CREAT", 0x40 },
  { "__O_TMPFILE", 0x400000 }, /* the only bit of O_TMPFILE that O_DIRECTORY does not have */
  { "S_ISUID", 04000 },
  { "S_ISGID", 02000 },
};

int seccomp_look_up (const struct json_place *place, const struct json_node *node, const char *text,
                     const char *what, const struct seccomp_constant *table, size_t count,
                     uint32_t *ret_value, struct error *err)
{
  cleanup_free const char **names = NULL;
  const char *near;

  for (size_t i = 0; i < count; i++)
    if (strcmp (table[i].name, text) == 0) {
      *ret_value = table[i].value;
      return 0;
    }
  names = calloc (count, sizeof (*names));
  if (names == NULL)
    return error_oom (err);
  for (size_t i = 0; i < count; i++)
    names[i] = table[i].name;
  near = str_nearest (text, names, count);
  if (near != NULL)
    return json_fail (place, node, err, "'%s' is not %s; did you mean '%s'?", text, what, near);
  return json_fail (place, node, err, "'%s' is not %s", text, what);
}

static bool parse_hex (const char *text, uint32_t *ret_value)
{
  uint32_t value = 0;
  size_t len = strlen (text);

  if (len < 3 || len > 10)
    return false;
  for (const char *p = text + 2; *p != '\0'; p++) {
    static const char digits[] = "0123456789abcdef";
    const char *digit = strchr (digits, *p);

    if (digit == NULL)
      return false;
    value = value << 4 | (uint32_t) (digit - digits);
  }
  *ret_value = value;
  return true;
}

/* 5, "0x5412" or "TIOCSTI". */
static int read_value (const struct json_place *place, const struct json_node *node, uint32_t *ret_value,
                       struct error *err)
{
  if (node->type == JSON_NUMBER)
    return json_into_u32 (place, node, ret_value, err);
  if (node->type != JSON_STRING)
    return json_fail (place, node, err, "expected a number or the name of a constant, found %s",
                      json_type_text (node->type));
  if (!str_has_prefix (node->text, "0x"))
    return seccomp_look_up (place, node, node->text, "a known constant; use a number such as \"0x5412\"",
                            constants, ARRAY_LEN (constants), ret_value, err);
  if (!parse_hex (node->text, ret_value))
    return json_fail (place, node, err, "'%s' is not a number of up to eight digits 0-9 and a-f", node->text);
  return 0;
}

/* A test while it is parsed. */
struct draft {
  struct seccomp_test test;
  bool has_argument;
};

static JSON_READER (read_argument)
{
  struct draft *draft = at;
  uint64_t value;

  if (!number_parse (node->text, SECCOMP_ARGUMENTS - 1, &value))
    return json_fail (place, node, err, "'%s' is not a number from 0 to %u", node->text,
                      SECCOMP_ARGUMENTS - 1);
  draft->test.argument = (unsigned) value;
  draft->has_argument = true;
  return 0;
}

static int read_values (const struct json_place *place, const struct json_node *node,
                        enum seccomp_compare compare, struct seccomp_test *test, struct error *err)
{
  if (test->values != NULL)
    return json_fail (place, node, err, "a test has exactly one of 'in', 'not_in' and 'clear'");
  if (node->count == 0 || node->count > SECCOMP_VALUES_MAX)
    return json_fail (place, node, err, "%zu values; from 1 to %u are allowed", node->count,
                      SECCOMP_VALUES_MAX);
  test->compare = compare;
  test->values = calloc (node->count, sizeof (*test->values));
  if (test->values == NULL)
    return error_oom (err);
  for (size_t i = 0; i < node->count; i++) {
    struct json_place below = { .parent = place, .index = i };
    int r = read_value (&below, node->items[i], &test->values[i], err);

    if (r < 0)
      return r;
  }
  test->count = node->count;
  return 0;
}

static JSON_READER (read_in)
{
  struct draft *draft = at;

  return read_values (place, node, SECCOMP_IN, &draft->test, err);
}

static JSON_READER (read_not_in)
{
  struct draft *draft = at;

  return read_values (place, node, SECCOMP_NOT_IN, &draft->test, err);
}

static JSON_READER (read_clear)
{
  struct seccomp_test *test = &((struct draft *) at)->test;
  int r = read_values (place, node, SECCOMP_CLEAR, test, err);

  if (r < 0)
    return r;
  for (size_t i = 1; i < test->count; i++)
    test->values[0] |= test->values[i];
  test->count = 1;
  if (test->values[0] == 0)
    return json_fail (place, node, err, "names no bit, so the test would always hold");
  return 0;
}

static const struct json_field test_fields[] = {
  { "argument", JSON_NUMBER, read_argument, 0 },
  { "in", JSON_ARRAY, read_in, 0 },
  { "not_in", JSON_ARRAY, read_not_in, 0 },
  { "clear", JSON_ARRAY, read_clear, 0 },
};

static int check_test (const struct json_place *place, const struct json_node *node,
                       const struct seccomp_rule *rule, const struct draft *draft, struct error *err)
{
  if (!draft->has_argument)
    return json_fail (place, node, err, "key 'argument' is missing");
  if (draft->test.values == NULL)
    return json_fail (place, node, err, "one of the keys 'in', 'not_in' and 'clear' is missing");
  for (size_t i = 0; i < rule->test_count; i++)
    if (rule->tests[i].argument == draft->test.argument)
      return json_fail (place, node, err, "argument %u is tested twice; one test can name several values",
                        draft->test.argument);
  return 0;
}

JSON_READER (seccomp_read_test)
{
  struct seccomp_rule *rule = at;
  struct draft draft = { 0 };
  int r = json_read_object (place, node, test_fields, ARRAY_LEN (test_fields), &draft, err);

  if (r == 0)
    r = check_test (place, node, rule, &draft, err);
  if (r < 0)
    free (draft.test.values);
  else
    rule->tests[rule->test_count++] = draft.test;
  return r;
}
