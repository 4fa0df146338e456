/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saves and loads the facts seen from outside.
 *
 * A line "NAME NUMBER" for each number, and "NAME LENGTH" followed by the bytes for each text: a mount table
 * may contain any bytes, which a JSON string cannot. The order is fixed, and nothing may be missing.
 */
#include <config.h>

#include "posture-outside.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base-number.h"
#include "base-str.h"

#define HEADING "tyrum-oci facts 1\n"

/* The length of a text that could not be read. */
#define ABSENT UINT64_MAX

#define AT(field) offsetof (struct outside, field)

struct field {
  const char *name;
  size_t offset;
};

static const struct field numbers[] = {
  { "pid", AT (pid) },
  { "user", AT (spaces[SPACE_USER]) },
  { "mnt", AT (spaces[SPACE_MOUNT]) },
  { "pidns", AT (spaces[SPACE_PID]) },
  { "net", AT (spaces[SPACE_NET]) },
  { "ipc", AT (spaces[SPACE_IPC]) },
  { "uts", AT (spaces[SPACE_UTS]) },
  { "cgroup", AT (spaces[SPACE_CGROUP]) },
  { "host-user", AT (own_spaces[SPACE_USER]) },
  { "host-mnt", AT (own_spaces[SPACE_MOUNT]) },
  { "host-pidns", AT (own_spaces[SPACE_PID]) },
  { "host-net", AT (own_spaces[SPACE_NET]) },
  { "host-ipc", AT (own_spaces[SPACE_IPC]) },
  { "host-uts", AT (own_spaces[SPACE_UTS]) },
  { "host-cgroup", AT (own_spaces[SPACE_CGROUP]) },
  { "memory", AT (group.memory) },
  { "memory-and-swap", AT (group.memory_and_swap) },
  { "swap", AT (group.swap) },
  { "pids", AT (group.pids) },
  { "quota", AT (group.quota) },
  { "period", AT (group.period) },
};

static const struct field flags[] = {
  { "seen", AT (seen) },
  { "group", AT (group.known) },
  { "counts-swap", AT (group.counts_swap) },
};

static const struct field texts[] = {
  { "status", AT (status) }, { "uid_map", AT (uid_map) }, { "gid_map", AT (gid_map) },
  { "mounts", AT (mounts) }, { "groups", AT (cgroup) },   { "label", AT (label) },
  { "limits", AT (limits) }, { "path", AT (group_path) },
};

int outside_save (const struct outside *outside, char **ret_bytes, size_t *ret_length, struct error *err)
{
  cleanup_strbuf struct strbuf buf = { 0 };
  const char *base = (const char *) outside;

  strbuf_add (&buf, HEADING);
  for (size_t i = 0; i < ARRAY_LEN (numbers); i++)
    strbuf_addf (&buf, "%s %" PRIu64 "\n", numbers[i].name, *(const uint64_t *) (base + numbers[i].offset));
  for (size_t i = 0; i < ARRAY_LEN (flags); i++)
    strbuf_addf (&buf, "%s %u\n", flags[i].name, *(const bool *) (base + flags[i].offset) ? 1u : 0u);
  for (size_t i = 0; i < ARRAY_LEN (texts); i++) {
    const char *text = *(char *const *) (base + texts[i].offset);

    strbuf_addf (&buf, "%s %" PRIu64 "\n", texts[i].name, text ? (uint64_t) strlen (text) : ABSENT);
    if (text != NULL)
      strbuf_add (&buf, text);
  }
  *ret_length = buf.len;
  *ret_bytes = strbuf_take (&buf);
  return *ret_bytes ? 0 : error_oom (err);
}

struct cursor {
  const char *at, *end;
};

static bool take_line (struct cursor *cursor, const char *name, uint64_t *ret_number)
{
  const char *line = cursor->at;
  const char *newline = memchr (line, '\n', (size_t) (cursor->end - line));
  size_t len = strlen (name);
  char digits[24];
  size_t count;

  if (newline == NULL || (size_t) (newline - line) < len + 2 || strncmp (line, name, len) != 0
      || line[len] != ' ')
    return false;
  count = (size_t) (newline - line) - len - 1;
  if (count >= sizeof (digits))
    return false;
  memcpy (digits, line + len + 1, count);
  digits[count] = '\0';
  cursor->at = newline + 1;
  return number_parse (digits, UINT64_MAX, ret_number);
}

static bool take_flag (struct cursor *cursor, const char *name, bool *ret_flag)
{
  uint64_t number;

  if (!take_line (cursor, name, &number) || number > 1)
    return false;
  *ret_flag = number == 1;
  return true;
}

/* 1: taken, 0: malformed, -ENOMEM. */
static int take_text (struct cursor *cursor, const char *name, char **ret_text)
{
  uint64_t length;

  if (!take_line (cursor, name, &length))
    return 0;
  if (length == ABSENT)
    return 1;
  if (length > (uint64_t) (cursor->end - cursor->at) || memchr (cursor->at, '\0', (size_t) length) != NULL)
    return 0;
  *ret_text = strndup (cursor->at, (size_t) length);
  cursor->at += length;
  return *ret_text ? 1 : -ENOMEM;
}

int outside_load (const char *bytes, size_t length, struct outside *ret_outside, struct error *err)
{
  cleanup_outside struct outside outside = { 0 };
  struct cursor cursor = { bytes, bytes + length };
  char *base = (char *) &outside;
  int good = length >= strlen (HEADING) && strncmp (bytes, HEADING, strlen (HEADING)) == 0;

  if (good > 0)
    cursor.at += strlen (HEADING);
  for (size_t i = 0; i < ARRAY_LEN (numbers) && good > 0; i++)
    good = take_line (&cursor, numbers[i].name, (uint64_t *) (void *) (base + numbers[i].offset));
  for (size_t i = 0; i < ARRAY_LEN (flags) && good > 0; i++)
    good = take_flag (&cursor, flags[i].name, (bool *) (base + flags[i].offset));
  for (size_t i = 0; i < ARRAY_LEN (texts) && good > 0; i++)
    good = take_text (&cursor, texts[i].name, (char **) (void *) (base + texts[i].offset));
  if (good < 0)
    return error_oom (err);
  if (good == 0 || cursor.at != cursor.end)
    return error_set (err, -EINVAL, "the facts that the run began with cannot be read");
  *ret_outside = outside;
  outside = (struct outside){ 0 };
  return 0;
}
