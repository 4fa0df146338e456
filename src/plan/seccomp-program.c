/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles a filter to BPF as runtimes do it: one libseccomp rule per name; names that it does not support,
 * and rules with the default action, are omitted. */
#include <config.h>

#include "plan-seccomp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/seccomp.h>
#include <seccomp.h>

#include "base-cleanup.h"
#include "base-sha256.h"

/* Increase it whenever this file compiles a filter differently: it is part of the cache key. */
#define RECIPE "tyrum-oci filter 4"

/* The kernel's limit (BPF_MAXINSNS), in bytes. */
#define PROGRAM_MAX ((off_t) 4096 * 8)

static void release_p (scmp_filter_ctx *ctx)
{
  if (*ctx != NULL)
    seccomp_release (*ctx);
}

static uint32_t action_for (const struct filter_rule *rule, const char *name, enum filter_mode mode)
{
  if (rule->allow)
    return SCMP_ACT_ALLOW;
  if (mode == FILTER_ERRNO || !filter_tells (rule, name))
    return SCMP_ACT_ERRNO ((unsigned) rule->errnum);
  return mode == FILTER_NOTIFIES ? SCMP_ACT_NOTIFY : SCMP_ACT_TRACE (0);
}

bool filter_allows_loading (const struct filter *filter)
{
  const uint64_t load[SECCOMP_ARGUMENTS] = { SECCOMP_SET_MODE_FILTER };

  return filter_answer (filter, FILTER_LOAD_CALL, load) == 0;
}

/* FREED: the rules of FILTER_LOAD_CALL are replaced. */
static int add_rule (scmp_filter_ctx ctx, uint32_t otherwise, const struct filter_rule *rule,
                     enum filter_mode mode, bool freed, struct error *err)
{
  struct scmp_arg_cmp args[SECCOMP_ARGUMENTS];

  for (size_t i = 0; i < rule->arg_count; i++)
    args[i] = (struct scmp_arg_cmp){ rule->args[i].index, SCMP_CMP_MASKED_EQ, rule->args[i].mask,
                                     rule->args[i].datum };
  for (size_t i = 0; i < rule->names.count; i++) {
    const char *name = rule->names.items[i];
    uint32_t action = action_for (rule, name, mode);
    int number = seccomp_syscall_resolve_name (name), r;

    if (number == __NR_SCMP_ERROR || action == otherwise || (freed && strcmp (name, FILTER_LOAD_CALL) == 0))
      continue;
    r = seccomp_rule_add_array (ctx, action, number, (unsigned) rule->arg_count, args);
    if (r < 0)
      return error_set_errno (err, -r, "add '%s' to the seccomp filter", name);
  }
  return 0;
}

/* libseccomp 2.5 exports only to a descriptor. */
static int export(scmp_filter_ctx ctx, uint8_t **ret_program, size_t *ret_size, struct error *err)
{
  cleanup_close int fd = memfd_create ("filter", MFD_CLOEXEC);
  int r = fd < 0 ? -errno : seccomp_export_bpf (ctx, fd);
  off_t size = r < 0 ? 0 : lseek (fd, 0, SEEK_CUR);
  cleanup_free uint8_t *program = NULL;

  if (r < 0)
    return error_set_errno (err, -r, "compile the seccomp filter");
  if (size <= 0 || size > PROGRAM_MAX || size % 8 != 0)
    return error_set (err, -E2BIG, "the compiled seccomp filter has %lld bytes, and the limit is %lld",
                      (long long) size, (long long) PROGRAM_MAX);
  program = malloc ((size_t) size);
  if (program == NULL)
    return error_oom (err);
  if (pread (fd, program, (size_t) size, 0) != size)
    return error_set (err, -EIO, "cannot read the compiled seccomp filter back");
  *ret_program = take_ptr (program);
  *ret_size = (size_t) size;
  return 0;
}

static int allow_loading (scmp_filter_ctx ctx, struct error *err)
{
  const struct scmp_arg_cmp load = { 0, SCMP_CMP_MASKED_EQ, UINT32_MAX, SECCOMP_SET_MODE_FILTER };
  int r =
      seccomp_rule_add_array (ctx, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name (FILTER_LOAD_CALL), 1, &load);

  return r < 0 ? error_set_errno (err, -r, "add '" FILTER_LOAD_CALL "' to the seccomp filter") : 0;
}

int filter_compile (const struct filter *filter, enum filter_mode mode, uint8_t **ret_program,
                    size_t *ret_size, struct error *err)
{
  uint32_t otherwise = SCMP_ACT_ERRNO ((unsigned) filter->unknown_errnum);
  cleanup (release_p) scmp_filter_ctx ctx = seccomp_init (otherwise);
  bool freed = mode == FILTER_DEFERS && !filter_allows_loading (filter);
  int r = 0;

  if (ctx == NULL)
    return error_oom (err);
  /* A binary tree by number instead of a list: the kernel evaluates the filter once for every number when it
   * loads it. A libseccomp without this attribute makes a list, which gives the same results. */
  (void) seccomp_attr_set (ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  for (size_t i = 0; r == 0 && i < filter->rule_count; i++)
    r = add_rule (ctx, otherwise, &filter->rules[i], mode, freed, err);
  if (r == 0 && freed)
    r = allow_loading (ctx, err);
  return r < 0 ? r : export(ctx, ret_program, ret_size, err);
}

static void hash_number (struct sha256 *hash, uint64_t number)
{
  sha256_update (hash, &number, sizeof (number));
}

static void hash_numbers (struct sha256 *hash, const uint64_t *numbers, size_t count)
{
  sha256_update (hash, numbers, count * sizeof (*numbers));
}

static void hash_text (struct sha256 *hash, const char *text)
{
  size_t len = strlen (text);

  hash_number (hash, len);
  sha256_update (hash, text, len);
}

static void hash_rule (struct sha256 *hash, const struct filter_rule *rule, enum filter_mode mode)
{
  hash_number (hash, rule->names.count);
  for (size_t i = 0; i < rule->names.count; i++) {
    hash_text (hash, rule->names.items[i]);
    hash_number (hash, mode != FILTER_ERRNO && filter_tells (rule, rule->names.items[i]));
  }
  hash_numbers (hash, (uint64_t[]){ rule->allow, (uint64_t) rule->errnum, rule->arg_count }, 3);
  for (size_t i = 0; i < rule->arg_count; i++) {
    const struct filter_arg *arg = &rule->args[i];

    hash_numbers (hash, (uint64_t[]){ arg->index, arg->mask, arg->datum }, 3);
  }
}

void filter_program_name (const struct filter *filter, enum filter_mode mode, char ret_hex[SHA256_HEX])
{
  const struct scmp_version *version = seccomp_version ();
  struct sha256 hash;

  sha256_init (&hash);
  hash_text (&hash, RECIPE);
  hash_text (&hash, filter->architecture);
  hash_numbers (&hash, (uint64_t[]){ version->major, version->minor, version->micro }, 3);
  hash_number (&hash, mode);
  hash_number (&hash, (uint64_t) filter->unknown_errnum);
  hash_number (&hash, filter->rule_count);
  for (size_t i = 0; i < filter->rule_count; i++)
    hash_rule (&hash, &filter->rules[i], mode);
  sha256_final_hex (&hash, ret_hex);
}
