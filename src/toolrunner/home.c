/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gateway's home, and a workspace apart from what the gateway keeps there.
 *
 * The gateway loads code and configuration from its home when it starts, and SQLite plays back a journal that
 * lies beside the database. A step that could write any of that would decide what the gateway runs. So in
 * mode 'command' the workspace is HOME/workspace, and no other part of the home is ever mounted writable.
 */
#include <config.h>

#include "toolrunner-run-step.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount-protected.h"

#define WORKSPACE "workspace"

#define ADVICE                                                                                               \
  "choose a directory apart from what the gateway keeps and loads, or leave toolrunner.workspace out for "   \
  "'" WORKSPACE "' in the gateway's home"

/* ---- The workspace. */

/* A change of ids makes the kernel forget the signal of --die-with-parent. PARENT may have ended since. */
static int follow_again (int number, pid_t parent)
{
  if (number == 0)
    return 0;
  if (prctl (PR_SET_PDEATHSIG, number) < 0)
    return -errno;
  if (getppid () != parent)
    raise (number);
  return 0;
}

/* Made as the home's owner, so that it never belongs to another user, with the home's mode. */
static int make_directory (int home, const struct stat *st)
{
  pid_t parent = getppid ();
  int signal_number = 0, followed = prctl (PR_GET_PDEATHSIG, &signal_number) < 0 ? -errno : 0;
  mode_t mask = umask (0);
  int gid = setfsgid (st->st_gid), uid = setfsuid (st->st_uid);
  int r = mkdirat (home, WORKSPACE, (st->st_mode & 0755) | 0700) < 0 ? -errno : 0;

  setfsuid ((uid_t) uid);
  setfsgid ((gid_t) gid);
  umask (mask);
  if (followed == 0)
    followed = follow_again (signal_number, parent);
  return followed < 0 ? followed : r;
}

static int check_directory (int home, const char *name, bool *ret_is_owners, const struct stat *owner,
                            struct error *err)
{
  struct stat st;

  if (fstatat (home, WORKSPACE, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return error_set_errno (err, errno, "look at '%s/" WORKSPACE "'", name);
  if (!S_ISDIR (st.st_mode))
    return error_set (err, -ENOTDIR,
                      "'%s/" WORKSPACE "' cannot be the workspace: it is %s; remove it, or set "
                      "toolrunner.workspace to a directory",
                      name, S_ISLNK (st.st_mode) ? "a symbolic link" : "not a directory");
  *ret_is_owners = st.st_uid == owner->st_uid;
  return 0;
}

/* HOME/workspace, made where there is none. */
static int default_workspace (const char *home, char **ret_directory, struct error *err)
{
  cleanup_free char *real = realpath (home, NULL);
  cleanup_close int fd = real ? open (real, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  bool is_owners = false;
  struct stat st;
  int made, r;

  if (fd < 0 || fstat (fd, &st) < 0)
    return errno == ENOMEM ? error_oom (err) : error_set_errno (err, errno, "cannot find '%s'", home);
  made = make_directory (fd, &st);
  if (made < 0 && made != -EEXIST)
    return error_set_errno (
        err, -made, "cannot make the workspace '%s/" WORKSPACE "' (make it, or set toolrunner.workspace)",
        real);
  r = check_directory (fd, real, &is_owners, &st, err);
  if (r == 0 && made == 0 && !is_owners) {
    unlinkat (fd, WORKSPACE, AT_REMOVEDIR);
    return error_set (err, -EPERM,
                      "cannot make '%s/" WORKSPACE "' for the home's owner, user %lu; make it, or set "
                      "toolrunner.workspace to a directory",
                      real, (unsigned long) st.st_uid);
  }
  if (r < 0)
    return r;
  *ret_directory = str_format ("%s/" WORKSPACE, strcmp (real, "/") == 0 ? "" : real);
  return *ret_directory ? 0 : error_oom (err);
}

int toolrunner_find_workspace (struct toolrunner *toolrunner, struct error *err)
{
  const char *home = arguments_text (toolrunner->given, OPTION_HOME);
  const char *directory = arguments_text (toolrunner->given, OPTION_WORKSPACE);
  bool command = toolrunner->configuration->toolrunner_mode == TOOLRUNNER_COMMAND;
  cleanup_free char *joined = NULL;

  if (directory == NULL)
    directory = toolrunner->configuration->workspace;
  if (home == NULL && (command || directory == NULL || directory[0] != '/'))
    return error_set (err, CLI_USAGE, "option '--home' is missing: it says %s",
                      command ? "what a step must not write" : "where the workspace is");
  if (directory == NULL && command)
    return default_workspace (home, &toolrunner->workspace, err);
  if (directory == NULL || (directory[0] != '/' && !arguments_have (toolrunner->given, OPTION_WORKSPACE))) {
    joined = directory ? str_format ("%s/%s", home, directory) : strdup (home);
    if (joined == NULL)
      return error_oom (err);
    directory = joined;
  }
  toolrunner->workspace = realpath (directory, NULL);
  if (toolrunner->workspace == NULL)
    return errno == ENOMEM ? error_oom (err) : error_set_errno (err, errno, "cannot find '%s'", directory);
  return 0;
}

/* ---- What the gateway keeps and loads. */

/* Read in Tyrum's sources: what its gateway takes from the home, by name. All of the home is kept from steps;
 * these are followed where they are links, or mounts, that lead out of it. */
static const char *const loaded[] = {
  "agent.yml", "agents",  "hooks.json",  "hooks.yaml",  "hooks.yml",  "managed", "mcp",
  "playbooks", "plugins", "policy.json", "policy.yaml", "policy.yml", "skills",  "tls",
};

static const char *const companions[] = { "", "-journal", "-wal", "-shm" };

struct places {
  struct run_protected items[ARRAY_LEN (loaded) + ARRAY_LEN (companions) + 3];
  size_t count;
  struct strlist paths;
};

static void places_clear (struct places *places)
{
  strlist_clear (&places->paths);
}
#define cleanup_places cleanup (places_clear)

/* PATH as it was given; what is relative counts from the working directory, which is the gateway's. */
static int add_place (struct places *places, const char *path, const char *rest, struct run_protected place,
                      struct error *err)
{
  cleanup_free char *cwd = path[0] == '/' ? strdup ("") : getcwd (NULL, 0);
  char *whole;

  if (cwd == NULL)
    return error_set_errno (err, errno, "find the working directory");
  whole = str_format ("%s%s%s%s", cwd, cwd[0] ? "/" : "", path, rest);
  if (whole == NULL || strlist_add_take (&places->paths, whole) < 0)
    return error_oom (err);
  place.path = whole;
  places->items[places->count++] = place;
  return 0;
}

static int hex (char c)
{
  static const char digits[] = "0123456789abcdefABCDEF";
  const char *found = c != '\0' ? strchr (digits, c) : NULL;

  if (found == NULL)
    return -1;
  return (int) (found - digits) - (found - digits < 16 ? 0 : 6);
}

char *toolrunner_database_file (const char *db)
{
  cleanup_strbuf struct strbuf out = { 0 };

  strbuf_add (&out, "");
  if (strncasecmp (db, "postgres://", 11) == 0 || strncasecmp (db, "postgresql://", 13) == 0
      || strcmp (db, ":memory:") == 0)
    return strbuf_take (&out);
  if (strncasecmp (db, "file:", 5) != 0)
    return strdup (db);
  db += strlen ("file:");
  if (str_has_prefix (db, "//")) /* and the host, which is empty or this one */
    db += 2 + strcspn (db + 2, "/");
  for (; *db != '\0' && *db != '?' && *db != '#'; db++) {
    int high = *db == '%' ? hex (db[1]) : -1, low = high >= 0 ? hex (db[2]) : -1;
    unsigned char decoded = (unsigned char) (high * 16 + low);

    strbuf_add_bytes (&out, low >= 0 ? (const char *) &decoded : db, 1);
    db += low >= 0 ? 2 : 0;
  }
  return strbuf_take (&out);
}

static int add_database (struct places *places, const char *home, const char *db, struct error *err)
{
  cleanup_free char *file = db ? toolrunner_database_file (db) : str_format ("%s/gateway.db", home);
  int r = file ? 0 : error_oom (err);

  for (size_t i = 0; r == 0 && file[0] != '\0' && i < ARRAY_LEN (companions); i++)
    r = add_place (places, file, companions[i],
                   (struct run_protected){ .what = i == 0
                                                       ? "the gateway's database"
                                                       : "which SQLite reads beside the gateway's database",
                                           .reading = true },
                   err);
  return r;
}

static int find_places (struct places *places, const struct toolrunner *toolrunner, struct error *err)
{
  const char *home = arguments_text (toolrunner->given, OPTION_HOME);
  const char *db = arguments_text (toolrunner->given, OPTION_DB);
  const char *migrations = arguments_text (toolrunner->given, OPTION_MIGRATIONS);
  const struct run_protected dir = { .what = "which the gateway loads", .inside = true };
  int r = add_place (
      places, home, "",
      (struct run_protected){ .what = "the gateway's home", .except = WORKSPACE, .inside = true }, err);

  if (r == 0)
    r = add_place (places, home, "/master.key",
                   (struct run_protected){ .what = "the gateway's key", .reading = true }, err);
  if (r == 0)
    r = add_database (places, home, db, err);
  if (r == 0 && migrations != NULL)
    r = add_place (places, migrations, "", dir, err);
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (loaded); i++) {
    cleanup_free char *rest = str_format ("/%s", loaded[i]);

    r = rest ? add_place (places, home, rest, dir, err) : error_oom (err);
  }
  return r;
}

int toolrunner_check_plan (const struct toolrunner *toolrunner, const struct plan *plan, struct error *err)
{
  cleanup_places struct places places = { 0 };
  int r = find_places (&places, toolrunner, err);

  return r < 0 ? r : run_check_protected (plan, places.items, places.count, ADVICE, err);
}
