/* create: the bundle's config.json is met, remembered, staged, and handed over. */
#include <config.h>

#include "runtime-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-number.h"
#include "runtime-handover.h"
#include "runtime-log.h"
#include "runtime-policy.h"
#include "runtime-stage.h"

struct creation {
  struct call *call;
  struct policy policy;
  struct json_node *config;
  char *bundle;      /* absolute */
  char *config_path; /* absolute */
  mode_t mode;       /* of that file */
  char *own_pid;     /* where the pid is written if the engine does not ask for it */
};

static void creation_clear (struct creation *c)
{
  policy_clear (&c->policy);
  json_free (c->config);
  free (c->bundle);
  free (c->config_path);
  free (c->own_pid);
}
#define cleanup_creation cleanup (creation_clear)

static int find_config (struct creation *c, struct error *err)
{
  const struct command *command = c->call->command;
  const char *name = command->config.text ? command->config.text : "config.json";
  const char *bundle = command->bundle.text ? command->bundle.text : ".";

  c->bundle = realpath (bundle, NULL);
  if (c->bundle == NULL)
    return error_set_errno (err, errno, "find the bundle '%s'", bundle);
  c->config_path = name[0] == '/' ? strdup (name) : str_format ("%s/%s", c->bundle, name);
  return c->config_path ? 0 : error_oom (err);
}

static int read_config (struct creation *c, struct error *err)
{
  cleanup_free char *text = NULL;
  struct stat st;
  size_t len = 0;
  int r = find_config (c, err);

  if (r == 0)
    r = file_read (AT_FDCWD, c->config_path, LIMIT_SPEC_BYTES, &text, &len, err);
  if (r < 0)
    return r;
  c->mode = stat (c->config_path, &st) == 0 ? st.st_mode & 0777 : 0600;
  return spec_read ("config.json", text, len, &c->config, err);
}

/* Descriptors of the engine's would be open inside. */
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
  const char *annotated = spec_annotation (c->config, SPEC_ANNOTATION_PROFILE);
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

  if (!policy_needs_ids (&c->policy, c->config))
    return 0;
  r = record_take_slot (call->state, call->command, policy_slots (&c->policy), &call->record.slot, err);
  if (r == 0)
    policy_use_slot (&c->policy, call->record.slot - 1);
  return r;
}

static int meet (struct creation *c, struct error *err)
{
  cleanup_spec_changes struct spec_changes changes = { 0 };
  cleanup_strlist struct strlist sources = { 0 };
  int r = spec_sources (c->config, &sources, err);

  for (size_t i = 0; r == 0 && i < sources.count; i++)
    r = host_look_path (c->policy.host, sources.items[i], err);
  if (r == 0)
    r = spec_meet (c->config, &c->policy.spec, &changes, err);
  if (r < 0)
    return r;
  call_log_changes (c->call, &changes);
  return 0;
}

static int write_config (const struct creation *c, struct error *err)
{
  cleanup_free char *text = NULL;
  int r = spec_write (c->config, &text, err);

  return r < 0 ? r : file_write_atomic (AT_FDCWD, c->config_path, text, strlen (text), c->mode, err);
}

static int remember (struct creation *c, struct error *err)
{
  struct call *call = c->call;
  const char *asked = call->command->pid_file.text;
  cleanup_free char *folder = record_folder (call->state, call->command), *cwd = NULL;

  call->record.bundle = strdup (c->bundle);
  call->record.proof = handover_shares_kernel (call->record.runtime);
  if (!call->record.proof)
    log_say (call->command, LOG_LEVEL_WARNING,
             "tyrum: the low-level runtime has a kernel of its own, so the posture is not proven");
  call->record.no_network = c->policy.settings.values[SETTING_NETWORK_MODE].level == NETWORK_NONE;
  if (asked == NULL) {
    c->own_pid = folder ? str_format ("%s/pid", folder) : NULL;
    asked = c->own_pid ? c->own_pid : "/";
  }
  if (asked[0] == '/')
    call->record.pid_file = strdup (asked);
  else if ((cwd = getcwd (NULL, 0)) != NULL)
    call->record.pid_file = str_format ("%s/%s", cwd, asked);
  if (call->record.bundle == NULL || call->record.pid_file == NULL)
    return error_oom (err);
  return record_write (call->state, call->command, &call->record, err);
}

/* The same words, with a pid file of ours if there was none. */
static char **words_of (const struct creation *c)
{
  const struct command *command = c->call->command;
  char **words = calloc (command->count + 3, sizeof (*words));
  size_t head = command->verb_at + 1;
  const char *flag = "--pid-file";

  if (words == NULL)
    return NULL;
  memcpy (words, command->words, head * sizeof (*words));
  if (c->own_pid != NULL) {
    memcpy (&words[head], &flag, sizeof (flag));
    words[head + 1] = c->own_pid;
  }
  memcpy (words + head + (c->own_pid ? 2 : 0), command->words + head,
          (command->count - head) * sizeof (*words));
  return words;
}

static int stage_and_exec (const struct creation *c, struct error *err)
{
  struct call *call = c->call;
  cleanup_free char *folder = record_folder (call->state, call->command);
  cleanup_free char *stage_folder = folder ? str_format ("%s/stage", folder) : NULL;
  cleanup_free char *door = folder ? str_format ("%s/door", folder) : NULL;
  cleanup_free char *init = call->record.proof ? handover_init (err) : NULL;
  cleanup_free char **words = words_of (c);
  const struct container_stage stage = { .policy = &c->policy,
                                         .config = c->config,
                                         .bundle = c->bundle,
                                         .config_path = c->config_path,
                                         .folder = stage_folder,
                                         .door = door,
                                         .init = init };
  int r;

  if (stage_folder == NULL || door == NULL || words == NULL || (call->record.proof && init == NULL))
    return error_oom (err);
  r = container_stage_build (&stage, err);
  return r < 0 ? r : handover_exec (call->record.runtime, words, err);
}

int verb_create (struct call *call, struct error *err)
{
  cleanup_creation struct creation c = { .call = call };
  bool made = false;
  int r;

  if (call->command->id == NULL)
    return error_set (err, -EINVAL, "no id for the container");
  /* What an earlier attempt left: the engine has given that one up. */
  record_clear (&call->record);
  record_sweep (call->state);
  r = check_descriptors (call->command, err);
  if (r == 0)
    r = read_config (&c, err);
  if (r == 0)
    r = choose_policy (&c, err);
  if (r == 0) {
    r = record_make (call->state, call->command, err);
    made = r == 0;
  }
  if (r == 0)
    r = take_ids (&c, err);
  if (r == 0)
    r = meet (&c, err);
  if (r == 0)
    r = write_config (&c, err);
  if (r == 0)
    r = remember (&c, err);
  if (r == 0)
    r = stage_and_exec (&c, err);
  if (made) {
    record_give_slot (call->state, call->record.slot);
    record_remove (call->state, call->command);
  }
  return r;
}
