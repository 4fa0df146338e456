/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Namespaces: different from the supervisor's and from any other run's, new, and effective. */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static const struct {
  enum space space;
  enum control control;
} spaces[] = {
  { SPACE_PID, CONTROL_NAMESPACE_PID },       { SPACE_IPC, CONTROL_NAMESPACE_IPC },
  { SPACE_UTS, CONTROL_NAMESPACE_UTS },       { SPACE_MOUNT, CONTROL_NAMESPACE_MOUNT },
  { SPACE_CGROUP, CONTROL_NAMESPACE_CGROUP }, { SPACE_USER, CONTROL_USER_NAMESPACE },
  { SPACE_NET, CONTROL_NETWORK_MODE },
};

/* The number in a link such as "pid:[4026531836]", read inside; 0: not seen. */
static uint64_t inside_space (const struct judge *judge, enum space space)
{
  char path[32], want[16];
  const char *text;
  uint64_t number = 0;

  snprintf (path, sizeof (path), "/proc/self/ns/%s", space_names[space]);
  snprintf (want, sizeof (want), "%s:[", space_names[space]);
  text = inside_text (judge->in, QUESTION_LINK, path);
  if (text == NULL || strncmp (text, want, strlen (want)) != 0)
    return 0;
  text += strlen (want);
  return proc_number_next (&text, &number) && strcmp (text, "]") == 0 ? number : 0;
}

/* The runtime's own kernel shares no objects with the host, so its namespaces count as separate. Not the
 * network, which may be connected to the host's: judge_network decides. */
static void judge_space_of_kernel (struct judge *judge, enum space space, enum control control)
{
  cleanup_free char *evidence = judge_own_kernel (judge);
  uint64_t in = inside_space (judge, space);

  if (in != 0 && in == judge->out->own_spaces[space])
    judge_say (judge, control, VERDICT_VIOLATED, SEEN_INSIDE, "the %s namespace is the host's",
               space_names[space]);
  else if (evidence != NULL && space != SPACE_NET && space != SPACE_USER)
    judge_say (judge, control, VERDICT_VERIFIED, SEEN_INSIDE, "%s", evidence);
}

static void judge_space (struct judge *judge, enum space space, enum control control)
{
  const struct outside *out = judge->out;
  uint64_t in = inside_space (judge, space);

  if (!out->seen) {
    judge_space_of_kernel (judge, space, control);
    return;
  }
  if (in == 0 || out->spaces[space] == 0 || out->own_spaces[space] == 0)
    judge_say (judge, control, VERDICT_UNVERIFIED, SEEN_NOT, "the %s namespace could not be seen %s",
               space_names[space], in == 0 ? "inside" : "outside");
  else if (in != out->spaces[space])
    judge_say (judge, control, VERDICT_VIOLATED, SEEN_BOTH,
               "the %s namespace is %" PRIu64 " inside and %" PRIu64 " outside", space_names[space], in,
               out->spaces[space]);
  else if (in == out->own_spaces[space])
    judge_say (judge, control, VERDICT_VIOLATED, SEEN_BOTH, "the %s namespace is the host's",
               space_names[space]);
  else if (out->sibling != NULL && out->sibling_space == space)
    judge_say (judge, control, VERDICT_VIOLATED, SEEN_OUTSIDE, "the %s namespace is that of run '%s'",
               space_names[space], out->sibling);
  else if (out->stranger != 0 && out->stranger_space == space)
    judge_say (judge, control, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the %s namespace is also that of process %" PRIu64 ", which is not of this run",
               space_names[space], out->stranger);
  else
    judge_say (judge, control, VERDICT_VERIFIED, SEEN_BOTH, "%s namespace %" PRIu64, space_names[space], in);
}

static bool is_number (const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (text[i] < '0' || text[i] > '9')
      return false;
  return length > 0;
}

/* Before the command starts, init must be the only process. */
static void judge_processes (struct judge *judge)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_LIST, "/proc");
  size_t at = 0, others = 0, found = 0;

  while (answer->errnum == 0 && answer->length - at >= sizeof (struct report_entry)) {
    struct report_entry entry;

    memcpy (&entry, answer->bytes + at, sizeof (entry));
    at += sizeof (entry);
    if (entry.name_length > answer->length - at)
      break;
    if (is_number (answer->bytes + at, entry.name_length)) {
      bool first = entry.name_length == 1 && answer->bytes[at] == '1';

      found += first;
      others += !first;
    }
    at += entry.name_length;
  }
  if (answer->errnum != 0 || at != answer->length || found != 1)
    judge_say (judge, CONTROL_NAMESPACE_PID, VERDICT_UNVERIFIED, SEEN_NOT, "/proc could not be listed");
  else if (others > 0)
    judge_say (judge, CONTROL_NAMESPACE_PID, VERDICT_VIOLATED, SEEN_INSIDE, "%zu other processes are seen",
               others);
  else
    judge_say (judge, CONTROL_NAMESPACE_PID, VERDICT_VERIFIED, SEEN_INSIDE, "init sees no other process");
}

static void judge_name (struct judge *judge)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_NAMES, "");
  struct utsname names;

  if (answer->errnum != 0 || answer->length != sizeof (names)) {
    judge_say (judge, CONTROL_NAMESPACE_UTS, VERDICT_UNVERIFIED, SEEN_NOT, "the name could not be read");
    return;
  }
  memcpy (&names, answer->bytes, sizeof (names));
  names.nodename[sizeof (names.nodename) - 1] = '\0';
  if (strcmp (names.nodename, judge->promises->hostname) != 0)
    judge_say (judge, CONTROL_NAMESPACE_UTS, VERDICT_VIOLATED, SEEN_INSIDE, "the name inside is not '%s'",
               judge->promises->hostname);
  else
    judge_say (judge, CONTROL_NAMESPACE_UTS, VERDICT_VERIFIED, SEEN_INSIDE, "the name is '%s'",
               judge->promises->hostname);
}

/* The number of lines after the heading of the kernel's table PATH that contain one of MARKS; all for "". 0
 * for a missing table. -1: unreadable. */
static int count_lines (const struct judge *judge, const char *path, const char *marks)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_FILE, path);
  const char *line;
  int count = 0;

  if (answer->errnum == ENOENT)
    return 0;
  if (answer->errnum != 0)
    return -1;
  line = strchr (answer->bytes, '\n');
  while (line != NULL && line[1] != '\0') {
    line++;
    count += marks[0] == '\0' || strcspn (line, marks) < strcspn (line, "\n");
    line = strchr (line, '\n');
  }
  return count;
}

/* A namespace that is neither the host's nor a sibling's may still be in use elsewhere. A new one is
 * empty. */
static void judge_empty (struct judge *judge)
{
  static const struct {
    enum control control;
    const char *path, *marks, *what;
  } tables[] = { { CONTROL_NAMESPACE_IPC, "/proc/sysvipc/shm", "", "segments of shared memory" },
                 { CONTROL_NAMESPACE_IPC, "/proc/sysvipc/msg", "", "queues" },
                 { CONTROL_NAMESPACE_IPC, "/proc/sysvipc/sem", "", "semaphores" },
                 /* Init's own sockets are not abstract. */
                 { CONTROL_NETWORK_MODE, "/proc/net/unix", "@", "abstract local sockets" } };
  bool none = judge->promises->settings->values[SETTING_NETWORK_MODE].level == NETWORK_NONE;

  for (size_t i = 0; i < ARRAY_LEN (tables); i++) {
    int lines = count_lines (judge, tables[i].path, tables[i].marks);

    if (tables[i].control == CONTROL_NETWORK_MODE && !none)
      continue;
    if (lines < 0)
      judge_say (judge, tables[i].control, VERDICT_UNVERIFIED, SEEN_NOT, "'%s' could not be read",
                 tables[i].path);
    else if (lines > 0)
      judge_say (judge, tables[i].control, VERDICT_VIOLATED, SEEN_INSIDE,
                 "the namespace is not new: %d %s are in it", lines, tables[i].what);
  }
}

/* "TCP: inuse N ...", "UDP: inuse N ..." */
static int count_sockets (const char *text)
{
  static const char *const protocols[] = { "TCP: inuse ", "UDP: inuse " };
  int count = 0;

  for (size_t i = 0; i < ARRAY_LEN (protocols); i++) {
    const char *at = strstr (text, protocols[i]);
    uint64_t number;

    at = at ? at + strlen (protocols[i]) : NULL;
    if (at == NULL || !proc_number_next (&at, &number))
      return -1;
    count += number > 0;
  }
  return count;
}

static void judge_sockets (struct judge *judge)
{
  const char *path = "/proc/net/sockstat", *text = inside_text (judge->in, QUESTION_FILE, path);
  bool absent = inside_answer (judge->in, QUESTION_FILE, path)->errnum == ENOENT;
  int count = text ? count_sockets (text) : -1;

  if (absent || judge->promises->settings->values[SETTING_NETWORK_MODE].level != NETWORK_NONE)
    return;
  if (count < 0)
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_UNVERIFIED, SEEN_NOT, "'%s' could not be read", path);
  else if (count > 0)
    judge_say (judge, CONTROL_NETWORK_MODE, VERDICT_VIOLATED, SEEN_INSIDE,
               "the namespace is not new: sockets are in use");
}

static void judge_nested (struct judge *judge)
{
  int64_t made = 0;

  if (inside_call (judge->in, &probe_new_user, &made) && made == 0
      && filter_answer (judge->promises->filter, "unshare", probe_new_user.arguments) != 0)
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE, "a new user namespace could be made");
}

void judge_spaces (struct judge *judge)
{
  for (size_t i = 0; i < ARRAY_LEN (spaces); i++) {
    enum control control = spaces[i].control;
    bool ours = true;

    if (control == CONTROL_USER_NAMESPACE)
      ours = judge->promises->user_namespace;
    else if (control == CONTROL_NETWORK_MODE)
      ours = judge->promises->network_namespace;
    if (ours)
      judge_space (judge, spaces[i].space, control);
  }
  judge_processes (judge);
  judge_name (judge);
  judge_empty (judge);
  judge_sockets (judge);
  judge_nested (judge);
}
