/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds a filter from a seccomp list: resolves names with libseccomp, adds rules in order, seals. */
#include <config.h>

#include "plan-seccomp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <seccomp.h>

#include "plan-seccomp-internal.h"

struct architecture {
  const char *machine;
  const char *name; /* in an OCI config.json */
  uint32_t token;
};

static const struct architecture architectures[] = {
  { "x86_64", "SCMP_ARCH_X86_64", SCMP_ARCH_X86_64 },
  { "aarch64", "SCMP_ARCH_AARCH64", SCMP_ARCH_AARCH64 },
};

/* System calls that Linux added after 5.17, the newest version that libseccomp 2.5.4 supports. */
static const struct newer {
  const char *name;
  const char *since;
  bool x86_only;
} newer[] = {
  { "cachestat", "6.5", false },
  { "fchmodat2", "6.6", false },
  { "map_shadow_stack", "6.6", false },
  { "futex_wake", "6.7", false },
  { "futex_wait", "6.7", false },
  { "futex_requeue", "6.7", false },
  { "statmount", "6.8", false },
  { "listmount", "6.8", false },
  { "lsm_get_self_attr", "6.8", false },
  { "lsm_set_self_attr", "6.8", false },
  { "lsm_list_modules", "6.8", false },
  { "mseal", "6.10", false },
  { "uretprobe", "6.11", true },
  { "setxattrat", "6.13", false },
  { "getxattrat", "6.13", false },
  { "listxattrat", "6.13", false },
  { "removexattrat", "6.13", false },
  { "open_tree_attr", "6.15", false },
  { "file_getattr", "6.17", false },
  { "file_setattr", "6.17", false },
  { "uprobe", "6.18", true },
  { "listns", "6.19", false },
};

struct build {
  const struct seccomp_list *list;
  const struct strlist *extra;
  const struct strlist *unknown; /* NULL: none */
  const struct architecture *architecture;
  struct filter *filter;
};

static const struct newer *find_newer (const char *name)
{
  for (size_t i = 0; i < ARRAY_LEN (newer); i++)
    if (strcmp (newer[i].name, name) == 0)
      return &newer[i];
  return NULL;
}

enum presence { PRESENT, ABSENT, UNKNOWN };

/* libseccomp returns a negative number other than the error for a call of another architecture. */
static enum presence look_up (const struct architecture *architecture, const char *name)
{
  int number = seccomp_syscall_resolve_name_arch (architecture->token, name);
  const struct newer *n;

  if (number >= 0)
    return PRESENT;
  if (number != __NR_SCMP_ERROR)
    return ABSENT;
  n = find_newer (name);
  if (n == NULL)
    return UNKNOWN;
  return n->x86_only && architecture->token != SCMP_ARCH_X86_64 ? ABSENT : PRESENT;
}

/* libseccomp lists names only by number. The range covers both architectures. */
static int list_names (const struct architecture *architecture, struct strlist *names)
{
  for (int number = 0; number < 600; number++) {
    char *name = seccomp_syscall_resolve_num_arch (architecture->token, number);

    if (name != NULL && strlist_add_take (names, name) < 0)
      return -ENOMEM;
  }
  for (size_t i = 0; i < ARRAY_LEN (newer); i++)
    if (strlist_add (names, newer[i].name) < 0)
      return -ENOMEM;
  return 0;
}

static int fail_unknown (const struct architecture *architecture, const char *where, const char *name,
                         struct error *err)
{
  const struct scmp_version *version = seccomp_version ();
  cleanup_strlist struct strlist names = { 0 };
  const char *near;

  if (list_names (architecture, &names) < 0)
    return error_oom (err);
  near = str_nearest (name, (const char *const *) names.items, names.count);
  return error_set (err, -EINVAL, "%s: '%s' is not a system call that libseccomp %u.%u.%u knows%s%s%s", where,
                    name, version->major, version->minor, version->micro, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
}

static int fail_too_new (const char *where, const struct newer *n, struct error *err)
{
  const struct scmp_version *version = seccomp_version ();

  return error_set (err, -ENOTSUP,
                    "%s: '%s' came with Linux %s, which libseccomp %u.%u.%u does not know: no runtime here "
                    "could allow it; take it out, or install a newer libseccomp",
                    where, n->name, n->since, version->major, version->minor, version->micro);
}

/* Whether the rules of the list apply to NAME, which is on its LINE: not if EXTRA or UNKNOWN override
 * them. */
static int wanted (const struct build *b, const char *name, unsigned line, bool *ret_wanted,
                   struct error *err)
{
  enum presence presence = look_up (b->architecture, name);

  if (presence == UNKNOWN) {
    cleanup_free char *where = str_format ("%s:%u", b->list->file, line);

    return where ? fail_unknown (b->architecture, where, name, err) : error_oom (err);
  }
  *ret_wanted = presence == PRESENT && !strset_has (b->extra, name) && strcmp (name, SEAL_CALL) != 0
                && (b->unknown == NULL || !strset_has (b->unknown, name));
  return 0;
}

static int add_extra (struct build *b, struct error *err)
{
  static const char where[] = "process.seccomp.allow";

  for (size_t i = 0; i < b->extra->count; i++) {
    const char *name = b->extra->items[i];
    enum presence presence = look_up (b->architecture, name);
    struct filter_rule rule = { .allow = true };
    int r;

    if (strcmp (name, SEAL_CALL) == 0)
      return error_set (err, -EINVAL,
                        "%s: '%s' cannot be allowed: Linux has no such system call any more, and tyrum-oci "
                        "identifies its filter by it; remove it",
                        where, name);
    if (presence == UNKNOWN)
      return fail_unknown (b->architecture, where, name, err);
    if (presence == ABSENT)
      continue;
    if (seccomp_syscall_resolve_name_arch (b->architecture->token, name) < 0)
      return fail_too_new (where, find_newer (name), err);
    r = filter_add (b->filter, name, &rule, err);
    if (r < 0)
      return r;
  }
  return 0;
}

static const struct seccomp_deny *find_deny (const struct seccomp_list *list, const char *name)
{
  for (size_t i = 0; i < list->deny_count; i++)
    if (strcmp (list->denies[i].name, name) == 0)
      return &list->denies[i];
  return NULL;
}

/* RULES are all rules of the list for one name. */
static int add_allowed (struct build *b, const struct seccomp_rule *rules, size_t count, struct error *err)
{
  struct filter_rule plain = { .allow = true };
  const struct seccomp_deny *otherwise;
  bool is_wanted = false;
  int r = wanted (b, rules[0].name, rules[0].line, &is_wanted, err);

  if (r < 0 || !is_wanted)
    return r;
  if (rules[0].test_count == 0)
    return filter_add (b->filter, rules[0].name, &plain, err);
  otherwise = find_deny (b->list, rules[0].name);
  r = filter_add_conditional (b->filter, rules, count,
                              otherwise ? otherwise->errnum : b->list->unknown_errnum, err);
  return r < 0 ? error_prefix (err, "%s:%u", b->list->file, rules[0].line) : 0;
}

static int add_rules (struct build *b, struct error *err)
{
  const struct seccomp_list *list = b->list;
  size_t next;

  for (size_t i = 0; i < list->rule_count; i = next) {
    int r;

    for (next = i + 1; next < list->rule_count; next++)
      if (strcmp (list->rules[next].name, list->rules[i].name) != 0)
        break;
    r = add_allowed (b, &list->rules[i], next - i, err);
    if (r < 0)
      return r;
  }
  return 0;
}

static int add_denies (struct build *b, struct error *err)
{
  for (size_t i = 0; i < b->list->deny_count; i++) {
    const struct seccomp_deny *deny = &b->list->denies[i];
    struct filter_rule rule = { .errnum = deny->errnum };
    bool is_wanted = false;
    int r = wanted (b, deny->name, deny->line, &is_wanted, err);

    /* For a conditional call, add_allowed has added the denying rules already. */
    if (r == 0 && is_wanted && !strset_has (&b->filter->allowed, deny->name))
      r = filter_add (b->filter, deny->name, &rule, err);
    if (r < 0)
      return r;
  }
  return 0;
}

/* Records the line of each denied call, for explanations of denials. */
static int record_lines (struct build *b, struct error *err)
{
  const struct seccomp_list *list = b->list;
  struct filter *filter = b->filter;

  filter->file = strdup (list->file);
  filter->lines = calloc (list->deny_count + 1, sizeof (*filter->lines));
  if (filter->file == NULL || filter->lines == NULL)
    return error_oom (err);
  for (size_t i = 0; i < list->deny_count; i++) {
    struct filter_line *line = &filter->lines[filter->line_count++];

    *line = (struct filter_line){ strdup (list->denies[i].name), list->denies[i].line };
    if (line->name == NULL)
      return error_oom (err);
  }
  return 0;
}

static const struct architecture *find_architecture (const char *machine)
{
  for (size_t i = 0; i < ARRAY_LEN (architectures); i++)
    if (strcmp (architectures[i].machine, machine) == 0)
      return &architectures[i];
  return NULL;
}

int filter_build (const struct seccomp_list *list, const struct strlist *extra, const struct strlist *unknown,
                  const char *machine, struct filter **ret_filter, struct error *err)
{
  cleanup_filter struct filter *filter = filter_find_cached (list, extra, unknown, machine);
  struct build b = { .list = list, .extra = extra, .unknown = unknown };
  int r;

  if (filter != NULL) {
    *ret_filter = take_ptr (filter);
    return 0;
  }
  filter = b.filter = calloc (1, sizeof (*filter));
  if (filter == NULL)
    return error_oom (err);
  b.architecture = find_architecture (machine);
  if (b.architecture == NULL)
    return error_set (err, -ENOTSUP,
                      "no seccomp filter can be made for machine '%s', only for x86_64 and aarch64", machine);
  filter->architecture = b.architecture->name;
  filter->unknown_errnum = list->unknown_errnum;
  r = record_lines (&b, err);
  if (r == 0)
    r = add_extra (&b, err);
  if (r == 0)
    r = add_rules (&b, err);
  if (r == 0)
    r = add_denies (&b, err);
  if (r < 0)
    return r;
  filter_sort (filter);
  r = filter_seal (filter, err);
  if (r < 0)
    return r;
  filter_keep (list, extra, unknown, machine, filter);
  *ret_filter = take_ptr (filter);
  return 0;
}

char *filter_call_name (const struct filter *filter, int number)
{
  for (size_t i = 0; i < ARRAY_LEN (architectures); i++)
    if (strcmp (architectures[i].name, filter->architecture) == 0)
      return seccomp_syscall_resolve_num_arch (architectures[i].token, number);
  return NULL;
}
