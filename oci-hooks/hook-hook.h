/* tyrum-oci-hook: OCI hooks that hold an engine's containers against the profile that their annotation names.
 *
 *   gate    createRuntime or prestart: the state on standard input leads to the bundle; its config.json is
 * compared with the profile, and a container that is looser does not start audit   poststart, poststop:
 * writes down that it started or ended apply   Podman's precreate: a config.json on standard input, the
 * tightened one on standard output why     for people: the last refusals, as some runtimes swallow what a
 * hook says
 *
 * A hook runs as root beside a container that may be hostile, with whatever environment, descriptors and
 * working folder its caller left. So the program is static, and its first acts are to clear all of these. It
 * believes neither the environment nor anything in the container's root, opens nothing there, and never calls
 * an engine. Without the annotation it does nothing.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"

struct hook {
  const char *config_dir, *data_dir;
  char *state; /* our own state folder */
  char *text;  /* standard input */
  size_t len;
};

/* Clears environment, descriptors, working folder, umask; core dumps and tracing are off. */
int hook_clean (struct error *err);

int hook_gate (struct hook *hook, struct error *err);
int hook_audit (struct hook *hook, struct error *err);
int hook_apply (struct hook *hook, struct error *err);
int hook_why (struct hook *hook, struct error *err);

/* Appends a line to the hooks' log: WHAT happened to container ID under PROFILE. What cannot be written is
 * lost. */
void hook_write_down (const struct hook *hook, const char *what, const char *id, const char *profile,
                      const char *text);
