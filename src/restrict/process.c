/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process object: who runs, with which privileges and limits. The same for the first process of a
 * container and for those that join it later. */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <string.h>

#include "base-path.h"
#include "control-lattice.h"

static int find_id (struct meet *m, struct json_node *user, const char *key, uint32_t *ret_id)
{
  bool there = false;
  int64_t id = 0;
  int r = restrict_find_number (m, user, key, &there, &id);

  if (r < 0)
    return r;
  if (id < 0 || id >= UINT32_MAX)
    return error_set (m->err, -EINVAL, "%s: %suser.%s is not an id", m->document, m->config ? "process." : "",
                      key);
  *ret_id = (uint32_t) id;
  return 0;
}

/* A process that has only its own group in addition has none in addition. */
static int restrict_groups (struct meet *m, struct json_node *user, uint32_t gid)
{
  struct json_node *groups = NULL;
  char own[16];
  size_t foreign = 0;
  int r = restrict_find (m, user, "additionalGids", JSON_ARRAY, &groups);

  if (r < 0 || groups == NULL)
    return r;
  r = restrict_items (m, groups, "additionalGids", JSON_NUMBER);
  if (r < 0)
    return r;
  snprintf (own, sizeof (own), "%" PRIu32, gid);
  for (size_t i = 0; i < groups->count; i++)
    foreign += strcmp (groups->items[i]->text, own) != 0;
  if (foreign == 0)
    return 0;
  json_remove (user, "additionalGids");
  restrict_note (m, CONTROL_USER_NON_ROOT, "%zu additional groups taken away", foreign);
  return 0;
}

static int refuse_user (struct meet *m, const struct value *asked, const struct value *own)
{
  return restrict_refuse (m, CONTROL_USER_NON_ROOT,
                          "the engine asks for user %u:%u, and profile '%s' has %u:%u; start it with --user "
                          "%u:%u, or without --user if the image has none",
                          asked->uid, asked->gid, m->policy->profile, own->uid, own->gid, own->uid, own->gid);
}

static int restrict_user (struct meet *m, struct json_node *process)
{
  const struct value *own = restrict_value (m, SETTING_USER);
  cleanup_value struct value met = { 0 };
  struct value asked = { .state = VALUE_SET };
  struct json_node *user = NULL;
  int r = restrict_make (m, process, "user", JSON_OBJECT, &user);

  if (r == 0)
    r = find_id (m, user, "uid", &asked.uid);
  if (r == 0)
    r = find_id (m, user, "gid", &asked.gid);
  if (r < 0)
    return r;
  /* Only root is replaced. --user 1000 comes with group 0, which the lattice would take for root. */
  if (asked.uid != 0 && own->uid != 0 && asked.uid != own->uid)
    return refuse_user (m, &asked, own);
  if (value_meet (SETTING_USER, &asked, own, &met) < 0)
    return error_oom (m->err);
  if (met.state == VALUE_CONFLICT)
    return refuse_user (m, &asked, own);
  if (met.uid != asked.uid || met.gid != asked.gid) {
    restrict_set (m, user, "uid", json_new_number (met.uid));
    restrict_set (m, user, "gid", json_new_number (met.gid));
    restrict_note (m, CONTROL_USER_NON_ROOT, "user %u:%u becomes %u:%u", asked.uid, asked.gid, met.uid,
                   met.gid);
  }
  return restrict_groups (m, user, met.gid);
}

/* Takes from one set what is not granted; *FIRST is the first name that went. */
static size_t reduce (struct json_node *set, const struct strlist *granted, char *first, size_t size)
{
  size_t taken = 0;

  for (size_t i = 0; i < set->count;) {
    const char *name = set->items[i]->text;

    if (strset_has (granted, name)) {
      i++;
      continue;
    }
    if (taken++ == 0)
      snprintf (first, size, "%s", name);
    json_remove_at (set, i);
  }
  return taken;
}

/* What an absent object means differs between runtimes; an empty one is clear. */
static int restrict_capabilities (struct meet *m, struct json_node *process)
{
  static const char *const sets[] = { "bounding", "effective", "permitted", "inheritable", "ambient" };
  const struct strlist *granted = &restrict_value (m, SETTING_CAPABILITIES)->set;
  struct json_node *object = NULL;
  int r = restrict_find (m, process, "capabilities", JSON_OBJECT, &object);
  bool absent = object == NULL;

  if (r == 0)
    r = restrict_make (m, process, "capabilities", JSON_OBJECT, &object);
  if (r == 0 && absent)
    restrict_note (m, CONTROL_CAPABILITIES, "all taken away, as the engine says nothing of them");
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (sets); i++) {
    struct json_node *set = NULL;
    char first[64] = "";
    size_t taken;

    r = restrict_make (m, object, sets[i], JSON_ARRAY, &set);
    if (r == 0)
      r = restrict_items (m, set, sets[i], JSON_STRING);
    if (r < 0)
      return r;
    taken = reduce (set, granted, first, sizeof (first));
    if (taken > 0)
      restrict_note (m, CONTROL_CAPABILITIES,
                     taken > 1 ? "%s and %zu more taken from the %s set" : "%s%.0zu taken from the %s set",
                     first, taken - 1, sets[i]);
  }
  return r;
}

static int restrict_no_new_privileges (struct meet *m, struct json_node *process)
{
  struct json_node *flag = NULL;
  int r = restrict_find (m, process, "noNewPrivileges", JSON_BOOL, &flag);

  if (r < 0 || !restrict_value (m, SETTING_NO_NEW_PRIVILEGES)->flag || (flag != NULL && flag->flag))
    return r;
  restrict_set (m, process, "noNewPrivileges", json_new_bool (true));
  restrict_note (m, CONTROL_NO_NEW_PRIVILEGES, "set");
  return 0;
}

static void set_rlimit (struct meet *m, struct json_node *limit, const char *name, uint64_t most)
{
  restrict_set (m, limit, "type", json_new_text (JSON_STRING, name));
  restrict_set (m, limit, "hard", json_new_number ((int64_t) most));
  restrict_set (m, limit, "soft", json_new_number ((int64_t) most));
}

/* Every entry for NAME, and one more if there is none. */
static int restrict_rlimit (struct meet *m, struct json_node *limits, const char *name, uint64_t most,
                            enum control control)
{
  bool found = false, changed = false;

  for (size_t i = 0; i < limits->count; i++) {
    struct json_node *limit = limits->items[i];
    const char *type = NULL;
    int64_t hard = INT64_MAX, soft = INT64_MAX;
    bool there;
    int r = restrict_find_text (m, limit, "type", &type);

    if (r == 0)
      r = restrict_find_number (m, limit, "hard", &there, &hard);
    if (r == 0)
      r = restrict_find_number (m, limit, "soft", &there, &soft);
    if (r < 0)
      return r;
    if (type == NULL || strcmp (type, name) != 0)
      continue;
    found = true;
    if (hard >= 0 && soft >= 0 && (uint64_t) hard <= most && (uint64_t) soft <= most)
      continue;
    set_rlimit (m, limit, name, most);
    changed = true;
  }
  if (!found) {
    struct json_node *limit = json_new (JSON_OBJECT);

    restrict_append (m, limits, limit);
    if (!m->failed)
      set_rlimit (m, limit, name, most);
  }
  if (!found || changed)
    restrict_note (m, control, "%s lowered to %" PRIu64, name, most);
  return 0;
}

/* A core dump is written by the host's own handler, outside of everything promised. */
static int restrict_rlimits (struct meet *m, struct json_node *process)
{
  const struct value *files = restrict_value (m, SETTING_OPEN_FILES);
  uint64_t hard = m->policy->host->open_files_hard;
  struct json_node *limits = NULL;
  int r = restrict_make (m, process, "rlimits", JSON_ARRAY, &limits);

  if (r == 0)
    r = restrict_items (m, limits, "rlimits", JSON_OBJECT);
  if (r == 0)
    r = restrict_rlimit (m, limits, "RLIMIT_CORE", 0, CONTROL_ISOLATION_TYPE);
  if (r == 0 && value_is_set (files))
    r = restrict_rlimit (m, limits, "RLIMIT_NOFILE", hard > 0 && hard < files->number ? hard : files->number,
                         CONTROL_LIMITS_OPEN_FILES);
  return r;
}

/* The engines' default profiles; ours denies all that these deny. */
static bool is_engine_default (const char *apparmor)
{
  return apparmor[0] == '\0' || strcmp (apparmor, "unconfined") == 0
         || strcmp (apparmor, "docker-default") == 0 || strcmp (apparmor, "crio-default") == 0
         || strcmp (apparmor, "cri-containerd.apparmor.d") == 0
         || str_has_prefix (apparmor, "containers-default-");
}

static int restrict_apparmor (struct meet *m, struct json_node *process)
{
  const struct host_facts *host = m->policy->host;
  const struct value *own = restrict_value (m, SETTING_APPARMOR);
  bool loaded = host->apparmor && value_is_set (own) && strset_has (&host->apparmor_profiles, own->text);
  const char *asked = NULL;
  int r = restrict_find_text (m, process, "apparmorProfile", &asked);

  if (r < 0 || !value_is_set (own) || (asked != NULL && strcmp (asked, own->text) == 0))
    return r;
  if (!loaded && control_is_required (CONTROL_APPARMOR, m->policy->settings))
    return restrict_refuse (m, CONTROL_APPARMOR,
                            "profile '%s' requires the AppArmor profile '%s', which is not loaded here",
                            m->policy->profile, own->text);
  if (!loaded)
    return 0;
  if (asked != NULL && !is_engine_default (asked))
    return restrict_refuse (m, CONTROL_APPARMOR,
                            "the engine asks for '%s' and profile '%s' for '%s': both cannot hold", asked,
                            m->policy->profile, own->text);
  restrict_set (m, process, "apparmorProfile", json_new_text (JSON_STRING, own->text));
  restrict_note (m, CONTROL_APPARMOR, "'%s' set", own->text);
  return 0;
}

/* A working directory below /proc can name a descriptor that the runtime left open (CVE-2024-21626). */
static int check_cwd (struct meet *m, struct json_node *process)
{
  static const char *const never[] = { "/proc", "/sys", "/dev" };
  cleanup_free char *normal = NULL;
  const char *cwd = NULL;
  int r = restrict_find_text (m, process, "cwd", &cwd);

  if (r < 0 || cwd == NULL || cwd[0] == '\0')
    return r;
  r = spec_normal_path (cwd, &normal);
  if (r == -ENOMEM)
    return error_oom (m->err);
  if (r < 0)
    return restrict_refuse (m, CONTROL_WORKSPACE_BOUNDED,
                            "the working directory '%s' is not an absolute path without '..'", cwd);
  for (size_t i = 0; i < ARRAY_LEN (never); i++)
    if (path_is_within (normal, never[i]))
      return restrict_refuse (m, CONTROL_WORKSPACE_BOUNDED,
                              "the working directory '%s' lies in '%s', where nothing may start", cwd,
                              never[i]);
  return 0;
}

/* The kernel ends a process that is preferred less; real-time classes starve the host. */
static int restrict_priorities (struct meet *m, struct json_node *process)
{
  static const char *const classes[] = { "scheduler", "ioPriority" };
  struct json_node *object = NULL;
  bool there = false;
  int64_t adjust = 0;
  int r = restrict_find_number (m, process, "oomScoreAdj", &there, &adjust);

  if (r == 0 && there && adjust < 0) {
    restrict_set (m, process, "oomScoreAdj", json_new_number (0));
    restrict_note (m, CONTROL_LIMITS_MEMORY, "oomScoreAdj %" PRId64 " becomes 0", adjust);
  }
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (classes); i++) {
    r = restrict_find (m, process, classes[i], JSON_OBJECT, &object);
    if (r < 0 || object == NULL)
      continue;
    json_remove (process, classes[i]);
    restrict_note (m, CONTROL_LIMITS_CPU, "%s taken away", classes[i]);
  }
  return r;
}

int restrict_process (struct meet *m, struct json_node *process)
{
  static int (*const topics[]) (struct meet *, struct json_node *) = {
    restrict_user, restrict_capabilities, restrict_no_new_privileges, restrict_rlimits, restrict_apparmor,
    check_cwd,     restrict_priorities,
  };
  int r = 0;

  for (size_t i = 0; r == 0 && i < ARRAY_LEN (topics); i++)
    r = topics[i](m, process);
  return r;
}
