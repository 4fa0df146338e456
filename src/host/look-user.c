/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "host-internal.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-namespace.h"
#include "base-number.h"
#include "base-path.h"
#include "base-places.h"
#include "base-str.h"

static int copy_user (const char *name, const char *home, char **ret_name, char **ret_home)
{
  char *name_copy = strdup (name);
  char *home_copy = strdup (home);

  if (name_copy == NULL || home_copy == NULL) {
    free (name_copy);
    free (home_copy);
    return -ENOMEM;
  }
  *ret_name = name_copy;
  *ret_home = home_copy;
  return 0;
}

int look_passwd (char *text, uint32_t uid, char **ret_name, char **ret_home)
{
  char *cursor = text;

  for (char *line = look_line (&cursor); line != NULL; line = look_line (&cursor)) {
    char *fields[7];
    uint64_t value;

    if (!look_fields (line, fields, ARRAY_LEN (fields)) || !number_parse (fields[2], LIMIT_ID_MAX, &value)
        || value != uid || fields[0][0] == '\0')
      continue;
    return copy_user (fields[0], fields[5], ret_name, ret_home);
  }
  return -ENOENT;
}

/* For users that are in no file (such as LDAP). Only then: it loads the modules of nsswitch.conf. */
static int ask_name_service (uint32_t uid, char **ret_name, char **ret_home)
{
  struct passwd entry, *found = NULL;
  char buffer[4096];

  if (getpwuid_r (uid, &entry, buffer, sizeof (buffer), &found) != 0 || found == NULL)
    return -ENOENT;
  return copy_user (found->pw_name, found->pw_dir, ret_name, ret_home);
}

static bool parse_range (const char *first_text, const char *count_text, struct id_range *ret_range)
{
  uint64_t first, count;

  if (!number_parse (first_text, LIMIT_ID_MAX, &first) || !number_parse (count_text, LIMIT_ID_MAX, &count))
    return false;
  if (count == 0 || first + count - 1 > LIMIT_ID_MAX)
    return false;
  *ret_range = (struct id_range){ .first = (uint32_t) first, .count = (uint32_t) count };
  return true;
}

struct id_range look_subids (char *text, const char *name, uint32_t uid)
{
  struct id_range largest = { 0 };
  char *cursor = text;

  for (char *line = look_line (&cursor); line != NULL; line = look_line (&cursor)) {
    char *fields[3];
    struct id_range range;
    uint64_t value;

    if (!look_fields (line, fields, ARRAY_LEN (fields)))
      continue;
    if (!str_equal (fields[0], name) && !(number_parse (fields[0], LIMIT_ID_MAX, &value) && value == uid))
      continue;
    if (parse_range (fields[1], fields[2], &range) && range.count > largest.count)
      largest = range;
  }
  return largest;
}

static int read_subids (const char *path, const char *name, uint32_t uid, struct id_range *ret_range,
                        struct error *err)
{
  cleanup_free char *text = NULL;
  int r = look_text (path, &text, err);

  *ret_range = text ? look_subids (text, name, uid) : (struct id_range){ 0 };
  return r;
}

static char *choose_home (const char *from_passwd)
{
  const char *home = places_variable ("HOME");

  if (home == NULL && from_passwd != NULL && path_is_normal (from_passwd))
    home = from_passwd;
  return strdup (home ? home : HOME_UNKNOWN);
}

char *look_config_home (uint32_t uid, const char *home, const char *base)
{
  if (uid == 0)
    return strdup ("/etc/tyrum-oci");
  return base ? places_below (base, "tyrum-oci") : places_below (home, ".config/tyrum-oci");
}

char *look_storage_dir (uint32_t uid, const char *home, const char *base)
{
  if (uid == 0)
    return strdup ("/var/lib/tyrum-oci");
  return base ? places_below (base, "tyrum-oci") : places_below (home, ".local/state/tyrum-oci");
}

int host_look_state_dir (char **ret_path, struct error *err)
{
  *ret_path = places_state ();
  return *ret_path ? 0 : error_oom (err);
}

int look_user (struct host_facts *facts, struct error *err)
{
  cleanup_free char *passwd = NULL;
  cleanup_free char *name = NULL;
  cleanup_free char *home = NULL;
  uid_t uid;
  int r = look_text ("/etc/passwd", &passwd, err);

  if (r < 0)
    return r;
  namespace_is_users (&uid);
  facts->uid = geteuid ();
  facts->gid = getegid ();
  r = -ENOENT;
  if (passwd != NULL)
    r = look_passwd (passwd, uid, &name, &home);
  if (r == -ENOENT)
    r = ask_name_service (uid, &name, &home);
  if (r == -ENOMEM)
    return error_oom (err);
  r = read_subids ("/etc/subuid", name, facts->uid, &facts->subuid, err);
  if (r == 0)
    r = read_subids ("/etc/subgid", name, facts->uid, &facts->subgid, err);
  if (r < 0)
    return r;
  facts->home = choose_home (home);
  if (facts->home == NULL)
    return error_oom (err);
  facts->config_home = look_config_home (uid, facts->home, places_variable ("XDG_CONFIG_HOME"));
  facts->state_dir = places_state ();
  /* For development and tests, like the variables for the other directories. */
  if (places_variable ("TYRUM_OCI_STATEDIR") != NULL)
    facts->storage_dir = strdup (places_variable ("TYRUM_OCI_STATEDIR"));
  else
    facts->storage_dir = look_storage_dir (uid, facts->home, places_variable ("XDG_STATE_HOME"));
  return facts->config_home && facts->state_dir && facts->storage_dir ? 0 : error_oom (err);
}

int host_look_storage_dir (char **ret_path, struct error *err)
{
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));
  int r = facts ? look_user (facts, err) : error_oom (err);

  if (r == 0)
    *ret_path = take_ptr (facts->storage_dir);
  return r;
}
