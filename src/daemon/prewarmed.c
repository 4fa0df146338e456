/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "daemon-prewarmed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "cli-verbs.h"
#include "options-session.h"
#include "plan-prewarmed.h"
#include "session-paths.h"
#include "supervisor-prewarmed.h"
#include "toolrunner-run-step.h"

/* How long to wait for an engine to remove what an earlier run has left there. */
#define LEFT_ENGINE_MS 1000u

/* Options that a sandbox is made with. */
static const enum option making[] = { OPTION_PROFILE, OPTION_BACKEND, OPTION_RUNTIME, OPTION_ROOTFS,
                                      OPTION_IMAGE,   OPTION_LIMIT,   OPTION_ACCEPT };
/* Options that can still be applied to an existing sandbox, or do not concern it. */
static const enum option telling[] = { OPTION_WORKSPACE,  OPTION_CWD,     OPTION_ENV,
                                       OPTION_TIMEOUT,    OPTION_RESULT,  OPTION_JSON,
                                       OPTION_TRACE_TIME, OPTION_HOME,    OPTION_DB,
                                       OPTION_MIGRATIONS, OPTION_PAYLOAD, OPTION_WITH_PARENT,
                                       OPTION_GRACE,      OPTION_EVENTS };

struct prewarmed {
  struct session_process *process;
  struct strlist template;
  struct context context;
  struct plan *plan;
  char *init, *helper;
  char id[RUN_ID_SIZE];
  struct run_prewarmed *sandbox;
  bool offered; /* a run that takes it over also removes it */
};

static bool is_among (enum option option, const enum option *list, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (list[i] == option)
      return true;
  return false;
}

static int add_option (struct strlist *template, enum option option, const char *value)
{
  cleanup_free char *word = str_format ("--%s=%s", option_info (option)->name, value);

  return word ? strlist_add (template, word) : -ENOMEM;
}

static bool can_be_prewarmed (const struct arguments *arguments)
{
  for (enum option o = 0; o < OPTION_COUNT; o++)
    if (arguments->values[o].count > 0 && !is_among (o, telling, ARRAY_LEN (telling))
        && !is_among (o, making, ARRAY_LEN (making)))
      return false;
  return true;
}

static int write_template (const struct session_request *request, struct strlist *template)
{
  const struct {
    enum option option;
    const char *value;
  } rows[] = {
    { OPTION_PROFILE, request->profile }, { OPTION_BACKEND, request->backend },
    { OPTION_RUNTIME, request->runtime }, { OPTION_ROOTFS, request->rootfs },
    { OPTION_IMAGE, request->image },
  };
  int r = 0;

  for (size_t i = 0; r == 0 && i < ARRAY_LEN (rows); i++)
    r = rows[i].value ? add_option (template, rows[i].option, rows[i].value) : 0;
  for (size_t i = 0; r == 0 && i < request->limits->count; i++)
    r = add_option (template, OPTION_LIMIT, request->limits->items[i]);
  for (size_t i = 0; r == 0 && i < request->accepted->count; i++)
    r = add_option (template, OPTION_ACCEPT, request->accepted->items[i]);
  return r;
}

/* The owner of the workspace, for a caller in DIRECTORY. The result only saves time later, and the daemon
 * must not block: a file system that is not cached or would have to be synced is left alone. */
static void find_owner (const struct arguments *arguments, int directory, struct prewarmed_owner *ret_owner)
{
  const char *workspace = arguments_text (arguments, OPTION_WORKSPACE);
  struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED };
  cleanup_close int fd =
      (int) syscall (SYS_openat2, directory, workspace ? workspace : ".", &how, sizeof (how));
  struct statx st;

  if (fd >= 0
      && statx (fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_UID | STATX_GID, &st)
             == 0)
    *ret_owner = (struct prewarmed_owner){ st.stx_uid, st.stx_gid };
}

bool prewarmed_template (char *const *argv, int directory, const struct configuration *configuration,
                         struct strlist *ret_template, char **ret_profile, struct prewarmed_owner *ret_owner)
{
  cleanup_arguments struct arguments arguments = { 0 };
  cleanup_strlist struct strlist template = { 0 };
  cleanup_error struct error ignored = { 0 };
  bool step = argv[0] != NULL && strcmp (argv[0], verb_toolrunner.path) == 0;
  const struct verb *verb = step ? &verb_toolrunner : &verb_run;
  struct session_request request;

  if (argv[0] == NULL || strcmp (argv[0], verb->path) != 0
      || arguments_parse (argv + 1, verb->options, verb->command, &arguments, &ignored) < 0
      || !can_be_prewarmed (&arguments) || (step && configuration->toolrunner_mode != TOOLRUNNER_COMMAND))
    return false;
  request = request_of_arguments (&arguments, verb->path);
  /* Steps get configured values for options that are not given. */
  if (step)
    toolrunner_complete (&request, configuration);
  *ret_profile = strdup (session_request_profile (&request));
  if (*ret_profile == NULL || write_template (&request, &template) < 0)
    return false;
  find_owner (&arguments, directory, ret_owner);
  *ret_template = template;
  template = (struct strlist){ 0 };
  return true;
}

/* The plan of a run with this template now. Planning needs a workspace that exists: a temporary one, removed
 * afterwards. */
static int make_plan (struct session_process *process, const struct strlist *template,
                      struct context *context, struct plan **ret_plan, struct error *err)
{
  cleanup_arguments struct arguments arguments = { 0 };
  char directory[] = "/tmp/tyrum-oci-XXXXXX";
  cleanup_free char **line = calloc (template->count + 1, sizeof (*line));
  struct session_request request;
  int r;

  if (line == NULL)
    return error_oom (err);
  for (size_t i = 0; i < template->count; i++)
    line[i] = template->items[i];
  r = arguments_parse (line, verb_run.options, true, &arguments, err);
  if (r == 0 && strlist_add (&arguments.operands, "true") < 0)
    r = error_oom (err);
  if (r < 0)
    return r;
  if (mkdtemp (directory) == NULL)
    return error_set_errno (err, errno, "make a directory in '/tmp'");
  request = request_of_arguments (&arguments, verb_run.path);
  request.workspace = directory;
  request.process = process;
  r = context_open (context, &request, err);
  if (r == 0)
    r = context_plan (context, ret_plan, err);
  rmdir (directory);
  return r;
}

static void prewarmed_free (struct prewarmed *prewarmed)
{
  strlist_clear (&prewarmed->template);
  plan_free (prewarmed->plan);
  context_clear (&prewarmed->context);
  free (prewarmed->init);
  free (prewarmed->helper);
  free (prewarmed);
}

static int check (const struct plan *plan, struct error *err)
{
  const char *why = plan_why_not_prewarmed (plan);

  return why ? error_set (err, -EOPNOTSUPP, "profile '%s' cannot have prewarmed sandboxes: %s",
                          plan->profile_name, why)
             : 0;
}

static int make (struct prewarmed *prewarmed, const struct prewarmed_owner *owner, struct error *err)
{
  struct run_options options = {
    .helper_main = prewarmed->process->helper, .in = -1, .out = -1, .err = -1, .id = prewarmed->id
  };
  struct error left = { 0 };
  unsigned finished;
  int r = make_plan (prewarmed->process, &prewarmed->template, &prewarmed->context, &prewarmed->plan, err);

  if (r == 0)
    r = check (prewarmed->plan, err);
  if (r == 0)
    r = run_id_make (prewarmed->id, err);
  prewarmed->init = paths_program ("tyrum-oci-init");
  prewarmed->helper = paths_program ("tyrum-oci-libcrun-helper");
  if (r == 0 && (prewarmed->init == NULL || prewarmed->helper == NULL))
    r = error_oom (err);
  if (r < 0)
    return r;
  if (run_gc (prewarmed->context.host, LEFT_ENGINE_MS, &finished, &left) < 0)
    error_clear (&left);
  options.host = prewarmed->context.host;
  options.plan = prewarmed->plan;
  options.init = prewarmed->init;
  options.helper_path = prewarmed->helper;
  options.cache = prewarmed->context.host->storage_dir;
  return run_prewarm (&options, owner->uid, owner->gid, &prewarmed->sandbox, err);
}

int prewarmed_make (struct session_process *process, const struct strlist *template,
                    const struct prewarmed_owner *owner, struct prewarmed **ret_prewarmed, struct error *err)
{
  struct prewarmed *prewarmed = calloc (1, sizeof (*prewarmed));
  int r = prewarmed && strlist_copy (template, &prewarmed->template) == 0 ? 0 : error_oom (err);

  if (r == 0) {
    prewarmed->process = process;
    r = make (prewarmed, owner, err);
  }
  if (r < 0) {
    if (prewarmed != NULL)
      prewarmed_free (prewarmed);
    return r;
  }
  *ret_prewarmed = prewarmed;
  return 0;
}

void prewarmed_rehearse (struct session_process *process, const char *profile)
{
  cleanup_context struct context context = { 0 };
  cleanup_strlist struct strlist template = { 0 };
  cleanup_plan struct plan *plan = NULL;
  cleanup_error struct error ignored = { 0 };

  seccomp_lists_keep ();
  filters_keep ();
  if (add_option (&template, OPTION_PROFILE, profile) == 0)
    (void) make_plan (process, &template, &context, &plan, &ignored);
}

bool prewarmed_is_current (struct prewarmed *prewarmed)
{
  cleanup_context struct context context = { 0 };
  cleanup_plan struct plan *plan = NULL;
  cleanup_error struct error ignored = { 0 };

  return make_plan (prewarmed->process, &prewarmed->template, &context, &plan, &ignored) == 0
         && run_prewarmed_serves (prewarmed->sandbox, plan);
}

int prewarmed_signals (const struct prewarmed *prewarmed)
{
  return run_prewarmed_signals (prewarmed->sandbox);
}

void prewarmed_offer (struct prewarmed *prewarmed)
{
  prewarmed->process->prewarmed = prewarmed->sandbox;
  prewarmed->offered = true;
}

void prewarmed_discard (struct prewarmed *prewarmed)
{
  cleanup_error struct error ignored = { 0 };

  if (prewarmed->sandbox != NULL
      && (prewarmed->process->prewarmed == prewarmed->sandbox || !prewarmed->offered))
    run_discard (prewarmed->sandbox, &ignored);
  prewarmed->process->prewarmed = NULL;
  prewarmed_free (prewarmed);
}
