#include <config.h>

#include "cli-prewarmed.h"

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
#include "plan-prewarmed.h"
#include "render-oci.h"
#include "session-context.h"
#include "session-paths.h"
#include "supervisor-filter-cache.h"
#include "supervisor-prewarmed.h"
#include "toolrunner-run-step.h"

/* An engine that an earlier run has left something with is not waited for. */
#define LEFT_ENGINE_MS 1000u

/* What a sandbox is made by. */
static const enum option making[] = { OPTION_PROFILE, OPTION_BACKEND, OPTION_RUNTIME, OPTION_ROOTFS,
                                      OPTION_IMAGE,   OPTION_LIMIT,   OPTION_ACCEPT };
/* What can be told to one that stands, or is none of its business. */
static const enum option telling[] = { OPTION_WORKSPACE,  OPTION_CWD,     OPTION_ENV,
                                       OPTION_TIMEOUT,    OPTION_RESULT,  OPTION_JSON,
                                       OPTION_TRACE_TIME, OPTION_HOME,    OPTION_DB,
                                       OPTION_MIGRATIONS, OPTION_PAYLOAD, OPTION_WITH_PARENT };

struct prewarmed {
  struct strlist template;
  struct context context;
  char *init, *daemon;
  char id[RUN_ID_SIZE];
  struct run_prewarmed *sandbox;
  bool offered; /* who has taken it over has also taken it down */
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

static int write_template (const struct arguments *arguments, struct strlist *template)
{
  for (enum option o = 0; o < OPTION_COUNT; o++) {
    const struct strlist *values = &arguments->values[o];

    if (values->count == 0 || is_among (o, telling, ARRAY_LEN (telling)))
      continue;
    if (!is_among (o, making, ARRAY_LEN (making)))
      return -EOPNOTSUPP;
    for (size_t i = 0; i < values->count; i++)
      if (add_option (template, o, values->items[i]) < 0)
        return -ENOMEM;
  }
  return 0;
}

/* What the configuration says of ToolRunners, where the command line does not; a runner's own image is
 * another matter. */
static bool complete_step (struct arguments *arguments, const struct configuration *configuration)
{
  cleanup_error struct error ignored = { 0 };

  return configuration->toolrunner_mode == TOOLRUNNER_COMMAND
         && toolrunner_complete (arguments, configuration, &ignored) == 0;
}

/* Whose the workspace is that ARGUMENTS name, for a caller in DIRECTORY. It is a guess that saves time, made
 * where nobody may wait: a file system that does not answer, or has to be asked, is not. */
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
  const char *profile;

  if (argv[0] == NULL || strcmp (argv[0], verb->path) != 0
      || arguments_parse (argv + 1, verb->options, verb->command, &arguments, &ignored) < 0
      || (step && !complete_step (&arguments, configuration)) || write_template (&arguments, &template) < 0)
    return false;
  profile = arguments_text (&arguments, OPTION_PROFILE);
  *ret_profile = strdup (profile ? profile : "baseline");
  if (*ret_profile == NULL)
    return false;
  find_owner (&arguments, directory, ret_owner);
  *ret_template = template;
  template = (struct strlist){ 0 };
  return true;
}

/* The whole command line of a run by that template, in WORKSPACE. NULL-terminated; the texts stay where they
 * are. */
static char **whole_line (const struct strlist *template, char *workspace)
{
  static char option[] = "--workspace", end[] = "--", command[] = "true";
  char **line = calloc (template->count + 5, sizeof (*line));
  size_t count = 0;

  if (line == NULL)
    return NULL;
  for (size_t i = 0; i < template->count; i++)
    line[count++] = template->items[i];
  line[count++] = option;
  line[count++] = workspace;
  line[count++] = end;
  line[count++] = command;
  return line;
}

/* A plan as a run by the template would have it now. A workspace has to be there to be planned with; it is
 * gone again when the plan is made. */
static int make_plan (const struct strlist *template, struct context *context, struct plan **ret_plan,
                      struct error *err)
{
  cleanup_arguments struct arguments arguments = { 0 };
  char directory[] = "/tmp/tyrum-oci-XXXXXX";
  cleanup_free char **line = NULL;
  int r;

  if (mkdtemp (directory) == NULL)
    return error_set_errno (err, errno, "make a directory in '/tmp'");
  line = whole_line (template, directory);
  r = line ? arguments_parse (line, verb_run.options, true, &arguments, err) : error_oom (err);
  if (r == 0)
    r = context_open (context, &arguments, err);
  if (r == 0)
    r = context_plan (context, ret_plan, err);
  rmdir (directory);
  return r;
}

static void prewarmed_free (struct prewarmed *prewarmed)
{
  strlist_clear (&prewarmed->template);
  context_clear (&prewarmed->context);
  free (prewarmed->init);
  free (prewarmed->daemon);
  free (prewarmed);
}

static int check (const struct plan *plan, struct error *err)
{
  const char *why = plan_why_not_prewarmed (plan);

  return why ? error_set (err, -EOPNOTSUPP, "none can be held ready of profile '%s': %s", plan->profile_name,
                          why)
             : 0;
}

static int make (struct prewarmed *prewarmed, const struct prewarmed_owner *owner, struct error *err)
{
  cleanup_plan struct plan *plan = NULL;
  struct run_options options = {
    .launch = paths_helper (), .in = -1, .out = -1, .err = -1, .id = prewarmed->id
  };
  struct error left = { 0 };
  unsigned finished;
  int r = make_plan (&prewarmed->template, &prewarmed->context, &plan, err);

  if (r == 0)
    r = check (plan, err);
  if (r == 0)
    r = run_id_make (prewarmed->id, err);
  prewarmed->init = paths_program ("tyrum-oci-init");
  prewarmed->daemon = paths_program ("tyrum-oci-libcrun-helper");
  if (r == 0 && (prewarmed->init == NULL || prewarmed->daemon == NULL))
    r = error_oom (err);
  if (r < 0)
    return r;
  if (run_gc (prewarmed->context.host, LEFT_ENGINE_MS, &finished, &left) < 0)
    error_clear (&left);
  options.host = prewarmed->context.host;
  options.plan = take_ptr (plan);
  options.init = prewarmed->init;
  options.daemon = prewarmed->daemon;
  options.cache = prewarmed->context.host->storage_dir;
  return run_prewarm (&options, owner->uid, owner->gid, &prewarmed->sandbox, err);
}

int prewarmed_make (const struct strlist *template, const struct prewarmed_owner *owner,
                    struct prewarmed **ret_prewarmed, struct error *err)
{
  struct prewarmed *prewarmed = calloc (1, sizeof (*prewarmed));
  int r = prewarmed && strlist_copy (template, &prewarmed->template) == 0 ? 0 : error_oom (err);

  if (r == 0)
    r = make (prewarmed, owner, err);
  if (r < 0) {
    if (prewarmed != NULL)
      prewarmed_free (prewarmed);
    return r;
  }
  *ret_prewarmed = prewarmed;
  return 0;
}

void prewarmed_rehearse (const char *profile)
{
  cleanup_context struct context context = { 0 };
  cleanup_strlist struct strlist template = { 0 };
  cleanup_plan struct plan *plan = NULL;
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *document = NULL, *program = NULL;

  seccomp_lists_keep ();
  filters_keep ();
  if (add_option (&template, OPTION_PROFILE, profile) == 0
      && make_plan (&template, &context, &plan, &ignored) == 0)
    if (render_oci (plan, &document, &ignored) == 0 && plan->filter != NULL)
      (void) filter_cache_text (context.host->storage_dir, plan->filter, true, &program, &ignored);
}

bool prewarmed_is_current (struct prewarmed *prewarmed)
{
  cleanup_context struct context context = { 0 };
  cleanup_plan struct plan *plan = NULL;
  cleanup_error struct error ignored = { 0 };

  return make_plan (&prewarmed->template, &context, &plan, &ignored) == 0
         && run_prewarmed_serves (prewarmed->sandbox, plan);
}

int prewarmed_signals (const struct prewarmed *prewarmed)
{
  return run_prewarmed_signals (prewarmed->sandbox);
}

void prewarmed_offer (struct prewarmed *prewarmed)
{
  paths_set_prewarmed (prewarmed->sandbox);
  prewarmed->offered = true;
}

void prewarmed_discard (struct prewarmed *prewarmed)
{
  cleanup_error struct error ignored = { 0 };

  if (prewarmed->sandbox != NULL && (paths_prewarmed () == prewarmed->sandbox || !prewarmed->offered))
    run_discard (prewarmed->sandbox, &ignored);
  paths_set_prewarmed (NULL);
  prewarmed_free (prewarmed);
}
