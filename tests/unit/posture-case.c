/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "posture-case.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "plan-launch.h"

#define MUST(condition)                                                                                      \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "posture-case: %s\n", #condition);                                                    \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

static const char list_text[] =
    "{ \"version\": 1, \"name\": \"small\", \"meaning\": \"for tests\", \"unknown\": \"ENOSYS\","
    " \"allow\": { \"files\": [\"read\", \"write\", \"getpid\"] }, \"deny\": { \"EPERM\": [\"unshare\", "
    "\"mount\"] } }";

static const char host_text[] =
    "{ \"uid\": 0, \"gid\": 0, \"home\": \"/root\", \"cgroup\": \"v1\", \"cgroup_writable\": true,"
    " \"swap_accounting\": true, \"user_namespaces\": true, \"open_files_hard\": 65536,"
    " \"root\": [ { \"path\": \"/usr\", \"type\": \"directory\", \"device\": 256, \"inode\": 2 } ],"
    " \"paths\": [ { \"path\": \"/projects/demo\", \"type\": \"directory\", \"device\": 256, \"inode\": 3 } "
    "] "
    "}";

static const char profile_text[] =
    "{ \"version\": 1, \"name\": \"case\", \"meaning\": \"for tests\",\n"
    " \"filesystem\": { \"root\": \"read-only\", \"workspace\": \"read-write\",\n \"hide\": [\"secret\"],"
    " \"noexec\": [\"/tmp\"] }, \"limits\": { \"idle\": \"10m\", \"output_rate\": \"1M\" }, \"require\": "
    "[\"*\"] }";

/* The same, and more: what not every run has. */
static const char all_host_text[] =
    "{ \"uid\": 0, \"gid\": 0, \"home\": \"/root\", \"cgroup\": \"v1\", \"cgroup_writable\": true,"
    " \"swap_accounting\": true, \"user_namespaces\": true, \"open_files_hard\": 65536, \"landlock_abi\": 2,"
    " \"apparmor\": { \"enabled\": true, \"profiles\": [\"confined\"] },"
    " \"root\": [ { \"path\": \"/usr\", \"type\": \"directory\", \"device\": 256, \"inode\": 2 } ],"
    " \"paths\": [ { \"path\": \"/projects/demo\", \"type\": \"directory\", \"device\": 256, \"inode\": 3 },"
    " { \"path\": \"/usr\", \"type\": \"directory\", \"device\": 256, \"inode\": 2 },"
    " { \"path\": \"/keys/token\", \"type\": \"file\", \"device\": 256, \"inode\": 4 } ] }";

static const char all_profile_text[] =
    "{ \"version\": 1, \"name\": \"case\", \"meaning\": \"for tests\","
    " \"filesystem\": { \"root\": \"read-only\", \"workspace\": \"read-write\" },"
    " \"process\": { \"apparmor\": \"confined\", \"tools\": [\"/usr/bin/git\", \"/usr/bin/gone\"] },"
    " \"limits\": { \"idle\": \"10m\", \"output_rate\": \"1M\" },"
    " \"secrets\": [ { \"name\": \"TOKEN\", \"source\": \"/keys/token\" } ], \"require\": [\"*\"] }";

static struct plan *make_plan (struct host_facts *host, const char *profile_said)
{
  cleanup_profile struct profile *profile = NULL;
  cleanup_request struct request request = { 0 };
  struct ceiling ceiling = { 0 };
  struct error err = { 0 };
  struct plan *plan = NULL;

  MUST (profile_parse ("case.json", profile_said, strlen (profile_said), true, &profile, &err) == 0);
  MUST (profile_resolve (profile, &err) == 0);
  MUST (seccomp_list_parse ("small.json", list_text, strlen (list_text), &profile->seccomp, &err) == 0);
  MUST (strlist_add (&request.argv, "true") == 0);
  request.workspace = strdup ("/projects/demo");
  request.backend = backend_named ("libcrun");
  /* What a secret's file is like is the operator's business. */
  MUST (request_accept (&request, "secrets.files", &err) == 0);
  if (plan_build (profile, &request, &ceiling, host, &plan, &err) < 0) {
    fprintf (stderr, "posture-case: %s\n", error_text (&err));
    abort ();
  }
  free (plan->run_id);
  plan->run_id = strdup ("r-1");
  return plan;
}

static struct host_facts *make_host (const char *said)
{
  struct host_facts *host = NULL;
  struct error err = { 0 };

  MUST (host_facts_read ("host", said, strlen (said), &host, &err) == 0);
  return host;
}

void posture_case_plan (struct host_facts **ret_host, struct plan **ret_plan)
{
  *ret_host = make_host (all_host_text);
  *ret_plan = make_plan (*ret_host, all_profile_text);
}

/* ---- Texts as the kernel writes them. */

static char *status_text (const struct plan *plan, bool outside)
{
  uint64_t shift = outside ? plan->uid_maps[0].outside : 0;
  uint64_t uid = plan->uid + shift, gid = plan->gid + shift;

  return str_format ("Name:\tinit\nUid:\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\nGid:\t%" PRIu64
                     "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                     "\nGroups:\t \nNSpid:\t%s1\nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\n"
                     "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\n"
                     "NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n",
                     uid, uid, uid, uid, gid, gid, gid, gid, outside ? "4711\t" : "");
}

static char *map_text (const struct plan *plan)
{
  return str_format ("%10" PRIu32 " %10" PRIu32 " %10" PRIu32 "\n", plan->uid_maps[0].inside,
                     plan->uid_maps[0].outside, plan->uid_maps[0].count);
}

static bool has_option (const struct plan_mount *mount, const char *name)
{
  for (size_t i = 0; i < mount->options.count; i++)
    if (strcmp (mount->options.items[i], name) == 0)
      return true;
  return false;
}

/* The view of the run's group: a directory of the stage's, and in it hierarchies of version 1. */
static void add_group (struct strbuf *buf, const struct plan_mount *mount, unsigned id, bool outside)
{
  const char *name = strrchr (mount->target, '/') + 1;

  if (strcmp (mount->target, PLAN_GROUP_VIEW) == 0)
    strbuf_addf (buf, "%u 100 0:60 /mounts/6 %s ro,nosuid,nodev,noexec,relatime - tmpfs tyrum-oci-r-1 rw\n",
                 id, mount->target);
  else
    strbuf_addf (buf, "%u 106 0:3%zu %s %s ro,nosuid,nodev,noexec,relatime - cgroup cgroup rw,%s\n", id,
                 strlen (name) % 10, outside ? "/tyrum-oci-r-1" : "/", mount->target, name);
}

static char *mounts_text (const struct plan *plan, const struct launch *launch, bool outside)
{
  struct strbuf buf = { 0 };
  unsigned id = 100;

  strbuf_addf (&buf, "%u 90 0:60 /rootfs / ro,nosuid,nodev,relatime - tmpfs tyrum-oci-r-1 rw\n", id++);
  for (size_t i = 0; i < launch->mount_count; i++) {
    const struct plan_mount *mount = &launch->mounts[i];
    bool bind = strcmp (mount->type, "bind") == 0;
    bool ro = bind ? !mount->writable : has_option (mount, "ro");
    bool dev = strncmp (mount->target, "/dev", 4) == 0;

    if (strcmp (mount->type, "cgroup") == 0) {
      add_group (&buf, mount, id++, outside);
      continue;
    }
    strbuf_addf (&buf, "%u 100 0:%u / %s %s,nosuid%s%s,relatime - %s %s rw\n", id, id, mount->target,
                 ro ? "ro" : "rw", dev ? "" : ",nodev", has_option (mount, "noexec") ? ",noexec" : "",
                 bind ? "ext4" : mount->type, bind ? "/dev/vda" : mount->source);
    id++;
  }
  for (size_t i = 0; i < plan->masked.count; i++, id++)
    strbuf_addf (&buf, "%u 100 0:6 /null %s rw,nosuid - devtmpfs udev rw\n", id, plan->masked.items[i]);
  for (size_t i = 0; i < plan->read_only.count; i++, id++)
    strbuf_addf (&buf, "%u 100 0:7 %s %s ro,nosuid,nodev,noexec - proc proc rw\n", id,
                 plan->read_only.items[i] + strlen ("/proc"), plan->read_only.items[i]);
  return strbuf_take (&buf);
}

static char *file_text (const struct plan *plan, const struct launch *launch, const char *path)
{
  if (strcmp (path, "/proc/self/status") == 0)
    return status_text (plan, false);
  if (strcmp (path, "/proc/self/uid_map") == 0 || strcmp (path, "/proc/self/gid_map") == 0)
    return map_text (plan);
  if (strcmp (path, "/proc/self/mountinfo") == 0)
    return mounts_text (plan, launch, false);
  if (strcmp (path, "/proc/self/cgroup") == 0)
    return strdup ("4:memory:/\n3:pids:/\n0::/\n");
  if (strcmp (path, "/proc/net/dev") == 0)
    return strdup ("Inter-|   Receive\n face |bytes\n    lo:       0       0\n");
  if (strcmp (path, "/proc/net/sockstat") == 0)
    return strdup ("sockets: used 2\nTCP: inuse 0 orphan 0\nUDP: inuse 0 mem 0\n");
  if (strcmp (path, PROBE_BOOT_ID) == 0)
    return strdup ("the host\n");
  if (strcmp (path, "/proc/net/unix") == 0 || str_has_prefix (path, "/proc/sysvipc/"))
    return strdup ("heading\n");
  if (strcmp (path, "/proc/net/route") == 0)
    return strdup ("Iface\tDestination\tGateway\n");
  if (strcmp (path, "/proc/self/attr/current") == 0 && plan->apparmor != NULL)
    return str_format ("%s (enforce)\n", plan->apparmor);
  return NULL;
}

/* ---- Answers. */

static struct answer *find (struct posture_case *c, enum question kind, const void *bytes, size_t length)
{
  for (size_t i = 0; i < c->inside.questions.count; i++) {
    const struct asked *asked = &c->inside.questions.items[i];

    if (asked->kind == kind && asked->length == length && memcmp (asked->bytes, bytes, length) == 0)
      return &c->inside.answers[i];
  }
  fprintf (stderr, "posture-case: nobody asks %d '%.*s'\n", (int) kind, (int) length, (const char *) bytes);
  abort ();
}

static void set (struct answer *answer, int errnum, const void *bytes, size_t length)
{
  free (answer->bytes);
  answer->bytes = calloc (1, length + 1);
  MUST (answer->bytes != NULL);
  if (length > 0)
    memcpy (answer->bytes, bytes, length);
  answer->length = length;
  answer->errnum = errnum;
}

void posture_case_answer (struct posture_case *c, enum question kind, const char *text, int errnum,
                          const void *bytes, size_t length)
{
  set (find (c, kind, text, strlen (text)), errnum, bytes, length);
}

void posture_case_answer_call (struct posture_case *c, const struct report_call *call, int64_t result)
{
  set (find (c, QUESTION_CALL, call, sizeof (*call)), 0, &result, sizeof (result));
}

void posture_case_answer_connect (struct posture_case *c, const void *address, size_t length, int errnum)
{
  set (find (c, QUESTION_CONNECT, address, length), errnum, "", 0);
}

static void answer_look (const struct plan *plan, const struct launch *launch, const char *path,
                         struct answer *answer)
{
  struct report_look look = { .mode = S_IFDIR | 0755, .device = 5, .inode = 5, .content = 2 };

  for (size_t i = 0; i < plan->masked.count; i++)
    if (strcmp (plan->masked.items[i], path) == 0)
      look = (struct report_look){ .mode = S_IFCHR | 0666, .rdev = UINT64_C (1) << 32 | 3 };
  for (size_t i = 0; i < launch->mount_count; i++)
    if (strcmp (launch->mounts[i].target, path) == 0) {
      look.device = UINT64_C (1) << 32; /* 256 is 1:0 */
      look.inode = launch->mounts[i].inode;
    }
  if (str_has_prefix (path, "/run/secrets/"))
    look.mode = S_IFREG | 0400;
  if (strcmp (path, "/proc/uptime") == 0)
    look = (struct report_look){ .mode = S_IFREG | 0444, .content = 1 };
  set (answer, 0, &look, sizeof (look));
}

static void answer_list (const char *path, struct answer *answer)
{
  static const struct {
    struct report_entry entry;
    char name[4];
  } null = { { .rdev = UINT64_C (1) << 32 | 3, .mode = S_IFCHR | 0666, .name_length = 4 }, "null" },
    one = { { .mode = S_IFDIR | 0555, .name_length = 1 }, "1" };

  if (strcmp (path, "/dev") == 0)
    set (answer, 0, &null, sizeof (null.entry) + 4);
  else
    set (answer, 0, &one, sizeof (one.entry) + 1);
}

static void answer_environment (const struct plan *plan, struct answer *answer)
{
  struct strbuf buf = { 0 };

  for (size_t i = 0; i < plan->env.count; i++) {
    const char *value = strchr (plan->env.items[i], '=') + 1;
    uint64_t hash = UINT64_C (0xcbf29ce484222325);

    for (const char *p = value; *p != '\0'; p++)
      hash = (hash ^ (unsigned char) *p) * UINT64_C (0x100000001b3);
    strbuf_add_bytes (&buf, plan->env.items[i], (size_t) (value - plan->env.items[i]));
    strbuf_addf (&buf, "%016" PRIx64, hash);
    strbuf_add_bytes (&buf, "", 1);
  }
  set (answer, 0, buf.text, buf.len);
  strbuf_clear (&buf);
}

static int64_t call_result (const struct plan *plan, const struct report_call *call)
{
  for (size_t i = 0; i < probe_call_count; i++)
    if (memcmp (&probe_calls[i].call, call, sizeof (*call)) == 0)
      return -filter_answer (plan->filter, probe_calls[i].name, call->arguments);
  if (memcmp (call, &probe_seal, sizeof (*call)) == 0)
    return -plan->filter->seal;
  if (memcmp (call, &probe_allowed, sizeof (*call)) == 0
      || memcmp (call, &probe_privileges, sizeof (*call)) == 0)
    return 1;
  return memcmp (call, &probe_ambient, sizeof (*call)) == 0 ? 0 : -EPERM;
}

static bool is_near (const struct asked *asked)
{
  return asked->length == sizeof (probe_near) && memcmp (asked->bytes, &probe_near, sizeof (probe_near)) == 0;
}

/* Init is not named, one program is, and one that is named is not there. */
static void answer_execute (const char *path, struct answer *answer)
{
  struct report_execute execute = { 0, strcmp (path, STAGE_INIT_TARGET) == 0 ? EACCES : 0 };

  if (strcmp (path, "/usr/bin/gone") == 0)
    execute = (struct report_execute){ ENOENT, ENOENT };
  set (answer, 0, &execute, sizeof (execute));
}

static void answer_one (const struct plan *plan, const struct launch *launch, const struct asked *asked,
                        struct answer *answer)
{
  struct report_limit limits[16] = { 0 };
  struct report_statfs fs = { .type = TMPFS_MAGIC, .bytes = plan->settings.values[SETTING_TMP].number };
  struct utsname names = { .release = "6.1", .version = "1", .nodename = "tyrum" };
  struct report_call call;
  int64_t result;
  char *text;

  switch (asked->kind) {
  case QUESTION_FILE:
    text = file_text (plan, launch, asked->bytes);
    set (answer, text ? 0 : EINVAL, text, text ? strlen (text) : 0);
    free (text);
    break;
  case QUESTION_LINK:
    text = strcmp (asked->bytes, "/proc/self/cwd") == 0
               ? strdup (plan->cwd)
               : str_format ("%s:[%d]", strrchr (asked->bytes, '/') + 1, 5000 + asked->bytes[14]);
    set (answer, 0, text, strlen (text));
    free (text);
    break;
  case QUESTION_SEE:
  case QUESTION_LOOK: answer_look (plan, launch, asked->bytes, answer); break;
  case QUESTION_STATFS: set (answer, 0, &fs, sizeof (fs)); break;
  case QUESTION_LIST: answer_list (asked->bytes, answer); break;
  case QUESTION_CREATE: set (answer, strcmp (asked->bytes, "/") == 0 ? EROFS : 0, "", 0); break;
  case QUESTION_OPEN_WRITE: set (answer, EROFS, "", 0); break;
  case QUESTION_CALL:
    memcpy (&call, asked->bytes, sizeof (call));
    result = call_result (plan, &call);
    set (answer, 0, &result, sizeof (result));
    break;
  case QUESTION_CONNECT: set (answer, is_near (asked) ? 0 : ENETUNREACH, "", 0); break;
  case QUESTION_DESCRIPTORS:
    set (answer, 0, "0 pipe:[11]\0001 pipe:[12]\0002 pipe:[13]\0003 socket:[1]\0004 socket:[2]", 62);
    break;
  case QUESTION_ENVIRONMENT: answer_environment (plan, answer); break;
  case QUESTION_LIMITS:
    limits[RLIMIT_NOFILE].soft = limits[RLIMIT_NOFILE].hard = 1024;
    set (answer, 0, limits, sizeof (limits));
    break;
  case QUESTION_NAMES: set (answer, 0, &names, sizeof (names)); break;
  case QUESTION_EXECUTE: answer_execute (asked->bytes, answer); break;
  default: abort ();
  }
}

static void make_outside (const struct plan *plan, const struct launch *launch, struct outside *out)
{
  struct strbuf environment = { 0 };

  *out = (struct outside){ .seen = true,
                           .pid = 4711,
                           .is_init = true,
                           .kernel = strdup ("6.1 1"),
                           .boot_id = strdup ("the host\n"),
                           .status = status_text (plan, true),
                           .uid_map = map_text (plan),
                           .gid_map = map_text (plan),
                           .mounts = mounts_text (plan, launch, true),
                           .cgroup = strdup (
                               "4:memory:/tyrum-oci-r-1\n3:pids:/tyrum-oci-r-1\n2:cpu:/tyrum-oci-r-1\n"),
                           .limits = strdup ("Limit\nMax open files            1024        1024     files\n"),
                           .label = file_text (plan, launch, "/proc/self/attr/current"),
                           .pipes = { 11, 12, 13 },
                           .wall_ms = plan->wall_ms,
                           .output_bytes = plan->output_bytes,
                           .idle_ms = plan->idle_ms,
                           .output_rate = plan->output_rate,
                           .group = { .known = true,
                                      .member = true,
                                      .memory = plan->memory,
                                      .memory_and_swap = plan->memory,
                                      .swap = UINT64_MAX,
                                      .counts_swap = true,
                                      .pids = plan->pids,
                                      .quota = plan->cpu_quota,
                                      .period = plan->cpu_period } };
  out->host_devices = calloc (1, sizeof (*out->host_devices));
  MUST (out->host_devices != NULL);
  out->host_devices[0] = UINT64_C (254) << 32;
  out->host_device_count = 1;
  for (enum space s = 0; s < SPACE_COUNT; s++) {
    out->spaces[s] = 5000u + (unsigned char) space_names[s][0];
    out->own_spaces[s] = 1u + s;
  }
  for (size_t i = 0; i < plan->env.count; i++)
    strbuf_add_bytes (&environment, plan->env.items[i], strlen (plan->env.items[i]) + 1);
  out->environment_length = environment.len;
  out->environment = strbuf_take (&environment);
}

static void make (struct posture_case *c, const char *host_said, const char *profile_said, bool listens)
{
  cleanup_host_facts struct host_facts *host = make_host (host_said);
  cleanup_strlist struct strlist hierarchies = { 0 };
  struct questions questions = { 0 };
  struct promises promises;
  struct error err = { 0 };

  *c = (struct posture_case){ .plan = make_plan (host, profile_said) };
  MUST (strlist_add (&hierarchies, "memory") == 0 && strlist_add (&hierarchies, "pids") == 0
        && strlist_add (&hierarchies, "cpu") == 0);
  MUST (launch_init (c->plan, &c->launch, &err) == 0
        && launch_stage (c->plan, "/run/tyrum-oci/runs/r-1/stage", INIT_OVER_FDS, &hierarchies, &c->launch,
                         &err)
               == 0);
  c->launch.listens = listens;
  promises = promises_of_plan (c->plan, &c->launch);
  MUST (questions_make (&promises, &questions, &err) == 0);
  MUST (inside_new (&questions, &c->inside, &err) == 0);
  for (size_t i = 0; i < c->inside.questions.count; i++)
    answer_one (c->plan, &c->launch, &c->inside.questions.items[i], &c->inside.answers[i]);
  make_outside (c->plan, &c->launch, &c->outside);
}

void posture_case_make (struct posture_case *c)
{
  make (c, host_text, profile_text, false);
}

void posture_case_make_listening (struct posture_case *c)
{
  make (c, host_text, profile_text, true);
}

void posture_case_make_all (struct posture_case *c)
{
  make (c, all_host_text, all_profile_text, false);
}

int posture_case_judge (const struct posture_case *c, struct posture **ret_posture, struct error *err)
{
  const struct promises promises = promises_of_plan (c->plan, &c->launch);

  return posture_judge (&promises, &c->inside, &c->outside, ret_posture, err);
}

void posture_case_clear (struct posture_case *c)
{
  inside_clear (&c->inside);
  outside_clear (&c->outside);
  launch_clear (&c->launch);
  plan_free (c->plan);
  *c = (struct posture_case){ 0 };
}

void posture_case_edit (char **text, const char *from, const char *to)
{
  char *at = strstr (*text, from);
  char *edited;

  if (at == NULL) {
    fprintf (stderr, "posture-case: there is no '%s' in '%s'\n", from, *text);
    abort ();
  }
  edited = str_format ("%.*s%s%s", (int) (at - *text), *text, to, at + strlen (from));
  MUST (edited != NULL);
  free (*text);
  *text = edited;
}

void posture_case_edit_answer (struct posture_case *c, enum question kind, const char *path, const char *from,
                               const char *to)
{
  struct answer *answer = find (c, kind, path, strlen (path));

  posture_case_edit (&answer->bytes, from, to);
  answer->length = strlen (answer->bytes);
}
