/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tyrum-oci-hook: OCI hooks that hold an engine's containers against the profile that their annotation names.
 *
 * gate: createRuntime or prestart. The state on standard input leads to the bundle; its config.json is
 * compared with the profile, and a container that is looser does not start.
 * audit: poststart, poststop. Writes down that it started or ended.
 * apply: Podman's precreate. A config.json on standard input, the tightened one on standard output.
 * why: for people. The last refusals, as some runtimes swallow what a hook says.
 *
 * A hook runs as root beside a container that may be hostile, with whatever environment, descriptors and
 * working directory its caller left. So the program is static, and its first acts are to clear all of these.
 * It trusts neither the environment nor anything in the container's root, opens nothing there, and never
 * calls an engine. A profile is a plain name, never a path. Without the annotation nothing is changed or
 * refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"

struct hook {
  const char *config_dir, *data_dir;
  char *state;        /* our own state directory */
  char *id;           /* the container's, once it is known */
  const char *bundle; /* and its directory; NULL: not known */
  bool early;         /* the engine itself calls, before there is a runtime */
  char *text;         /* standard input */
  size_t len;
};

/* Clears environment, descriptors, working directory, umask; core dumps and tracing are off. */
int hook_clean (struct error *err);

int hook_gate (struct hook *hook, struct error *err);
int hook_audit (struct hook *hook, struct error *err);
int hook_apply (struct hook *hook, struct error *err);
int hook_why (struct hook *hook, struct error *err);

/* Says it on standard error and, where the runtime has thrown that away, where its engine looks, if that can
 * be found and written at once. */
void hook_say (const struct hook *hook, const char *text);

/* Appends a line to the hooks' log: WHAT happened to container ID under PROFILE. What cannot be written is
 * lost. */
void hook_write_down (const struct hook *hook, const char *what, const char *id, const char *profile,
                      const char *text);

/* ---- The audit journal, and that log. Each hook of a container is a process of its own, so the id of the
 * run is made of the container's. */

struct audit_request;
struct json_node;
struct policy;
struct spec_changes;

int hook_met (const struct hook *hook, const struct audit_request *asked, const struct policy *policy,
              const struct spec_changes *changes, const struct json_node *config, struct error *err);
void hook_refused (const struct hook *hook, const struct audit_request *asked, const struct error *why);
/* It was started, or has ended. */
int hook_seen (const struct hook *hook, const char *profile, bool started, struct error *err);
