/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* create: restricts the bundle's config.json, writes the record, builds the stage, executes the low-level
 * runtime.
 */
#include <config.h>

#include "shim-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-namespace.h"
#include "base-number.h"
#include "mount-chroot.h"
#include "shim-audit.h"
#include "shim-bundle.h"
#include "shim-container-plan.h"
#include "shim-container-stage.h"
#include "shim-handover.h"
#include "shim-log.h"
#include "shim-policy.h"
#include "shim-stdio.h"
#include "shim-sweep.h"
#include "supervisor-process.h"

/* How many records one create looks at for containers that their engine has lost. */
#define SWEEP_MOST 256u

struct creation {
  struct call *call;
  struct policy policy;
  struct bundle bundle;
  struct spec_changes changes;
  char *text;    /* the restricted specification */
  bool told;     /* what was asked for is in the journal */
  char *own_pid; /* where the pid is written if the engine does not ask for it */
};

static void creation_clear (struct creation *c)
{
  policy_clear (&c->policy);
  bundle_clear (&c->bundle);
  spec_changes_clear (&c->changes);
  free (c->text);
  free (c->own_pid);
}
#define cleanup_creation cleanup (creation_clear)

/* Passed descriptors would be open inside. */
static int check_descriptors (const struct command *command, struct error *err)
{
  uint64_t count = 0;

  if (command->preserve_fds.text == NULL
      || (number_parse (command->preserve_fds.text, 1024, &count) && count == 0))
    return 0;
  return error_set (err, -EPERM,
                    "process.fds_closed: descriptors are to be passed into the container; start it without "
                    "--preserve-fds");
}

static int choose_policy (struct creation *c, struct error *err)
{
  struct call *call = c->call;
  const char *name = policy_name_of (call->program);
  const char *annotated = spec_annotation (c->bundle.config, SPEC_ANNOTATION_PROFILE);
  int r;

  if (name == NULL)
    return error_set (
        err, -EINVAL,
        "the name '%s' says no profile; call it by a link named tyrum-PROFILE, such as tyrum-hardened",
        call->program);
  r = policy_open (&c->policy, call->config_dir, call->data_dir, err);
  if (r == 0)
    r = policy_choose (&c->policy, name, annotated, err);
  if (r < 0)
    return r;
  c->policy.spec.container = call->command->id;
  c->policy.spec.bundle = c->bundle.directory;
  call->record.profile = strdup (name);
  if (annotated != NULL)
    call->record.annotated = strdup (annotated);
  if (call->record.profile == NULL || (annotated != NULL && call->record.annotated == NULL))
    return error_oom (err);
  return handover_find (c->policy.configuration, &call->record.runtime, err);
}

static int take_ids (struct creation *c, struct error *err)
{
  struct call *call = c->call;
  int r;

  if (!policy_needs_ids (&c->policy, c->bundle.config))
    return 0;
  /* What the user has of subordinate ids is the engine's to divide. */
  if (namespace_is_users (NULL))
    return error_set (
        err, -EPERM,
        "user.namespace: a user's engine has to give the container a user namespace of its own: "
        "podman run --userns=auto:size=16384");
  r = record_take_slot (call->state, call->command, policy_slots (&c->policy), &call->record.slot, err);
  if (r == 0)
    policy_use_slot (&c->policy, call->record.slot - 1);
  return r;
}

static int meet (struct creation *c, struct error *err)
{
  int r = policy_look_sources (&c->policy, c->bundle.config, err);

  if (r == 0)
    r = restrict_spec (c->bundle.config, &c->policy.spec, &c->changes, err);
  if (r == 0)
    r = spec_write (c->bundle.config, &c->text, err);
  if (r < 0)
    return r;
  call_log_changes (c->call, &c->changes);
  return 0;
}

static struct audit_request request_of (const struct creation *c)
{
  const struct call *call = c->call;
  const char *name = policy_name_of (call->program);

  return (struct audit_request){ .via = call->via ? call->via : "create",
                                 .profile = name ? name : "",
                                 .annotated = call->record.annotated,
                                 .runtime = call->record.runtime,
                                 .bundle = c->bundle.directory,
                                 .process = json_get (c->bundle.config, "process") };
}

/* The journal's events of the container begin here. */
static int write_down (struct creation *c, struct error *err)
{
  const struct audit_request asked = request_of (c);
  struct call *call = c->call;
  struct audit audit = { 0 };
  int r = call_audit (call, &audit, err);

  if (r == 0)
    r = audit_met (&audit, &asked, &c->policy, &c->changes, c->text, err);
  if (r == 0) {
    call->record.run = strdup (audit.log.run);
    r = call->record.run ? 0 : error_oom (err);
  }
  c->told = r == 0;
  call_audit_end (call, &audit);
  return r;
}

static int write_config (const struct creation *c, struct error *err)
{
  return file_write_passing (AT_FDCWD, c->bundle.config_path, c->text, strlen (c->text), c->bundle.mode, err);
}

static int remember (struct creation *c, struct error *err)
{
  struct call *call = c->call;
  const char *asked = call->command->pid_file.text, *runtime_dir = getenv ("XDG_RUNTIME_DIR");
  cleanup_free char *directory = record_directory (call->state, call->command), *cwd = NULL;

  call->record.bundle = strdup (c->bundle.directory);
  call->record.proof = handover_shares_kernel (call->record.runtime);
  if (!call->record.proof)
    log_write (call->command, LOG_LEVEL_WARNING,
               "tyrum: the low-level runtime has a kernel of its own, so the posture is not proven");
  call->record.no_network = c->policy.settings.values[SETTING_NETWORK_MODE].level == NETWORK_NONE;
  if (asked == NULL) {
    c->own_pid = directory ? str_format ("%s/pid", directory) : NULL;
    asked = c->own_pid ? c->own_pid : "/";
  }
  if (asked[0] == '/')
    call->record.pid_file = strdup (asked);
  else if ((cwd = getcwd (NULL, 0)) != NULL)
    call->record.pid_file = str_format ("%s/%s", cwd, asked);
  if (call->command->root.text == NULL)
    call->record.runtime_dir = strdup (runtime_dir ? runtime_dir : "");
  if (call->record.bundle == NULL || call->record.pid_file == NULL
      || (call->command->root.text == NULL && call->record.runtime_dir == NULL))
    return error_oom (err);
  call->record.maker = (uint32_t) getpid ();
  if (!process_start (getpid (), &call->record.maker_start))
    return error_set (err, -ESRCH, "find out when this process was started");
  return record_write (call->state, call->command, &call->record, err);
}

/* The same arguments, with our own pid file if there was none. */
static char **argv_of (const struct creation *c)
{
  const struct command *command = c->call->command;
  char **argv = calloc (command->count + 3, sizeof (*argv));
  size_t head = command->verb_at + 1;
  const char *flag = "--pid-file";

  if (argv == NULL)
    return NULL;
  memcpy (argv, command->argv, head * sizeof (*argv));
  if (c->own_pid != NULL) {
    memcpy (&argv[head], &flag, sizeof (flag));
    argv[head + 1] = c->own_pid;
  }
  memcpy (argv + head + (c->own_pid ? 2 : 0), command->argv + head, (command->count - head) * sizeof (*argv));
  return argv;
}

static int stage_and_exec (const struct creation *c, struct error *err)
{
  struct call *call = c->call;
  cleanup_free char *directory = record_directory (call->state, call->command);
  cleanup_free char *stage_directory = directory ? str_format ("%s/stage", directory) : NULL;
  cleanup_free char *rendezvous = directory ? str_format ("%s/rendezvous", directory) : NULL;
  cleanup_free char *plan = directory ? str_format ("%s/" CONTAINER_PLAN, directory) : NULL;
  cleanup_free char *init = call->record.proof ? handover_init (err) : NULL;
  cleanup_free char **argv = argv_of (c);
  const struct container_stage stage = { .policy = &c->policy,
                                         .config = c->bundle.config,
                                         .bundle = c->bundle.directory,
                                         .config_path = c->bundle.config_path,
                                         .directory = stage_directory,
                                         .plan = plan,
                                         .rendezvous = rendezvous,
                                         .init = init };
  int r;

  if (stage_directory == NULL || rendezvous == NULL || plan == NULL || argv == NULL
      || (call->record.proof && init == NULL))
    return error_oom (err);
  r = container_stage_build (&stage, err);
  if (r == 0)
    r = stdio_replace_null (err);
  return r < 0 ? r : handover_exec (call->record.runtime, argv, err);
}

/* Removes what an earlier attempt left, which the engine has given up. A container that exists keeps its
 * record: call_take fails then. run has taken the directory already. */
static int make_room (struct call *call, struct error *err)
{
  int r = call->lock < 0 ? call_take (call, err) : 0;

  if (r < 0)
    return r;
  if (call->known) {
    cleanup_free char *key = record_key (call->command);

    record_give_slot (call->state, key, call->record.slot);
  }
  record_clear (&call->record);
  call->known = false;
  sweep_containers (call->state, SWEEP_MOST, call_lost, call);
  return 0;
}

/* On create, standard error is the container's: the only stream that an engine's user sees when all goes
 * well. Its reader may be gone. */
static void show_changes (const struct creation *c)
{
  const struct spec_changes *changes = &c->changes;
  void (*before) (int);

  if (!c->policy.configuration->engines_show_changes)
    return;
  before = signal (SIGPIPE, SIG_IGN);
  for (size_t i = 0; i < changes->count; i++)
    if (dprintf (STDERR_FILENO, "tyrum: %s: %s\n", control_info (changes->items[i].control)->name,
                 changes->items[i].what)
        < 0)
      break;
  signal (SIGPIPE, before);
}

static void warn_of_notify (const struct call *call)
{
  if (getenv ("NOTIFY_SOCKET") != NULL)
    log_write (call->command, LOG_LEVEL_WARNING,
               "tyrum: NOTIFY_SOCKET of the engine is not passed into the container; let the engine report "
               "that it is ready (podman run --sdnotify=conmon)");
}

static int create (struct creation *c, struct error *err)
{
  /* Before anything asks where it lies. */
  int r = chroot_settle (err);

  if (r == 0)
    r = take_ids (c, err);
  if (r == 0)
    r = meet (c, err);
  if (r == 0)
    r = write_down (c, err);
  if (r == 0)
    r = write_config (c, err);
  if (r == 0)
    r = remember (c, err);
  if (r == 0) {
    warn_of_notify (c->call);
    show_changes (c);
  }
  return r < 0 ? r : stage_and_exec (c, err);
}

int verb_create (struct call *call, struct error *err)
{
  cleanup_creation struct creation c = { .call = call };
  int r = make_room (call, err);

  if (r < 0)
    return r;
  r = check_descriptors (call->command, err);
  if (r == 0)
    r = bundle_read (call->command, &c.bundle, err);
  if (r == 0)
    r = stdio_check (err);
  if (r == 0)
    r = choose_policy (&c, err);
  if (r == 0)
    r = create (&c, err);
  if (c.bundle.config != NULL) {
    const struct audit_request asked = request_of (&c);

    call_refuse (call, c.told ? NULL : &asked, NULL, err);
  }
  call_drop (call);
  return r;
}
