/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "denial-outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "denial-infer-internal.h"

/* How many lines at the end of standard error are read. */
#define LAST_LINES 24

void infer_add (struct infer *infer, enum control control, int errnum, enum denial_confidence confidence,
                char *what, char *rule, char *allow)
{
  struct denial denial = { .control = control,
                           .confidence = confidence,
                           .what = what,
                           .errnum = errnum,
                           .count = 1,
                           .rule = rule,
                           .allow = allow };

  if (what == NULL || denials_are_full (infer->denials)
      || denials_find (infer->denials, control, what, NULL) != NULL)
    denial_clear (&denial);
  else
    denials_add (infer->denials, &denial);
}

char *infer_origin (const struct infer *infer, enum setting setting)
{
  return origin_text (&infer->plan->settings.values[setting].origin);
}

/* How to raise a limit: where it was set. NULL when memory ran out. */
static char *raise_text (const struct infer *infer, enum setting setting, const char *more)
{
  const struct value *value = &infer->plan->settings.values[setting];
  bool asked = value->origin.file != NULL && value->origin.line == 0 && !value->origin.trusted;
  cleanup_free char *text = value_text (setting, value);

  if (text == NULL)
    return NULL;
  return str_format ("raise %s, which is %s, %s%s", setting_info (setting)->key, text,
                     asked ? "on the command line, as far as the profile allows" : "in a profile of your own",
                     more);
}

/* Adds what the kernel counted, or what the supervisor did itself. */
static void add_observed (struct infer *infer, enum setting setting, enum denial_effect effect, int errnum,
                          uint64_t count, char *what)
{
  struct denial denial = { .control = control_of_setting (setting),
                           .effect = effect,
                           .what = what,
                           .errnum = errnum,
                           .count = count,
                           .aside = effect == EFFECT_CUT || effect == EFFECT_SLOWED,
                           .rule = infer_origin (infer, setting) };

  denial.allow = raise_text (infer, setting,
                             setting == SETTING_OUTPUT && effect == EFFECT_ENDED
                                 ? ", or have a profile set limits.output_action to \"cut\""
                                 : "");
  denials_add (infer->denials, &denial);
}

/* The kernel's oom_kill counter also includes kills because the whole host was out of memory. */
static bool was_near_limit (const struct outcome *outcome)
{
  uint64_t limit = outcome->plan->memory;

  return limit > 0 && outcome->memory_peak >= limit - limit / 10;
}

static void explain_counters (struct infer *infer)
{
  const struct outcome *o = infer->outcome;

  if (!o->counted)
    return;
  if (o->oom_kills > 0 && was_near_limit (o))
    add_observed (infer, SETTING_MEMORY, EFFECT_ENDED, 0, o->oom_kills,
                  strdup ("out of memory: the kernel ended a process"));
  if (o->pids_denied > 0 && infer->plan->pids > 0)
    add_observed (infer, SETTING_PIDS, EFFECT_DENIED, EAGAIN, o->pids_denied,
                  strdup ("one process or thread too many"));
  if (o->throttled > 0 && infer->plan->cpu_quota > 0)
    add_observed (infer, SETTING_CPUS, EFFECT_SLOWED, 0, o->throttled,
                  strdup ("processor time used up for a period"));
}

static void explain_supervisor (struct infer *infer)
{
  const struct outcome *o = infer->outcome;

  if (o->deadline)
    add_observed (infer, SETTING_WALL, EFFECT_ENDED, 0, 1, strdup ("the run took too long"));
  if (o->idle)
    add_observed (infer, SETTING_IDLE, EFFECT_ENDED, 0, 1, strdup ("no input and no output for too long"));
  if (o->pauses > 0)
    add_observed (infer, SETTING_OUTPUT_RATE, EFFECT_SLOWED, 0, o->pauses,
                  strdup ("output faster than its rate waited"));
  /* Only one stream is the cause; the other may have passed its cap while the run was ending. */
  if (o->out_dropped > 0)
    add_observed (infer, SETTING_OUTPUT, o->output_ended ? EFFECT_ENDED : EFFECT_CUT, 0, 1,
                  str_format ("standard output beyond the cap: %" PRIu64 " bytes dropped", o->out_dropped));
  if (o->err_dropped > 0)
    add_observed (infer, SETTING_OUTPUT, o->output_ended && o->out_dropped == 0 ? EFFECT_ENDED : EFFECT_CUT,
                  0, 1,
                  str_format ("standard error beyond the cap: %" PRIu64 " bytes dropped", o->err_dropped));
}

/* What a phrase in a program's message means. */
enum meaning {
  MEANS_READ_ONLY,
  MEANS_NO_SPACE,
  MEANS_ABSENT,
  MEANS_FORBIDDEN,
  MEANS_FILES,
  MEANS_NO_CALL,
  MEANS_NOT_PERMITTED,
  MEANS_NO_NAME,
  MEANS_NO_PEER,
  MEANS_UNREACHABLE,
  MEANS_NOT_ROOT,
  MEANS_NO_PRIVILEGES,
  MEANS_UNCLEAR, /* a control may be the cause, but the plan does not show which */
};

/* Matched without case. */
static const struct {
  const char *text;
  enum meaning meaning;
} phrases[] = {
  { "read-only file system", MEANS_READ_ONLY },
  { "EROFS", MEANS_READ_ONLY },
  { "no space left on device", MEANS_NO_SPACE },
  { "ENOSPC", MEANS_NO_SPACE },
  { "wrote only", MEANS_NO_SPACE },
  { "no such file", MEANS_ABSENT },
  { "ENOENT", MEANS_ABSENT },
  { ": not found", MEANS_ABSENT },
  { "cannot find module", MEANS_ABSENT },
  { "can't cd to", MEANS_ABSENT },
  { "permission denied", MEANS_FORBIDDEN },
  { "EACCES", MEANS_FORBIDDEN },
  { "too many open files", MEANS_FILES },
  { "EMFILE", MEANS_FILES },
  { "function not implemented", MEANS_NO_CALL },
  { "ENOSYS", MEANS_NO_CALL },
  { "operation not permitted", MEANS_NOT_PERMITTED },
  { "EPERM", MEANS_NOT_PERMITTED },
  { "temporary failure in name resolution", MEANS_NO_NAME },
  { "temporary failure resolving", MEANS_NO_NAME },
  { "could not resolve host", MEANS_NO_NAME },
  { "unable to resolve host", MEANS_NO_NAME },
  { "could not translate host name", MEANS_NO_NAME },
  { "EAI_AGAIN", MEANS_NO_NAME },
  { "dial tcp: lookup", MEANS_NO_NAME },
  { "unknownhostexception", MEANS_NO_NAME },
  { "failed to connect to", MEANS_NO_PEER },
  { "network is unreachable", MEANS_UNREACHABLE },
  { "ENETUNREACH", MEANS_UNREACHABLE },
  { "are you root", MEANS_NOT_ROOT },
  { "must be root", MEANS_NOT_ROOT },
  { "run as root", MEANS_NOT_ROOT },
  { "must be superuser", MEANS_NOT_ROOT },
  { "requires root", MEANS_NOT_ROOT },
  { "requires superuser", MEANS_NOT_ROOT },
  { "no new privileges", MEANS_NO_PRIVILEGES },
  { "name or service not known", MEANS_UNCLEAR },
  { "ENOTFOUND", MEANS_UNCLEAR },
  { "no route to host", MEANS_UNCLEAR },
  { "EHOSTUNREACH", MEANS_UNCLEAR },
  { "cannot assign requested address", MEANS_UNCLEAR },
  { "EADDRNOTAVAIL", MEANS_UNCLEAR },
  { "address family not supported", MEANS_UNCLEAR },
  { "EAFNOSUPPORT", MEANS_UNCLEAR },
  { "protocol not supported", MEANS_UNCLEAR },
  { "EPROTONOSUPPORT", MEANS_UNCLEAR },
  { "no such device", MEANS_UNCLEAR },
  { "ENODEV", MEANS_UNCLEAR },
  { "ENXIO", MEANS_UNCLEAR },
  { "command not found", MEANS_UNCLEAR },
  { "resource temporarily unavailable", MEANS_UNCLEAR },
  { "EAGAIN", MEANS_UNCLEAR },
  { "cannot allocate memory", MEANS_UNCLEAR },
  { "out of memory", MEANS_UNCLEAR },
  { "ENOMEM", MEANS_UNCLEAR },
  { "bad system call", MEANS_UNCLEAR },
  { "value too large for defined data type", MEANS_UNCLEAR }, /* an id that is not mapped */
  { "EOVERFLOW", MEANS_UNCLEAR },
};

static void infer_path (struct infer *infer, const char *path, enum meaning meaning, bool executing)
{
  if (meaning == MEANS_READ_ONLY)
    infer_read_only (infer, path);
  else if (meaning == MEANS_NO_SPACE)
    infer_no_space (infer, path);
  else if (meaning == MEANS_ABSENT)
    infer_absent (infer, path);
  else
    infer_forbidden (infer, path, executing);
}

/* Programs begin with their own name: "/bin/sh: 1: cannot create /usr/x: ...". If the phrase follows
 * directly, the path is what the message is about. */
static const char *skip_program_name (const char *line, const char *phrase)
{
  size_t len = strcspn (line, ": ");

  if (line[0] != '/' || line[len] != ':' || phrase - line <= (ptrdiff_t) len + 2)
    return line;
  return line + len + 1;
}

/* The first word in TEXT that is about executing a program; NULL: none. */
static const char *about_exec (const char *text)
{
  static const char *const words[] = { "exec", "spawn", "subprocess" };
  const char *found = NULL;

  for (size_t i = 0; i < ARRAY_LEN (words) && found == NULL; i++)
    found = strcasestr (text, words[i]);
  return found;
}

static bool is_executing (const struct infer *infer)
{
  return infer->outcome->code == 126 || about_exec (infer->outcome->tail) != NULL;
}

/* The message names no path that can be the cause. */
static void infer_unnamed (struct infer *infer, enum meaning meaning)
{
  const struct strlist *argv = &infer->plan->argv;
  bool relative;
  char *path;

  if (meaning == MEANS_READ_ONLY)
    infer_read_only (infer, NULL);
  else if (meaning == MEANS_NO_SPACE)
    infer_no_space (infer, NULL);
  /* Python reports only that an execution was forbidden; the program is named in the command's arguments. */
  for (size_t i = 0; meaning == MEANS_FORBIDDEN && i < argv->count; i++) {
    const char *at = about_exec (argv->items[i]);

    while (at != NULL && (path = message_next_path (&at, infer->plan->cwd, &relative)) != NULL) {
      infer_forbidden (infer, path, true);
      free (path);
    }
  }
}

/* Checks each path on LINE. A relative name may lie in a directory that the command changed to, or be no file
 * at all, so it counts only for some meanings. */
static void infer_paths (struct infer *infer, const char *line, const char *phrase, enum meaning meaning)
{
  bool executing = is_executing (infer);
  bool named = false, relative = false;
  char *path;

  line = skip_program_name (line, phrase);
  while ((path = message_next_path (&line, infer->plan->cwd, &relative)) != NULL) {
    if (!relative || meaning == MEANS_ABSENT || meaning == MEANS_FORBIDDEN) {
      named = true;
      infer_path (infer, path, meaning, executing);
    }
    if (relative && meaning == MEANS_FORBIDDEN && executing)
      infer_program (infer, strrchr (path, '/') + 1);
    free (path);
  }
  if (!named)
    infer_unnamed (infer, meaning);
}

/* The first system call on LINE that the filter denies with ERRNUM; NULL: none. */
static const char *named_call (const struct infer *infer, const char *line, int errnum)
{
  const struct filter *filter = infer->plan->filter;

  for (size_t i = 0; i < filter->rule_count; i++) {
    const struct filter_rule *rule = &filter->rules[i];

    for (size_t n = 0; !rule->allow && rule->errnum == errnum && n < rule->names.count; n++) {
      const char *name = rule->names.items[n];
      const char *at = strstr (line, name);
      const char *end = at ? at + strlen (name) : NULL;

      if (at != NULL && (at == line || strchr (" '\"`(:.", at[-1]) != NULL)
          && strchr (" '\"`(:,).", *end) != NULL)
        return name;
    }
  }
  return NULL;
}

static bool filter_holds (const struct infer *infer)
{
  const struct plan_control *state = &infer->plan->controls[CONTROL_SECCOMP];

  return state->promised && state->enforcement.level != ENFORCEMENT_IMPOSSIBLE;
}

/* The listener is not notified of calls that fail with ENOSYS. Current kernels have all calls that programs
 * use, so ENOSYS comes from the filter. */
static void infer_no_call (struct infer *infer, const char *line, int errnum)
{
  const struct filter *filter = infer->plan->filter;
  const char *name = named_call (infer, line, errnum);
  unsigned refused = name ? filter_line_of (filter, name) : 0;

  if (!filter_holds (infer) || (name == NULL && errnum != ENOSYS))
    return;
  infer_add (infer, CONTROL_SECCOMP, errnum, CONFIDENCE_INFERRED,
             name ? str_format ("syscall %s", name) : strdup ("a syscall that the list does not know"),
             refused > 0 ? str_format ("%s:%u", filter->file, refused) : strdup (filter->file),
             name ? str_format ("add '%s' to process.seccomp.allow in a profile of your own", name)
                  : strdup ("add the call to process.seccomp.allow in a profile of your own"));
}

static void infer_not_root (struct infer *infer)
{
  if (infer->plan->uid == 0)
    return;
  infer_add (infer, CONTROL_USER_NON_ROOT, 0, CONFIDENCE_INFERRED, strdup ("something that only root may do"),
             infer_origin (infer, SETTING_USER), strdup ("no profile but one of your own runs as root"));
}

static bool argv_contains (const struct infer *infer, const char *text)
{
  const struct strlist *argv = &infer->plan->argv;

  for (size_t i = 0; i < argv->count; i++)
    if (strstr (argv->items[i], text) != NULL)
      return true;
  return false;
}

static void infer_files (struct infer *infer, const char *line)
{
  cleanup_free char *value =
      value_text (SETTING_OPEN_FILES, &infer->plan->settings.values[SETTING_OPEN_FILES]);

  /* "... in system" is the host's own limit, and a command can set itself a lower one. */
  if (strcasestr (line, "open files in system") != NULL || argv_contains (infer, "limit")
      || argv_contains (infer, "LIMIT_NOFILE") || !infer->plan->controls[CONTROL_LIMITS_OPEN_FILES].promised
      || value == NULL)
    return;
  infer_add (infer, CONTROL_LIMITS_OPEN_FILES, EMFILE, CONFIDENCE_INFERRED, strdup ("one open file too many"),
             infer_origin (infer, SETTING_OPEN_FILES),
             str_format ("raise limits.open_files, which is %s, in a profile of your own", value));
}

static void infer_privileges (struct infer *infer)
{
  if (infer->plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag)
    infer_add (infer, CONTROL_NO_NEW_PRIVILEGES, 0, CONFIDENCE_INFERRED,
               strdup ("a setuid program, which gives nothing here"),
               infer_origin (infer, SETTING_NO_NEW_PRIVILEGES), strdup ("no shipped profile does"));
}

static void infer_phrase (struct infer *infer, const char *line, const char *found, size_t len,
                          enum meaning meaning)
{
  switch (meaning) {
  case MEANS_READ_ONLY:
  case MEANS_NO_SPACE:
  case MEANS_ABSENT:
  case MEANS_FORBIDDEN:
    infer_paths (infer, line, found, meaning);
    if (meaning == MEANS_FORBIDDEN && is_executing (infer))
      infer_program_before (infer, line, found);
    break;
  case MEANS_FILES: infer_files (infer, line); break;
  case MEANS_NO_CALL: infer_no_call (infer, line, ENOSYS); break;
  case MEANS_NOT_PERMITTED:
    /* With a listener it is recorded already. */
    if (!infer->outcome->listened)
      infer_no_call (infer, line, EPERM);
    break;
  case MEANS_NO_NAME: infer_lookup (infer, line, found + len, found); break;
  case MEANS_NO_PEER: infer_no_peer (infer, found + len); break;
  case MEANS_UNREACHABLE: infer_unreachable (infer); break;
  case MEANS_NOT_ROOT: infer_not_root (infer); break;
  case MEANS_NO_PRIVILEGES: infer_privileges (infer); break;
  case MEANS_UNCLEAR: break;
  }
}

static void infer_line (struct infer *infer, const char *line)
{
  for (size_t i = 0; i < ARRAY_LEN (phrases); i++) {
    const char *found = strcasestr (line, phrases[i].text);

    if (found == NULL)
      continue;
    infer->suspicious = true;
    infer_phrase (infer, line, found, strlen (phrases[i].text), phrases[i].meaning);
  }
}

static const char *last_lines (const char *tail)
{
  const char *at = tail + strlen (tail);
  unsigned lines = 0;

  while (at > tail) {
    at--;
    if (*at == '\n' && at[1] != '\n' && at[1] != '\0' && ++lines == LAST_LINES)
      return at + 1;
  }
  return tail;
}

static void infer_messages (struct infer *infer)
{
  for (const char *at = last_lines (infer->outcome->tail); *at != '\0';) {
    size_t len = strcspn (at, "\r\n");
    cleanup_free char *raw = strndup (at, len);
    cleanup_free char *line = raw ? denial_clean (raw, len) : NULL;

    if (line != NULL) {
      message_straighten (line);
      infer_line (infer, line);
    }
    at += len + (at[len] != '\0');
  }
}

/* Init reported why the command could not be executed. */
static void explain_exec (struct infer *infer)
{
  const char *name = infer->plan->argv.items[0];
  cleanup_free char *found = strchr (name, '/') == NULL ? infer_find_program (infer, name) : NULL;
  const char *program = found ? found : name;

  if (program[0] != '/')
    return;
  if (infer->outcome->exec_errno == EACCES)
    infer_forbidden (infer, program, true);
  else if (infer->outcome->exec_errno == ENOENT)
    infer_absent (infer, program);
}

/* The filter allows only the native architecture: a call for another one kills the thread with SIGSYS. */
static void explain_signal (struct infer *infer)
{
  const struct filter *filter = infer->plan->filter;

  if (infer->outcome->signal == SIGSYS && filter_holds (infer))
    infer_add (infer, CONTROL_SECCOMP, 0, CONFIDENCE_INFERRED,
               strdup ("a call by the interface of another architecture, such as 32-bit"),
               strdup (filter->file), strdup ("no profile can: use a program of this machine's own kind"));
}

/* Whether the command's arguments or messages contain the file name at the end of WHAT. */
static bool is_meant (const struct infer *infer, const char *what)
{
  const char *name = strrchr (what, '/') ? strrchr (what, '/') + 1 : what;

  return argv_contains (infer, name)
         || (infer->outcome->tail != NULL && strstr (infer->outcome->tail, name) != NULL);
}

/* Programs such as grep -r read everything, so an empty masked path usually has no effect. */
static void explain_empty (struct infer *infer)
{
  for (size_t i = 0; i < infer->denials->count; i++) {
    struct denial *denial = &infer->denials->items[i];

    if (denial->effect == EFFECT_EMPTY && is_meant (infer, denial->what)) {
      denial->aside = false;
      denial->told = 0;
    }
  }
}

bool outcome_explain (const struct outcome *outcome, struct denials *denials)
{
  struct infer infer = { .outcome = outcome, .plan = outcome->plan, .denials = denials };

  explain_counters (&infer);
  explain_supervisor (&infer);
  if (outcome->code == 0)
    return false;
  /* The kernel sends SIGKILL when memory runs out, and SIGSYS for the filter. */
  infer.suspicious = outcome->exec_errno != 0 || (outcome->signal == SIGKILL && !outcome->killed)
                     || outcome->signal == SIGSYS;
  if (outcome->exec_errno != 0)
    explain_exec (&infer);
  explain_signal (&infer);
  explain_empty (&infer);
  if (outcome->tail != NULL)
    infer_messages (&infer);
  return infer.suspicious;
}
