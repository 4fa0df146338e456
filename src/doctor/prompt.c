/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "doctor-prompt.h"

#include <errno.h>
#include <string.h>

/* Lists are truncated after this many bytes. */
#define LIST_MAX 160u

static bool is_verified (const struct posture *posture, enum control control)
{
  return posture->controls[control].promised && posture->controls[control].verdict == VERDICT_VERIFIED;
}

/* Names of profiles and mounts must not act as instructions to the model: characters that are
 * not plain are shown as '?'. */
static void add_plain (struct strbuf *buf, const char *text)
{
  for (; *text != '\0'; text++)
    strbuf_addf (buf, "%c", *text > ' ' && *text <= '~' ? *text : '?');
}

/* Adds ", TEXT" while the list is short, and counts the rest. */
static void add_item (struct strbuf *list, const char *text, unsigned *left)
{
  if (*left > 0 || list->len + strlen (text) > LIST_MAX) {
    (*left)++;
    return;
  }
  if (list->len > 0)
    strbuf_add (list, ", ");
  add_plain (list, text);
}

static void add_list (struct strbuf *buf, const char *before, const struct strbuf *list, unsigned left,
                      const char *after)
{
  if (list->len == 0 && left == 0)
    return;
  strbuf_addf (buf, "%s%s", before, list->len > 0 ? list->text : "");
  if (left > 0)
    strbuf_addf (buf, "%s%u more", list->len > 0 ? " and " : "", left);
  strbuf_add (buf, after);
}

static void add_mounts (struct strbuf *buf, const struct plan *plan, bool writable)
{
  const struct grants *mounts = &plan->settings.values[SETTING_MOUNTS].grants;
  cleanup_strbuf struct strbuf list = { 0 };
  unsigned left = 0;

  for (size_t i = 0; i < mounts->count; i++)
    if (mounts->items[i].writable == writable)
      add_item (&list, mounts->items[i].name, &left);
  buf->failed = buf->failed || list.failed;
  add_list (buf, writable ? " Also writable: " : " Also readable: ", &list, left, ".");
}

static void add_files (struct strbuf *buf, const struct plan *plan, const struct posture *posture)
{
  static const char *const workspace[] = {
    [WORKSPACE_NONE] = "There is no workspace.",
    [WORKSPACE_READ_ONLY] = "/workspace is read-only.",
    [WORKSPACE_COPY_ON_WRITE] = "/workspace can be written; changes are kept apart.",
    [WORKSPACE_READ_WRITE] = "/workspace can be written and is kept.",
  };
  const struct value *tmp = &plan->settings.values[SETTING_TMP];

  if (!is_verified (posture, CONTROL_WORKSPACE_BOUNDED))
    return;
  strbuf_addf (buf, "- Files: %s", workspace[plan->settings.values[SETTING_WORKSPACE].level]);
  add_mounts (buf, plan, true);
  add_mounts (buf, plan, false);
  if (is_verified (posture, CONTROL_TMP_BOUNDED)) {
    cleanup_free char *size = value_text (SETTING_TMP, tmp);

    buf->failed = buf->failed || size == NULL;
    strbuf_addf (buf, " /tmp holds %s and is lost at the end.", size ? size : "");
  }
  if (is_verified (posture, CONTROL_ROOT_READ_ONLY))
    strbuf_add (buf, " All else is read-only.");
  strbuf_add (buf, " Nothing else of the host's data is there.\n");
}

static void add_network (struct strbuf *buf, const struct plan *plan, const struct posture *posture)
{
  if (is_verified (posture, CONTROL_NETWORK_MODE)
      && plan->settings.values[SETTING_NETWORK_MODE].level == NETWORK_NONE)
    strbuf_add (buf, "- Network: none. Nothing can be downloaded and no name resolves.\n");
}

static void add_identity (struct strbuf *buf, const struct plan *plan, const struct posture *posture)
{
  if (!is_verified (posture, CONTROL_USER_NON_ROOT))
    return;
  strbuf_addf (buf, "- Identity: uid %u, not root.", plan->uid);
  if (is_verified (posture, CONTROL_NO_NEW_PRIVILEGES))
    strbuf_add (buf, " sudo and setuid programs give nothing.");
  if (is_verified (posture, CONTROL_SECCOMP))
    strbuf_add (buf, " System calls that are not listed fail.");
  strbuf_add (buf, "\n");
}

static void add_limits (struct strbuf *buf, const struct plan *plan, const struct posture *posture)
{
  static const struct {
    enum control control;
    enum setting setting;
    const char *unit;
  } limits[] = {
    { CONTROL_LIMITS_MEMORY, SETTING_MEMORY, "memory" },
    { CONTROL_LIMITS_PIDS, SETTING_PIDS, "processes" },
    { CONTROL_LIMITS_CPU, SETTING_CPUS, "cpu" },
    { CONTROL_LIMITS_WALL, SETTING_WALL, "per command" },
    { CONTROL_LIMITS_OUTPUT, SETTING_OUTPUT, "per output stream" },
    { CONTROL_LIMITS_IDLE, SETTING_IDLE, "without input or output" },
    { CONTROL_LIMITS_OUTPUT_RATE, SETTING_OUTPUT_RATE, "of output per second" },
    { CONTROL_LIMITS_DISK, SETTING_DISK, "disk" },
  };
  bool first = true;

  for (size_t i = 0; i < ARRAY_LEN (limits); i++) {
    cleanup_free char *text = NULL;

    if (!is_verified (posture, limits[i].control))
      continue;
    text = value_text (limits[i].setting, &plan->settings.values[limits[i].setting]);
    buf->failed = buf->failed || text == NULL;
    strbuf_addf (buf, "%s%s %s", first ? "- Limits: " : ", ", text ? text : "", limits[i].unit);
    first = false;
  }
  if (!first)
    strbuf_add (buf, ".\n");
}

static void add_unverified (struct strbuf *buf, const struct posture *posture)
{
  cleanup_strbuf struct strbuf list = { 0 };
  unsigned left = 0;

  for (enum control c = 0; c < CONTROL_COUNT; c++)
    if (posture->controls[c].promised && !is_verified (posture, c))
      add_item (&list, control_info (c)->name, &left);
  buf->failed = buf->failed || list.failed;
  add_list (buf, "- Not verified here: ", &list, left, ".\n");
}

int prompt_write (const struct plan *plan, const struct posture *posture, char **ret_text, struct error *err)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  if (posture->overall == OVERALL_VIOLATED)
    return error_set (err, -EPERM,
                      "profile '%s' does not hold on this host, so there is no section for a model",
                      plan->profile_name);
  strbuf_add (&buf, "Sandbox:\nExecution constraints are enforced by the gateway.\nhardening_profile=");
  add_plain (&buf, plan->profile_name);
  strbuf_add (&buf, "\nmanaged_desktop_attached=false\n");
  add_files (&buf, plan, posture);
  add_network (&buf, plan, posture);
  add_identity (&buf, plan, posture);
  add_limits (&buf, plan, posture);
  add_unverified (&buf, posture);
  strbuf_add (&buf,
              "- When something is denied (EPERM, EACCES, EROFS, ENOSYS, no network, ended at a limit): do "
              "not retry it and do not look for a way around. Say what you needed and why; the operator "
              "can choose another profile.\n");
  if (!buf.failed && buf.len > PROMPT_MAX)
    return error_set (err, -E2BIG, "the section is longer than %u bytes", PROMPT_MAX);
  *ret_text = strbuf_take (&buf);
  return *ret_text ? 0 : error_oom (err);
}
