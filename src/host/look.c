/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "host-facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-str.h"
#include "host-internal.h"

/* The same numbers on every architecture. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#define LANDLOCK_ASK_VERSION 1u /* LANDLOCK_CREATE_RULESET_VERSION */

bool look_is_trouble (int errnum)
{
  return errnum == ENOMEM || errnum == EMFILE || errnum == ENFILE || errnum == EIO || errnum == EINTR;
}

int look_text (const char *path, char **ret_text, struct error *err)
{
  struct error failed = { 0 };
  char *text = NULL;
  int r = file_read (AT_FDCWD, path, LIMIT_HOST_FILE_BYTES, &text, NULL, &failed);

  if (look_is_trouble (-r)) {
    error_clear (err);
    *err = failed;
    return r;
  }
  error_clear (&failed);
  *ret_text = text;
  return 0;
}

char *look_line (char **cursor)
{
  char *line = *cursor;
  char *end;

  if (*line == '\0')
    return NULL;
  end = strchrnul (line, '\n');
  *cursor = *end == '\0' ? end : end + 1;
  *end = '\0';
  return line;
}

bool look_fields (char *line, char **fields, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char *end = strchr (line, ':');

    fields[i] = line;
    if ((end != NULL) != (i + 1 < count))
      return false;
    if (end != NULL) {
      *end = '\0';
      line = end + 1;
    }
  }
  return true;
}

/* Reads a file that holds one number; ABSENT when there is no such file. */
static int look_number (const char *path, uint64_t absent, uint64_t *ret_value, struct error *err)
{
  cleanup_free char *text = NULL;
  int r = look_text (path, &text, err);

  *ret_value = absent;
  if (r < 0 || text == NULL)
    return r;
  text[strcspn (text, "\n")] = '\0';
  if (!number_parse (text, UINT64_MAX, ret_value))
    *ret_value = 0;
  return 0;
}

static int look_kernel (struct host_facts *facts, struct error *err)
{
  struct utsname name;

  if (uname (&name) < 0)
    return error_set_errno (err, errno, "cannot get the name and version of the kernel");
  facts->machine = strdup (name.machine);
  facts->kernel = strdup (name.release);
  return facts->machine && facts->kernel ? 0 : error_oom (err);
}

/* Lines are "tyrum-hardened (enforce)"; a name may contain blanks and brackets. A profile in complain mode
 * confines nothing, so it is left out. */
int look_apparmor_profiles (char *text, struct strlist *profiles)
{
  char *cursor = text;

  for (char *line = look_line (&cursor); line != NULL; line = look_line (&cursor)) {
    char *end = strrchr (line, '(');

    if (end == NULL || end < line + 2 || end[-1] != ' '
        || (strcmp (end, "(enforce)") != 0 && strcmp (end, "(kill)") != 0))
      continue;
    end[-1] = '\0';
    if (!str_is_utf8 (line, strlen (line)))
      continue;
    if (strset_add (profiles, line) < 0)
      return -ENOMEM;
  }
  return 0;
}

/* FILE in the directory of one profile, without the trailing newline. */
static int look_apparmor_file (const char *directory, const char *entry, const char *file, char **ret_text,
                               struct error *err)
{
  cleanup_free char *path = str_format ("%s/%s/%s", directory, entry, file);
  int r = path ? look_text (path, ret_text, err) : error_oom (err);

  if (r == 0 && *ret_text != NULL)
    (*ret_text)[strcspn (*ret_text, "\n")] = '\0';
  return r;
}

/* Only root may read the list; the directory with an entry for each profile is readable by all users. */
static int look_apparmor_directory (const char *directory, struct strlist *profiles, struct error *err)
{
  DIR *dir = opendir (directory);
  const struct dirent *entry;
  int r = 0;

  while (dir != NULL && r == 0 && (entry = readdir (dir)) != NULL) {
    cleanup_free char *name = NULL;
    cleanup_free char *mode = NULL;
    cleanup_free char *line = NULL;

    r = look_apparmor_file (directory, entry->d_name, "name", &name, err);
    if (r == 0)
      r = look_apparmor_file (directory, entry->d_name, "mode", &mode, err);
    if (r < 0 || name == NULL || mode == NULL)
      continue;
    line = str_format ("%s (%s)", name, mode);
    if (line == NULL || look_apparmor_profiles (line, profiles) < 0)
      r = error_oom (err);
  }
  if (dir != NULL)
    closedir (dir);
  return r;
}

static int look_apparmor (struct host_facts *facts, struct error *err)
{
  cleanup_free char *enabled = NULL;
  cleanup_free char *profiles = NULL;
  int r = look_text ("/sys/module/apparmor/parameters/enabled", &enabled, err);

  facts->apparmor = enabled != NULL && enabled[0] == 'Y';
  if (r < 0 || !facts->apparmor)
    return r;
  r = look_text ("/sys/kernel/security/apparmor/profiles", &profiles, err);
  if (r == 0 && profiles == NULL)
    r = look_apparmor_directory ("/sys/kernel/security/apparmor/policy/profiles", &facts->apparmor_profiles,
                                 err);
  else if (r == 0 && look_apparmor_profiles (profiles, &facts->apparmor_profiles) < 0)
    r = error_oom (err);
  if (r < 0)
    return r;
  /* A list that is longer than the document allows is treated as unreadable. */
  if (facts->apparmor_profiles.count > LIMIT_HOST_ENTRIES)
    strlist_clear (&facts->apparmor_profiles);
  return 0;
}

int look_words (char *text, struct strlist *set)
{
  char *rest = NULL;

  for (char *word = text ? strtok_r (text, " \n", &rest) : NULL; word != NULL;
       word = strtok_r (NULL, " \n", &rest))
    if (str_is_utf8 (word, strlen (word)) && strset_add (set, word) < 0)
      return -ENOMEM;
  return 0;
}

static int look_seccomp (struct host_facts *facts, struct error *err)
{
  cleanup_free char *text = NULL;
  int r = look_text ("/proc/sys/kernel/seccomp/actions_avail", &text, err);

  if (r == 0 && look_words (text, &facts->seccomp_actions) < 0)
    r = error_oom (err);
  return r;
}

static unsigned ask_landlock (void)
{
  long abi = syscall (SYS_landlock_create_ruleset, NULL, (size_t) 0, LANDLOCK_ASK_VERSION);

  return abi > 0 ? (unsigned) abi : 0;
}

int look_open_without_links (const char *path)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };

  return (int) syscall (SYS_openat2, AT_FDCWD, path, &how, sizeof (how));
}

/* Tried, because a seccomp filter around this process may block it. */
static bool try_openat2 (void)
{
  cleanup_close int fd = look_open_without_links ("/");

  return fd >= 0;
}

/* The last two are settings of Debian and Ubuntu kernels, which restrict all users but root. */
static int look_user_namespaces (struct host_facts *facts, struct error *err)
{
  uint64_t most, allowed = 1, restricted = 0;
  int r = look_number ("/proc/sys/user/max_user_namespaces", 0, &most, err);

  if (r == 0 && facts->uid != 0)
    r = look_number ("/proc/sys/kernel/unprivileged_userns_clone", 1, &allowed, err);
  if (r == 0 && facts->uid != 0)
    r = look_number ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0, &restricted, err);
  facts->user_namespaces = r == 0 && most > 0 && allowed != 0 && restricted == 0;
  return r;
}

static uint64_t look_hard_limit (int resource)
{
  struct rlimit limit;

  return getrlimit ((__rlimit_resource_t) resource, &limit) == 0 ? limit.rlim_max : 0;
}

/* pid_max bounds the number of processes whatever the limit; Podman also takes the smaller one. */
static int look_processes (struct host_facts *facts, struct error *err)
{
  uint64_t hard = look_hard_limit (RLIMIT_NPROC), numbers;
  int r = look_number ("/proc/sys/kernel/pid_max", UINT64_MAX, &numbers, err);

  facts->processes_hard = numbers < hard ? numbers : hard;
  return r;
}

int host_look (struct host_facts **ret_facts, struct error *err)
{
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));
  int r;

  if (facts == NULL)
    return error_oom (err);
  r = look_kernel (facts, err);
  if (r == 0)
    r = look_user (facts, err);
  if (r == 0)
    r = look_cgroup (facts, err);
  if (r == 0)
    r = look_apparmor (facts, err);
  if (r == 0)
    r = look_seccomp (facts, err);
  if (r == 0)
    r = look_sockets (facts, err);
  if (r == 0)
    r = look_user_namespaces (facts, err);
  if (r == 0)
    r = look_processes (facts, err);
  if (r < 0)
    return r;
  facts->landlock_abi = ask_landlock ();
  facts->openat2 = try_openat2 ();
  facts->open_files_hard = look_hard_limit (RLIMIT_NOFILE);
  *ret_facts = take_ptr (facts);
  return 0;
}
