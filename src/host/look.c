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

char *look_text (const char *path)
{
  cleanup_error struct error ignored = { 0 };
  char *text = NULL;

  return file_read (AT_FDCWD, path, LIMIT_HOST_FILE_BYTES, &text, NULL, &ignored) < 0 ? NULL : text;
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

/* A file that holds one number; ABSENT when there is no such file. */
static uint64_t look_number (const char *path, uint64_t absent)
{
  cleanup_free char *text = look_text (path);
  uint64_t value;

  if (text == NULL)
    return absent;
  text[strcspn (text, "\n")] = '\0';
  return number_parse (text, UINT64_MAX, &value) ? value : 0;
}

static int look_kernel (struct host_facts *facts, struct error *err)
{
  struct utsname name;

  if (uname (&name) < 0)
    return error_set_errno (err, errno, "cannot ask the kernel for its name");
  facts->machine = strdup (name.machine);
  facts->kernel = strdup (name.release);
  return facts->machine && facts->kernel ? 0 : error_oom (err);
}

/* "tyrum-hardened (enforce)", one to a line; a name may hold blanks and brackets of its own. A profile in
 * complain mode confines nothing. */
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

/* Only root may read the list; the folder with an entry for each profile is open to everybody. */
static int look_apparmor_folder (const char *folder, struct strlist *profiles)
{
  DIR *dir = opendir (folder);
  const struct dirent *entry;
  int r = 0;

  while (dir != NULL && r == 0 && (entry = readdir (dir)) != NULL) {
    cleanup_free char *name_path = str_format ("%s/%s/name", folder, entry->d_name);
    cleanup_free char *mode_path = str_format ("%s/%s/mode", folder, entry->d_name);
    cleanup_free char *name = name_path ? look_text (name_path) : NULL;
    cleanup_free char *mode = mode_path ? look_text (mode_path) : NULL;
    cleanup_free char *line = NULL;

    if (name == NULL || mode == NULL)
      continue;
    name[strcspn (name, "\n")] = '\0';
    mode[strcspn (mode, "\n")] = '\0';
    line = str_format ("%s (%s)", name, mode);
    r = line ? look_apparmor_profiles (line, profiles) : -ENOMEM;
  }
  if (dir != NULL)
    closedir (dir);
  return r;
}

static int look_apparmor (struct host_facts *facts, struct error *err)
{
  cleanup_free char *enabled = look_text ("/sys/module/apparmor/parameters/enabled");
  cleanup_free char *profiles = NULL;

  facts->apparmor = enabled != NULL && enabled[0] == 'Y';
  if (!facts->apparmor)
    return 0;
  profiles = look_text ("/sys/kernel/security/apparmor/profiles");
  if (profiles != NULL && look_apparmor_profiles (profiles, &facts->apparmor_profiles) < 0)
    return error_oom (err);
  if (profiles == NULL
      && look_apparmor_folder ("/sys/kernel/security/apparmor/policy/profiles", &facts->apparmor_profiles)
             < 0)
    return error_oom (err);
  /* A longer list than the document may hold is as good as one that cannot be read. */
  if (facts->apparmor_profiles.count > LIMIT_HOST_ENTRIES)
    strlist_clear (&facts->apparmor_profiles);
  return 0;
}

/* Words with blanks between them. */
static int look_seccomp (struct host_facts *facts, struct error *err)
{
  cleanup_free char *text = look_text ("/proc/sys/kernel/seccomp/actions_avail");
  char *rest = NULL;

  for (char *word = text ? strtok_r (text, " \n", &rest) : NULL; word != NULL;
       word = strtok_r (NULL, " \n", &rest))
    if (str_is_utf8 (word, strlen (word)) && strset_add (&facts->seccomp_actions, word) < 0)
      return error_oom (err);
  return 0;
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

/* Tried, because a seccomp filter around us may refuse what the kernel has. */
static bool try_openat2 (void)
{
  cleanup_close int fd = look_open_without_links ("/");

  return fd >= 0;
}

/* The last two are switches of Debian's and Ubuntu's kernels, which bind all but root. */
static bool look_user_namespaces (uint32_t uid)
{
  if (look_number ("/proc/sys/user/max_user_namespaces", 0) == 0)
    return false;
  if (uid == 0)
    return true;
  return look_number ("/proc/sys/kernel/unprivileged_userns_clone", 1) != 0
         && look_number ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) == 0;
}

static uint64_t look_hard_limit (int resource)
{
  struct rlimit limit;

  return getrlimit ((__rlimit_resource_t) resource, &limit) == 0 ? limit.rlim_max : 0;
}

/* There are no more numbers for processes than this, whatever the limit; Podman takes the smaller one, too.
 */
static uint64_t look_processes (void)
{
  uint64_t hard = look_hard_limit (RLIMIT_NPROC);
  uint64_t numbers = look_number ("/proc/sys/kernel/pid_max", UINT64_MAX);

  return numbers < hard ? numbers : hard;
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
    r = look_root (facts, err);
  if (r == 0)
    r = look_sockets (facts, err);
  if (r < 0)
    return r;
  facts->landlock_abi = ask_landlock ();
  facts->user_namespaces = look_user_namespaces (facts->uid);
  facts->openat2 = try_openat2 ();
  facts->open_files_hard = look_hard_limit (RLIMIT_NOFILE);
  facts->processes_hard = look_processes ();
  *ret_facts = take_ptr (facts);
  return 0;
}
