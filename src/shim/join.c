/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exec and update: what is asked of a running container later is held to the same profile. */
#include <config.h>

#include "shim-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-number.h"
#include "shim-audit.h"
#include "shim-handover.h"
#include "shim-policy.h"
#include "shim-stdio.h"

static int check_flags (const struct call *call, const char *what, struct error *err)
{
  uint64_t count = 0;
  const struct command *command = call->command;

  if (command->forbidden != NULL)
    return error_set (err, -EPERM, "--%s cannot be held to a profile: say it in the file of %s",
                      command->forbidden, what);
  if (command->preserve_fds.text != NULL
      && (!number_parse (command->preserve_fds.text, 1024, &count) || count > 0))
    return error_set (err, -EPERM, "process.fds_closed: no descriptors can be passed into the container");
  return 0;
}

/* What was asked for later; of a container that is not ours the name says the profile. */
static void refuse (struct call *call, const char *via, const struct json_node *process,
                    const struct error *why)
{
  const char *name = call->known ? call->record.profile : policy_name_of (call->program);
  const struct audit_request asked = { .via = via, .profile = name ? name : "", .process = process };

  if (call->command->id != NULL)
    call_refuse (call, &asked, NULL, why);
}

/* PROCESS is NULL for an update. */
static int write_down (const struct call *call, const struct json_node *process,
                       const struct spec_changes *changes, struct error *err)
{
  struct audit audit = { 0 };
  int r = call_audit (call, &audit, err);

  if (r == 0)
    r = process ? audit_joined (&audit, process, changes, err) : audit_updated (&audit, changes, err);
  call_audit_end (call, &audit);
  return r;
}

/* The engine's own file is rewritten: it reads it once more by no other way, and removes it. */
static int meet_process_file (struct call *call, const char *path, struct error *err)
{
  cleanup_policy struct policy policy = { 0 };
  cleanup_spec_changes struct spec_changes changes = { 0 };
  cleanup_json struct json_node *process = NULL;
  cleanup_free char *text = NULL, *met = NULL;
  struct stat st;
  size_t len = 0;
  int r = file_read (AT_FDCWD, path, LIMIT_SPEC_BYTES, &text, &len, err);

  if (r == 0)
    r = spec_read ("process", text, len, &process, err);
  if (r == 0)
    r = call_policy (call, &policy, err);
  if (r == 0)
    r = restrict_process_spec (process, &policy.spec, &changes, err);
  if (r == 0)
    r = spec_write (process, &met, err);
  if (r == 0)
    r = write_down (call, process, &changes, err);
  if (r < 0) {
    refuse (call, "exec", process, err);
    return r;
  }
  call_log_changes (call, &changes);
  return file_write_passing (AT_FDCWD, path, met, strlen (met),
                             stat (path, &st) == 0 ? st.st_mode & 0777 : 0600, err);
}

/* runc lets a process into a container that waits to be started, of which nothing is proven yet. */
static int check_started (const struct call *call, struct error *err)
{
  if (!call->known)
    return error_set (err, -ENOENT, "container '%s' was not made by this runtime", call->command->id);
  if (call->record.started)
    return 0;
  return error_set (err, -EBUSY,
                    "container '%s' has not been started: nothing joins it before its promises are proven",
                    call->command->id);
}

int verb_exec (struct call *call, struct error *err)
{
  int r = check_flags (call, "--process", err);

  if (r == 0 && call->command->process.text == NULL)
    r = error_set (err, -EOPNOTSUPP, "exec: only a process given by --process FILE can be held to a profile");
  if (r == 0)
    r = stdio_check (err);
  if (r == 0)
    r = check_started (call, err);
  if (r < 0)
    refuse (call, "exec", NULL, err);
  else
    r = meet_process_file (call, call->command->process.text, err);
  if (r == 0)
    r = stdio_replace_null (err);
  return r < 0 ? r : verb_pass (call, err);
}

/* All of descriptor FD, within bounds. */
static int read_all (int fd, char **ret_text, size_t *ret_len, struct error *err)
{
  cleanup_free char *text = malloc (LIMIT_SPEC_BYTES + 1);
  size_t len = 0;

  if (text == NULL)
    return error_oom (err);
  for (;;) {
    ssize_t n = read (fd, text + len, LIMIT_SPEC_BYTES + 1 - len);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return error_set_errno (err, errno, "read the resources");
    if (n == 0)
      break;
    len += (size_t) n;
    if (len > LIMIT_SPEC_BYTES)
      return error_set (err, -EFBIG, "the resources are larger than %zu bytes", LIMIT_SPEC_BYTES);
  }
  *ret_text = take_ptr (text);
  *ret_len = len;
  return 0;
}

/* The low-level runtime reads the restricted resources from standard input. */
static int become_input (const char *text, struct error *err)
{
  cleanup_close int fd = memfd_create ("resources", MFD_CLOEXEC);
  size_t len = strlen (text);

  if (fd < 0 || write (fd, text, len) != (ssize_t) len || lseek (fd, 0, SEEK_SET) < 0
      || dup2 (fd, STDIN_FILENO) < 0)
    return error_set_errno (err, errno, "hand the resources over");
  return 0;
}

static int meet_resources_file (struct call *call, const char *path, struct error *err)
{
  cleanup_policy struct policy policy = { 0 };
  cleanup_spec_changes struct spec_changes changes = { 0 };
  cleanup_json struct json_node *resources = NULL;
  cleanup_free char *text = NULL, *met = NULL;
  size_t len = 0;
  int r = strcmp (path, "-") == 0 ? read_all (STDIN_FILENO, &text, &len, err)
                                  : file_read (AT_FDCWD, path, LIMIT_SPEC_BYTES, &text, &len, err);

  if (r == 0)
    r = spec_read ("resources", text, len, &resources, err);
  if (r == 0)
    r = call_policy (call, &policy, err);
  if (r == 0)
    r = restrict_update (resources, &policy.spec, &changes, err);
  if (r == 0)
    r = spec_write (resources, &met, err);
  if (r == 0)
    r = write_down (call, NULL, &changes, err);
  if (r < 0) {
    refuse (call, "update", NULL, err);
    return r;
  }
  call_log_changes (call, &changes);
  return become_input (met, err);
}

int verb_update (struct call *call, struct error *err)
{
  const struct flag_value *resources = &call->command->resources;
  cleanup_free char *path = NULL, *word = NULL;
  cleanup_free char **argv = NULL;
  int r = check_flags (call, "--resources", err);

  if (r == 0 && resources->text == NULL)
    r = error_set (err, -EOPNOTSUPP,
                   "update: only resources given by --resources FILE can be held to a profile");
  if (r < 0)
    refuse (call, "update", NULL, err);
  if (r == 0)
    r = call_runtime (call, &path, err);
  if (r == 0)
    r = meet_resources_file (call, resources->text, err);
  if (r < 0)
    return r;
  argv = call_replace (call, resources, "-", &word);
  return argv ? handover_exec (path, argv, err) : error_oom (err);
}
