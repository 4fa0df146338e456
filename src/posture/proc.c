/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "posture-proc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-str.h"

/* More than any namespace depth that the kernel allows (32). */
#define PID_DEPTH_MAX 33

const char *const proc_cap_names[PROC_CAP_SETS] = { "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb" };

static const char *skip_blanks (const char *text)
{
  return text + strspn (text, " \t");
}

bool proc_number_next (const char **text, uint64_t *ret_number)
{
  const char *p = skip_blanks (*text);
  uint64_t number = 0;

  if (!isdigit ((unsigned char) *p))
    return false;
  for (; isdigit ((unsigned char) *p); p++) {
    unsigned digit = (unsigned) (*p - '0');

    if (number > (UINT64_MAX - digit) / 10)
      return false;
    number = number * 10 + digit;
  }
  *text = p;
  *ret_number = number;
  return true;
}

static bool read_hex (const char *text, uint64_t *ret_number)
{
  const char *p = skip_blanks (text);
  size_t digits = strspn (p, "0123456789abcdef");
  uint64_t number = 0;

  if (digits == 0 || digits > 16 || (p[digits] != '\n' && p[digits] != '\0'))
    return false;
  for (size_t i = 0; i < digits; i++)
    number = number << 4 | (uint64_t) (p[i] <= '9' ? p[i] - '0' : p[i] - 'a' + 10);
  *ret_number = number;
  return true;
}

/* The text after "NAME:" at the start of a line; NULL if there is none, or more than one, which the kernel
 * never writes. */
static const char *find_line (const char *text, const char *name)
{
  size_t len = strlen (name);
  const char *found = NULL;

  for (const char *line = text; line != NULL; line = strchr (line, '\n') ? strchr (line, '\n') + 1 : NULL) {
    if (strncmp (line, name, len) != 0 || line[len] != ':')
      continue;
    if (found != NULL)
      return NULL;
    found = line + len + 1;
  }
  return found;
}

static bool at_end (const char *text)
{
  text = skip_blanks (text);
  return *text == '\n' || *text == '\0';
}

static bool read_four (const char *text, const char *name, uint64_t ids[4])
{
  const char *p = find_line (text, name);

  for (size_t i = 0; i < 4; i++)
    if (p == NULL || !proc_number_next (&p, &ids[i]))
      return false;
  return at_end (p);
}

static bool read_one (const char *text, const char *name, uint64_t *ret_number)
{
  const char *p = find_line (text, name);

  return p != NULL && proc_number_next (&p, ret_number) && at_end (p);
}

/* Counts groups other than OWN, the process's real group. */
static bool read_groups (const char *text, uint64_t own, size_t *ret_count)
{
  const char *p = find_line (text, "Groups");
  size_t count = 0;
  uint64_t group;

  if (p == NULL)
    return false;
  while (!at_end (p)) {
    if (!proc_number_next (&p, &group))
      return false;
    count += group != own;
  }
  *ret_count = count;
  return true;
}

/* The last number is the one of the innermost namespace. */
static bool read_pid (const char *text, uint64_t *ret_pid)
{
  const char *p = find_line (text, "NSpid");

  if (p == NULL)
    return false;
  for (size_t depth = 0; depth < PID_DEPTH_MAX; depth++) {
    if (!proc_number_next (&p, ret_pid))
      return false;
    if (at_end (p))
      return true;
  }
  return false;
}

bool proc_status_read (const char *text, struct proc_status *ret_status)
{
  struct proc_status status = { 0 };

  if (!read_four (text, "Uid", status.uid) || !read_four (text, "Gid", status.gid)
      || !read_groups (text, status.gid[0], &status.groups) || !read_one (text, "Seccomp", &status.seccomp))
    return false;
  for (size_t i = 0; i < PROC_CAP_SETS; i++) {
    const char *p = find_line (text, proc_cap_names[i]);

    if (p == NULL && i == PROC_CAP_AMBIENT)
      continue;
    if (p == NULL || !read_hex (p, &status.caps[i]))
      return false;
    status.has_ambient = i == PROC_CAP_AMBIENT;
  }
  status.has_no_new_privileges = read_one (text, "NoNewPrivs", &status.no_new_privileges);
  /* Missing in gVisor's kernel and in Linux before 5.9. */
  if (!read_one (text, "Seccomp_filters", &status.filters))
    status.filters = 0;
  if (!read_pid (text, &status.pid) && !read_one (text, "Pid", &status.pid))
    return false;
  *ret_status = status;
  return true;
}

/* Takes a field and decodes \ooo, by which the kernel escapes blanks, tabs, newlines and backslashes. 0,
 * -EINVAL without a field, -ENOMEM. */
static int take_field (const char **text, char **ret_field)
{
  const char *p = skip_blanks (*text);
  size_t len = strcspn (p, " \t\n");
  char *field = malloc (len + 1);
  size_t out = 0;

  if (field == NULL)
    return -ENOMEM;
  for (size_t i = 0; i < len; i++) {
    if (p[i] == '\\' && i + 3 < len && p[i + 1] >= '0' && p[i + 1] <= '3' && p[i + 2] >= '0'
        && p[i + 2] <= '7' && p[i + 3] >= '0' && p[i + 3] <= '7') {
      field[out++] = (char) ((p[i + 1] - '0') << 6 | (p[i + 2] - '0') << 3 | (p[i + 3] - '0'));
      i += 3;
    } else
      field[out++] = p[i];
  }
  field[out] = '\0';
  *text = p + len;
  *ret_field = field;
  return len > 0 ? 0 : -EINVAL;
}

/* The same without decoding. */
static int take_raw_field (const char **text, char **ret_field)
{
  const char *p = skip_blanks (*text);
  size_t len = strcspn (p, " \t\n");

  *ret_field = strndup (p, len);
  *text = p + len;
  if (*ret_field == NULL)
    return -ENOMEM;
  return len > 0 ? 0 : -EINVAL;
}

static int take_fields (const char **text, char **const *fields, size_t count)
{
  int r = 0;

  for (size_t i = 0; i < count && r == 0; i++)
    r = take_field (text, fields[i]);
  return r;
}

static bool read_device (const char **text, uint64_t *ret_device)
{
  uint64_t major, minor;
  const char *p = *text;

  if (!proc_number_next (&p, &major) || *p++ != ':' || !proc_number_next (&p, &minor) || major > UINT32_MAX
      || minor > UINT32_MAX)
    return false;
  *text = p;
  *ret_device = major << 32 | minor;
  return true;
}

/* "shared:N" and "master:N", any number of them, then "-". */
static bool read_tags (const char **text, bool *ret_shared)
{
  const char *p = skip_blanks (*text);

  *ret_shared = false;
  while (strncmp (p, "- ", 2) != 0) {
    size_t len = strcspn (p, " \n");

    if (len == 0 || p[len] != ' ')
      return false;
    *ret_shared = *ret_shared || strncmp (p, "shared:", 7) == 0 || strncmp (p, "master:", 7) == 0;
    p += len + 1;
  }
  *text = p + 1;
  return true;
}

static void mount_clear (struct proc_mount *mount)
{
  free (mount->root);
  free (mount->point);
  free (mount->options);
  free (mount->type);
  free (mount->source);
  free (mount->super);
  *mount = (struct proc_mount){ 0 };
}

static int read_mount (const char **text, struct proc_mount *mount)
{
  char **const before[] = { &mount->root, &mount->point, &mount->options };
  char **const after[] = { &mount->type, &mount->source };
  int r;

  if (!proc_number_next (text, &mount->id) || !proc_number_next (text, &mount->parent)
      || !read_device (text, &mount->device))
    return -EINVAL;
  r = take_fields (text, before, ARRAY_LEN (before));
  if (r == 0 && !read_tags (text, &mount->shared))
    r = -EINVAL;
  if (r == 0)
    r = take_fields (text, after, ARRAY_LEN (after));
  if (r == 0)
    r = take_raw_field (text, &mount->super);
  return r == 0 && **text != '\n' ? -EINVAL : r;
}

int proc_mounts_read (const char *text, struct proc_mounts *ret_mounts)
{
  cleanup_proc_mounts struct proc_mounts mounts = { 0 };

  while (*text != '\0') {
    struct proc_mount *grown = realloc (mounts.items, (mounts.count + 1) * sizeof (*grown));
    int r;

    if (grown == NULL)
      return -ENOMEM;
    mounts.items = grown;
    mounts.items[mounts.count] = (struct proc_mount){ 0 };
    r = read_mount (&text, &mounts.items[mounts.count++]);
    if (r < 0)
      return r;
    text++;
  }
  if (mounts.count == 0)
    return -EINVAL;
  *ret_mounts = mounts;
  mounts = (struct proc_mounts){ 0 };
  return 0;
}

void proc_mounts_clear (struct proc_mounts *mounts)
{
  for (size_t i = 0; i < mounts->count; i++)
    mount_clear (&mounts->items[i]);
  free (mounts->items);
  *mounts = (struct proc_mounts){ 0 };
}

const struct proc_mount *proc_mounts_find (const struct proc_mounts *mounts, const char *point)
{
  const struct proc_mount *found = NULL;

  for (size_t i = 0; i < mounts->count; i++)
    if (strcmp (mounts->items[i].point, point) == 0)
      found = &mounts->items[i];
  return found;
}

bool proc_option_has (const char *options, const char *name)
{
  size_t len = strlen (name);

  for (const char *p = options; *p != '\0';) {
    size_t part = strcspn (p, ",");

    if (part == len && strncmp (p, name, len) == 0)
      return true;
    p += part + (p[part] == ',');
  }
  return false;
}

bool proc_mount_equal (const struct proc_mount *a, const struct proc_mount *b)
{
  /* The kernel reports the root of a cgroup mount relative to the reader's cgroup namespace. */
  bool relative = strcmp (a->type, "cgroup") == 0 || strcmp (a->type, "cgroup2") == 0;

  return a->id == b->id && a->parent == b->parent && a->device == b->device && a->shared == b->shared
         && (relative || strcmp (a->root, b->root) == 0) && strcmp (a->point, b->point) == 0
         && strcmp (a->options, b->options) == 0 && strcmp (a->type, b->type) == 0
         && strcmp (a->source, b->source) == 0 && strcmp (a->super, b->super) == 0;
}

int proc_id_map_read (const char *text, struct proc_id_map *maps, size_t max)
{
  size_t count = 0;

  while (*skip_blanks (text) != '\0') {
    struct proc_id_map map;

    if (count == max || !proc_number_next (&text, &map.inside) || !proc_number_next (&text, &map.outside)
        || !proc_number_next (&text, &map.count) || !at_end (text))
      return -EINVAL;
    text = skip_blanks (text);
    text += *text == '\n';
    maps[count++] = map;
  }
  return (int) count;
}
