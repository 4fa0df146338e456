/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-lint.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "control-catalogue.h"
#include "profile-source.h"

struct linter {
  const struct profile *profile;
  struct lint lint;
  bool failed;
};

static void find (struct linter *l, enum lint_severity severity, enum setting setting, const char *format,
                  ...) __attribute__ ((format (printf, 4, 5)));

static void find (struct linter *l, enum lint_severity severity, enum setting setting, const char *format,
                  ...)
{
  const struct value *value = &l->profile->settings.values[setting];
  struct lint_finding *items = realloc (l->lint.items, (l->lint.count + 1) * sizeof (*items));
  struct lint_finding finding = { .severity = severity };
  cleanup_free char *text = NULL;
  va_list ap;

  if (items == NULL) {
    l->failed = true;
    return;
  }
  l->lint.items = items;
  va_start (ap, format);
  if (vasprintf (&text, format, ap) < 0)
    text = NULL;
  va_end (ap);
  finding.where = value->origin.file ? origin_text (&value->origin) : strdup (l->profile->file);
  finding.what = text ? str_format ("%s: %s", setting_info (setting)->key, text) : NULL;
  l->failed = l->failed || finding.where == NULL || finding.what == NULL;
  items[l->lint.count++] = finding;
}

static void lint_mounts (struct linter *l)
{
  const struct grants *mounts = &l->profile->settings.values[SETTING_MOUNTS].grants;

  for (size_t i = 0; i < mounts->count; i++) {
    const struct grant *mount = &mounts->items[i];
    const char *why;
    enum source_class class = source_classify (mount->source, &why);

    if (class == SOURCE_FORBIDDEN)
      find (l, LINT_ERROR, SETTING_MOUNTS, "'%s' cannot be mounted: %s", mount->source, why);
    else if (class != SOURCE_PLAIN && mount->writable)
      find (l, LINT_ERROR, SETTING_MOUNTS, "'%s' can be mounted read-only at most: %s", mount->source, why);
    else if (class == SOURCE_SENSITIVE && mount->reason == NULL)
      find (l, LINT_ERROR, SETTING_MOUNTS, "'%s' needs a \"reason\": %s", mount->source, why);
  }
}

/* limits.idle and limits.output_rate do not stand in for a bound: a run that writes a byte now and then is
 * never idle, and a rate has no sum. */
static void lint_limits (struct linter *l)
{
  static const enum setting bounded[] = { SETTING_MEMORY, SETTING_PIDS, SETTING_CPUS, SETTING_WALL,
                                          SETTING_OUTPUT };

  const struct value *values = l->profile->settings.values;

  for (size_t i = 0; i < ARRAY_LEN (bounded); i++)
    if (!value_is_set (&values[bounded[i]]))
      find (l, LINT_WARNING, bounded[i], "lifted, so a run can take all of it");
}

static void lint_process (struct linter *l)
{
  static const char *const powerful[] = { "CAP_SYS_ADMIN", "CAP_SYS_MODULE",      "CAP_SYS_PTRACE",
                                          "CAP_SYS_RAWIO", "CAP_DAC_READ_SEARCH", "CAP_BPF",
                                          "CAP_NET_ADMIN" };
  const struct value *values = l->profile->settings.values;

  if (values[SETTING_USER].uid == 0 || values[SETTING_USER].gid == 0)
    find (l, LINT_WARNING, SETTING_USER, "the command runs as root inside");
  if (!values[SETTING_NO_NEW_PRIVILEGES].flag)
    find (l, LINT_WARNING, SETTING_NO_NEW_PRIVILEGES, "setuid programs can raise privileges");
  for (size_t i = 0; i < ARRAY_LEN (powerful); i++)
    if (strset_has (&values[SETTING_CAPABILITIES].set, powerful[i]))
      find (l, LINT_WARNING, SETTING_CAPABILITIES, "%s is close to being root on the host", powerful[i]);
  if (values[SETTING_NETWORK_MODE].level == NETWORK_HOST)
    find (l, LINT_WARNING, SETTING_NETWORK_MODE,
          "the host's own interfaces and local services are reachable");
}

/* Names in require and optional that have no effect. */
static void lint_requirements (struct linter *l)
{
  const struct settings *settings = &l->profile->settings;
  const struct strlist *require = &settings->values[SETTING_REQUIRE].set;
  const struct strlist *optional = &settings->values[SETTING_OPTIONAL].set;
  enum control control;

  for (size_t i = 0; i < require->count; i++)
    if (control_find (require->items[i], &control) && !control_is_promised (control, settings))
      find (l, LINT_WARNING, SETTING_REQUIRE, "'%s' is required, but the profile does not promise it",
            require->items[i]);
  for (size_t i = 0; i < optional->count && !strset_has (require, "*"); i++)
    find (l, LINT_WARNING, SETTING_OPTIONAL, "'%s' is optional anyway; only \"*\" has exceptions",
          optional->items[i]);
}

int profile_lint (const struct profile *profile, struct lint *ret_lint, struct error *err)
{
  struct linter l = { .profile = profile };

  if (profile->settings.values[SETTING_ISOLATION_TYPE].level == ISOLATION_DISABLED)
    find (&l, LINT_WARNING, SETTING_ISOLATION_TYPE, "there is no sandbox at all");
  else {
    lint_mounts (&l);
    lint_process (&l);
    lint_limits (&l);
    lint_requirements (&l);
  }
  if (l.failed) {
    lint_clear (&l.lint);
    return error_oom (err);
  }
  *ret_lint = l.lint;
  return 0;
}

void lint_clear (struct lint *lint)
{
  for (size_t i = 0; i < lint->count; i++) {
    free (lint->items[i].where);
    free (lint->items[i].what);
  }
  free (lint->items);
  *lint = (struct lint){ 0 };
}
