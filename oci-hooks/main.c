/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program: cleans up after its caller, reads standard input within bounds, does what its first argument
 * says. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-argv.h"
#include "base-cleanup.h"
#include "base-limits.h"
#include "hook-hook.h"
#include "host-facts.h"

struct stage {
  const char *name;
  int (*run) (struct hook *hook, struct error *err);
  size_t input; /* bytes of standard input at most; 0: it is not read */
  bool early;
};

static const struct stage stages[] = {
  { "gate", hook_gate, LIMIT_STATE_BYTES, false },
  { "audit", hook_audit, LIMIT_STATE_BYTES, false },
  { "apply", hook_apply, LIMIT_SPEC_BYTES, true },
  { "why", hook_why, 0, false },
};

static int read_input (struct hook *hook, size_t most, struct error *err)
{
  hook->text = malloc (most + 1);
  if (hook->text == NULL)
    return error_oom (err);
  for (;;) {
    ssize_t n = read (STDIN_FILENO, hook->text + hook->len, most + 1 - hook->len);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return error_set_errno (err, errno, "read standard input");
    if (n == 0)
      return 0;
    hook->len += (size_t) n;
    if (hook->len > most)
      return error_set (err, -EFBIG, "standard input is larger than %zu bytes", most);
  }
}

/* Options come from the hooks.d file, which is the operator's. */
static int read_options (struct hook *hook, char **argv, struct error *err)
{
  static const struct argv_option options[] = { { "config-dir", true }, { "data-dir", true } };
  struct argv_reader reader = { .rest = argv, .options = options, .count = ARRAY_LEN (options) };
  enum argv_kind kind;

  while ((kind = argv_next (&reader)) == ARGV_OPTION)
    *(reader.option == 0 ? &hook->config_dir : &hook->data_dir) = reader.value;
  if (kind == ARGV_NO_VALUE)
    return error_set (err, -EINVAL, "'%s' has no value", reader.word);
  return kind == ARGV_END
             ? 0
             : error_set (err, -EINVAL, "unknown option '%s'; there are --config-dir and --data-dir",
                          reader.word);
}

static const struct stage *find_stage (const char *name)
{
  for (size_t i = 0; name != NULL && i < ARRAY_LEN (stages); i++)
    if (strcmp (stages[i].name, name) == 0)
      return &stages[i];
  return NULL;
}

int main (int argc, char **argv)
{
  cleanup_error struct error err = { 0 };
  struct hook hook = { .config_dir = TYRUM_OCI_SYSCONFDIR, .data_dir = TYRUM_OCI_DATADIR };
  const struct stage *stage = argc > 1 ? find_stage (argv[1]) : NULL;
  int r = hook_clean (&err);

  if (r == 0 && stage == NULL)
    r = error_set (&err, -EINVAL,
                   "usage: tyrum-oci-hook gate|audit|apply|why [--config-dir DIR] [--data-dir DIR]");
  hook.early = stage != NULL && stage->early;
  if (r == 0)
    r = read_options (&hook, argv + 2, &err);
  if (r == 0)
    r = host_look_state_dir (&hook.state, &err);
  if (r == 0 && stage->input > 0)
    r = read_input (&hook, stage->input, &err);
  if (r == 0)
    r = stage->run (&hook, &err);
  if (r < 0)
    hook_say (&hook, error_text (&err));
  free (hook.id);
  free (hook.text);
  free (hook.state);
  return r < 0;
}
