/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process: identity of init, ids, capabilities, no_new_privileges, label, descriptors, id maps. */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>

#include "control-syntax.h"

static const char *unreadable (const struct judge *judge)
{
  if (!judge->has_in)
    return "/proc/self/status could not be read inside";
  return judge->out->seen && !judge->has_out ? "/proc/PID/status could not be read outside" : NULL;
}

/* A Linux kernel shows its boot id, and vmstat in /proc; gVisor's has neither. Names alone prove nothing: a
 * personality changes what uname says. */
static bool is_another_kernel (const struct judge *judge)
{
  const struct answer *boot = inside_answer (judge->in, QUESTION_FILE, PROBE_BOOT_ID);
  struct report_look look;

  if (boot->errnum == 0)
    return judge->out->boot_id != NULL && boot->length == strlen (judge->out->boot_id)
           && memcmp (boot->bytes, judge->out->boot_id, boot->length) != 0;
  /* A /proc without anything but processes has neither, too. */
  return boot->errnum == ENOENT && inside_look (judge->in, "/proc/uptime", &look) && look.open_errnum == 0
         && inside_answer (judge->in, QUESTION_SEE, PROBE_LINUX_ONLY)->errnum == ENOENT;
}

char *judge_own_kernel (const struct judge *judge)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_NAMES, "");
  cleanup_free char *seen = NULL;
  struct utsname names;

  if (answer->errnum != 0 || answer->length != sizeof (names) || judge->out->kernel == NULL)
    return NULL;
  memcpy (&names, answer->bytes, sizeof (names));
  seen = str_format ("%.*s %.*s", (int) sizeof (names.release), names.release, (int) sizeof (names.version),
                     names.version);
  if (seen == NULL || strcmp (seen, judge->out->kernel) == 0 || !is_another_kernel (judge))
    return NULL;
  return str_format ("the kernel inside is not the host's: '%.*s'", (int) sizeof (names.release),
                     names.release);
}

/* With the runtime's own kernel, init is no process that we could inspect from outside. */
static void judge_other_kernel (struct judge *judge)
{
  cleanup_free char *evidence = judge_own_kernel (judge);

  if (evidence != NULL)
    judge_say (judge, CONTROL_ISOLATION_TYPE, VERDICT_VERIFIED, SEEN_INSIDE, "%s", evidence);
  else
    judge_say (judge, CONTROL_ISOLATION_TYPE, VERDICT_VIOLATED, SEEN_INSIDE,
               "nothing shows that the kernel inside is another than the host's, and the runtime should "
               "have one of its own");
}

/* The process that answers must be our own init, process 1 of a pid namespace. */
void judge_identity (struct judge *judge)
{
  const struct outside *out = judge->out;

  if (!out->seen) {
    judge_other_kernel (judge);
    return;
  }
  /* The links in /proc/PID of another user's process are all unreadable, so one of them tells. */
  if (!out->is_init && out->spaces[SPACE_PID] == 0)
    judge_say (judge, CONTROL_ISOLATION_TYPE, VERDICT_UNVERIFIED, SEEN_NOT,
               "pid %" PRIu64 " could not be inspected outside; only root or its owner can", out->pid);
  else if (!out->is_init)
    judge_say (judge, CONTROL_ISOLATION_TYPE, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the process that sent the hello (pid %" PRIu64 ") is not our init", out->pid);
  else if (!judge->has_out)
    judge_say (judge, CONTROL_ISOLATION_TYPE, VERDICT_UNVERIFIED, SEEN_NOT, "%s",
               "/proc/PID/status could not be read outside");
  else if (judge->out_status.pid != 1)
    judge_say (judge, CONTROL_ISOLATION_TYPE, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "init is process %" PRIu64 " of its pid namespace, not the first", judge->out_status.pid);
  else
    judge_say (judge, CONTROL_ISOLATION_TYPE, VERDICT_VERIFIED, SEEN_OUTSIDE,
               "our init is process 1 of a container (pid %" PRIu64 ")", out->pid);
}

/* The host id of ID inside; UINT64_MAX: not mapped. */
static uint64_t mapped (const struct promises *promises, const struct plan_id_map *maps, size_t count,
                        uint32_t id)
{
  if (!promises->user_namespace)
    return id;
  for (size_t i = 0; i < count; i++)
    if (id >= maps[i].inside && id - maps[i].inside < maps[i].count)
      return (uint64_t) maps[i].outside + (id - maps[i].inside);
  return UINT64_MAX;
}

static bool all_are (const uint64_t ids[4], uint64_t id)
{
  return ids[0] == id && ids[1] == id && ids[2] == id && ids[3] == id;
}

static void judge_user (struct judge *judge)
{
  const struct promises *promises = judge->promises;
  uint64_t uid = mapped (promises, promises->uid_maps, promises->uid_map_count, promises->uid);
  uint64_t gid = mapped (promises, promises->gid_maps, promises->gid_map_count, promises->gid);
  const struct proc_status *in = &judge->in_status, *out = &judge->out_status;
  const char *why = unreadable (judge);
  int64_t became = 0;

  if (why != NULL)
    judge_say (judge, CONTROL_USER_NON_ROOT, VERDICT_UNVERIFIED, SEEN_NOT, "%s", why);
  else if (!all_are (in->uid, promises->uid) || !all_are (in->gid, promises->gid))
    judge_say (judge, CONTROL_USER_NON_ROOT, VERDICT_VIOLATED, SEEN_INSIDE,
               "inside it is %" PRIu64 ":%" PRIu64 ", not %" PRIu32 ":%" PRIu32, in->uid[1], in->gid[1],
               promises->uid, promises->gid);
  else if (in->groups > 0)
    judge_say (judge, CONTROL_USER_NON_ROOT, VERDICT_VIOLATED, SEEN_INSIDE, "it has %zu supplementary groups",
               in->groups);
  else if (judge->out->seen && (!all_are (out->uid, uid) || !all_are (out->gid, gid) || uid == 0))
    judge_say (judge, CONTROL_USER_NON_ROOT, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "outside it is %" PRIu64 ":%" PRIu64 ", not %" PRIu64 ":%" PRIu64, out->uid[1], out->gid[1],
               uid, gid);
  else if (!inside_call (judge->in, &probe_become_root, &became))
    judge_say (judge, CONTROL_USER_NON_ROOT, VERDICT_UNVERIFIED, SEEN_NOT,
               "whether it can become root was not answered");
  else if (became == 0)
    judge_say (judge, CONTROL_USER_NON_ROOT, VERDICT_VIOLATED, SEEN_INSIDE, "it could become root");
  else if (judge->out->seen)
    judge_say (judge, CONTROL_USER_NON_ROOT, VERDICT_VERIFIED, SEEN_BOTH,
               "%" PRIu32 ":%" PRIu32 " inside, %" PRIu64 ":%" PRIu64
               " outside, no other group; setresuid to 0 is refused",
               promises->uid, promises->gid, uid, gid);
  else
    judge_say (judge, CONTROL_USER_NON_ROOT, VERDICT_VERIFIED, SEEN_INSIDE,
               "%" PRIu32 ":%" PRIu32 " inside, no other group; setresuid to 0 is refused", promises->uid,
               promises->gid);
}

static uint64_t promised_caps (const struct promises *promises)
{
  const struct strlist *names = &promises->settings->values[SETTING_CAPABILITIES].set;
  uint64_t caps = 0;

  for (size_t i = 0; i < names->count; i++) {
    int number = syntax_capability (names->items[i]);

    if (number >= 0)
      caps |= UINT64_C (1) << number;
  }
  return caps;
}

/* Index of a set that differs from CAPS; PROC_CAP_SETS: none does. */
static size_t differing (const struct proc_status *status, uint64_t caps)
{
  size_t i = 0;

  while (i < PROC_CAP_SETS && (status->caps[i] == caps || (i == PROC_CAP_AMBIENT && !status->has_ambient)))
    i++;
  return i;
}

/* A kernel that does not show the ambient set in /proc must not support it. */
static bool has_no_ambient (const struct judge *judge)
{
  int64_t answer = 0;

  return inside_call (judge->in, &probe_ambient, &answer) && answer == -EINVAL;
}

#define CAP_SETPCAP_BIT (UINT64_C (1) << 8)

static void judge_capabilities (struct judge *judge)
{
  uint64_t caps = promised_caps (judge->promises);
  size_t in = judge->has_in ? differing (&judge->in_status, caps) : 0;
  size_t out = judge->has_out ? differing (&judge->out_status, caps) : PROC_CAP_SETS;
  const char *why = unreadable (judge);
  int64_t drop = 0;

  if (why != NULL)
    judge_say (judge, CONTROL_CAPABILITIES, VERDICT_UNVERIFIED, SEEN_NOT, "%s", why);
  else if (in < PROC_CAP_SETS)
    judge_say (judge, CONTROL_CAPABILITIES, VERDICT_VIOLATED, SEEN_INSIDE,
               "inside %s is %016" PRIx64 ", not %016" PRIx64, proc_cap_names[in], judge->in_status.caps[in],
               caps);
  else if (out < PROC_CAP_SETS)
    judge_say (judge, CONTROL_CAPABILITIES, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "outside %s is %016" PRIx64 ", not %016" PRIx64, proc_cap_names[out],
               judge->out_status.caps[out], caps);
  else if (!judge->in_status.has_ambient && !has_no_ambient (judge))
    judge_say (judge, CONTROL_CAPABILITIES, VERDICT_UNVERIFIED, SEEN_NOT, "the ambient set is not shown");
  else if (!inside_call (judge->in, &probe_bounding, &drop))
    judge_say (judge, CONTROL_CAPABILITIES, VERDICT_UNVERIFIED, SEEN_NOT,
               "a privileged call was not answered");
  else if (drop == 0 && (caps & CAP_SETPCAP_BIT) == 0)
    judge_say (judge, CONTROL_CAPABILITIES, VERDICT_VIOLATED, SEEN_INSIDE,
               "a call that takes CAP_SETPCAP was granted");
  else
    judge_say (judge, CONTROL_CAPABILITIES, VERDICT_VERIFIED, judge_seen (judge),
               "%s sets are %016" PRIx64 "%s",
               judge->in_status.has_ambient ? "all five" : "all four (there is no ambient one)", caps,
               drop < 0 ? "; a privileged prctl is refused" : "");
}

static void judge_privileges (struct judge *judge)
{
  const char *why = unreadable (judge);
  int64_t asked = 0;

  if (why != NULL || !inside_call (judge->in, &probe_privileges, &asked))
    judge_say (judge, CONTROL_NO_NEW_PRIVILEGES, VERDICT_UNVERIFIED, SEEN_NOT, "%s",
               why ? why : "prctl was not answered");
  else if (asked != 1 || (judge->in_status.has_no_new_privileges && judge->in_status.no_new_privileges != 1))
    judge_say (judge, CONTROL_NO_NEW_PRIVILEGES, VERDICT_VIOLATED, SEEN_INSIDE, "NoNewPrivs is not 1 inside");
  else if (judge->has_out && judge->out_status.no_new_privileges != 1)
    judge_say (judge, CONTROL_NO_NEW_PRIVILEGES, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "NoNewPrivs is not 1 outside");
  else
    judge_say (judge, CONTROL_NO_NEW_PRIVILEGES, VERDICT_VERIFIED, judge_seen (judge),
               judge->in_status.has_no_new_privileges ? "NoNewPrivs is 1, in /proc and by prctl"
                                                      : "no_new_privs is 1 by prctl; /proc does not show it");
}

/* "NAME (enforce)"; some kernels add a newline. */
static bool label_is (const char *label, const char *name)
{
  size_t len = strlen (name);

  return strncmp (label, name, len) == 0 && strncmp (label + len, " (enforce)", 10) == 0
         && (label[len + 10] == '\0' || label[len + 10] == '\n');
}

static void judge_label (struct judge *judge)
{
  const char *name = judge->promises->apparmor;
  const char *in = inside_text (judge->in, QUESTION_FILE, "/proc/self/attr/current");
  const char *out = judge->out->label;

  if (name == NULL)
    return;
  if (in == NULL || (judge->out->seen && out == NULL))
    judge_say (judge, CONTROL_APPARMOR, VERDICT_UNVERIFIED, SEEN_NOT, "no label could be read %s",
               in == NULL ? "inside" : "outside");
  else if (!label_is (in, name))
    judge_say (judge, CONTROL_APPARMOR, VERDICT_VIOLATED, SEEN_INSIDE, "the label inside is '%.*s', not '%s'",
               (int) strcspn (in, "\n"), in, name);
  else if (judge->out->seen && !label_is (out, name))
    judge_say (judge, CONTROL_APPARMOR, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the label outside is '%.*s', not '%s'", (int) strcspn (out, "\n"), out, name);
  else
    judge_say (judge, CONTROL_APPARMOR, VERDICT_VERIFIED, judge_seen (judge), "label '%s (enforce)'", name);
}

/* A standard stream is a pipe, an engine's socket, a terminal or the null device; if the supervisor made a
 * pipe for it, exactly that pipe. Anything else, such as a directory of the host, could be a way out. */
static bool is_stream (const struct outside *out, uint64_t number, const char *target)
{
  uint64_t inode = 0;

  if (strncmp (target, "pipe:[", 6) == 0) {
    target += 6;
    return out->pipes[number] == 0
           || (proc_number_next (&target, &inode) && strcmp (target, "]") == 0
               && inode == out->pipes[number]);
  }
  if (out->pipes[number] != 0)
    return false;
  return strncmp (target, "socket:[", 8) == 0 || strncmp (target, "/dev/pts/", 9) == 0
         || strcmp (target, "/dev/null") == 0 || strcmp (target, "/dev/console") == 0
         || strncmp (target, "host:[", 6) == 0; /* how gVisor shows an inherited descriptor */
}

/* Init has its standard streams and, if the runtime passes descriptors, its two sockets. TEXT is "NUMBER
 * TARGET". */
static bool is_expected (const struct judge *judge, const char *text)
{
  uint64_t number;

  if (!proc_number_next (&text, &number) || *text++ != ' ')
    return false;
  if (number <= 2)
    return is_stream (judge->out, number, text);
  return judge->promises->passed_descriptors && number <= 4 && strncmp (text, "socket:[", 8) == 0;
}

static void judge_descriptors (struct judge *judge)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_DESCRIPTORS, "");
  size_t count = 0;

  if (answer->errnum != 0 || answer->length == 0 || answer->bytes[answer->length - 1] != '\0') {
    judge_say (judge, CONTROL_FDS_CLOSED, VERDICT_UNVERIFIED, SEEN_NOT,
               "open descriptors could not be listed (%s)", strerror (answer->errnum));
    return;
  }
  for (size_t at = 0; at < answer->length; at += strlen (answer->bytes + at) + 1, count++) {
    if (is_expected (judge, answer->bytes + at))
      continue;
    judge_say (judge, CONTROL_FDS_CLOSED, VERDICT_VIOLATED, SEEN_INSIDE,
               "init found a descriptor that does not belong to the run: %s", answer->bytes + at);
    return;
  }
  judge_say (judge, CONTROL_FDS_CLOSED, VERDICT_VERIFIED, SEEN_INSIDE,
             "%zu descriptors at start: the standard streams%s", count,
             judge->promises->passed_descriptors ? " and init's own sockets" : "");
}

static bool maps_are (const char *text, const struct plan_id_map *maps, size_t count)
{
  struct proc_id_map seen[PLAN_ID_MAPS];
  int n = text ? proc_id_map_read (text, seen, PLAN_ID_MAPS) : -1;

  if (n < 0 || (size_t) n != count)
    return false;
  for (size_t i = 0; i < count; i++)
    if (seen[i].inside != maps[i].inside || seen[i].outside != maps[i].outside
        || seen[i].count != maps[i].count)
      return false;
  return true;
}

/* Inside, the kernel shows the ids of the parent namespace, so both sides must read the same map. */
static void judge_user_namespace (struct judge *judge)
{
  const struct promises *promises = judge->promises;
  const struct outside *out = judge->out;
  const char *in_uids = inside_text (judge->in, QUESTION_FILE, "/proc/self/uid_map");
  const char *in_gids = inside_text (judge->in, QUESTION_FILE, "/proc/self/gid_map");

  if (!promises->user_namespace)
    return;
  if (in_uids == NULL || in_gids == NULL || !out->seen || out->uid_map == NULL || out->gid_map == NULL)
    judge_say (judge, CONTROL_USER_NAMESPACE, VERDICT_UNVERIFIED, SEEN_NOT,
               "the maps of ids could not be read from inside and outside");
  else if (!maps_are (in_uids, promises->uid_maps, promises->uid_map_count)
           || !maps_are (in_gids, promises->gid_maps, promises->gid_map_count))
    judge_say (judge, CONTROL_USER_NAMESPACE, VERDICT_VIOLATED, SEEN_INSIDE,
               "the maps of ids are not the planned ones: uid_map begins '%.*s'",
               (int) strcspn (in_uids, "\n"), in_uids);
  else if (!maps_are (out->uid_map, promises->uid_maps, promises->uid_map_count)
           || !maps_are (out->gid_map, promises->gid_maps, promises->gid_map_count))
    judge_say (judge, CONTROL_USER_NAMESPACE, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "inside and outside see different maps of ids: uid_map begins '%.*s' outside",
               (int) strcspn (out->uid_map, "\n"), out->uid_map);
  else
    judge_say (judge, CONTROL_USER_NAMESPACE, VERDICT_VERIFIED, SEEN_BOTH,
               "id %" PRIu32 " inside is %" PRIu32 " outside, %" PRIu32 " ids", promises->uid_maps[0].inside,
               promises->uid_maps[0].outside, promises->uid_maps[0].count);
}

void judge_process (struct judge *judge)
{
  judge_user (judge);
  judge_user_namespace (judge);
  judge_capabilities (judge);
  judge_privileges (judge);
  judge_label (judge);
  judge_descriptors (judge);
}
