/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "hook-hook.h"

#include <stdio.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-sha256.h"
#include "restrict-restrict.h"
#include "shim-audit.h"

/* A hook may have to wait twice, and is ended without a word after the 10 seconds of its hooks.d file. */
#define WAIT_SECONDS 3

static const char *name_of (const struct hook *hook)
{
  return hook->id ? hook->id : "";
}

static int open_audit (const struct hook *hook, struct audit *audit, struct error *err)
{
  char digest[SHA256_HEX], run[RUN_ID_SIZE];
  int r;

  sha256_hex (name_of (hook), strlen (name_of (hook)), digest);
  snprintf (run, sizeof (run), "r-%.16s", digest);
  r = audit_open (hook->config_dir, hook->data_dir, name_of (hook), run, audit, err);
  if (r == 0 && audit->log.journal != NULL)
    journal_hurry (audit->log.journal, WAIT_SECONDS);
  return r;
}

int hook_met (const struct hook *hook, const struct audit_request *asked, const struct policy *policy,
              const struct spec_changes *changes, const struct json_node *config, struct error *err)
{
  cleanup_audit struct audit audit = { 0 };
  cleanup_free char *text = NULL;
  int r = spec_write (config, &text, err);

  if (r == 0)
    r = open_audit (hook, &audit, err);
  return r < 0 ? r : audit_met (&audit, asked, policy, changes, text, err);
}

void hook_refused (const struct hook *hook, const struct audit_request *asked, const struct error *why)
{
  cleanup_audit struct audit audit = { 0 };
  cleanup_error struct error ignored = { 0 };

  hook_write_down (hook, "refused", name_of (hook), asked->profile, error_text (why));
  if (open_audit (hook, &audit, &ignored) == 0)
    audit_refused (&audit, asked, NULL, why, &ignored);
}

int hook_seen (const struct hook *hook, const char *profile, bool started, struct error *err)
{
  cleanup_audit struct audit audit = { 0 };
  int r;

  hook_write_down (hook, started ? "started" : "stopped", name_of (hook), profile, NULL);
  r = open_audit (hook, &audit, err);
  if (r < 0)
    return r;
  return started ? audit_log_started (&audit.log, NULL, err) : audit_ended (&audit, "stopped", -1, err);
}
