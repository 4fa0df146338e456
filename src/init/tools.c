/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-tools.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init-search.h"

/* From the kernel's linux/landlock.h, which musl lacks. */
#define RULESET_VERSION   1u
#define RULE_PATH_BENEATH 1
#define ACCESS_EXECUTE    ((uint64_t) 1 << 0)
#define ACCESS_REFER      ((uint64_t) 1 << 13)
#define ABI_WITH_REFER    2

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

struct path_beneath {
  uint64_t access;
  int32_t fd;
} __attribute__ ((packed));

/* As deep as the kernel follows nested interpreters, and as much as it reads of a script. */
#define DEPTH_MAX   5
#define SCRIPT_SIZE 256

#define PROGRAM_HEADERS_MAX 64

/* The ruleset; -1: everything may be executed. */
static int ruleset = -1;

static int allow (int fd, uint64_t access)
{
  const struct path_beneath rule = { .access = access, .fd = fd };

  return syscall (SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

static int add_program (const char *path, int depth);

/* The path of the loader that an ELF file needs. */
static bool find_loader (int fd, char path[PATH_MAX])
{
  Elf64_Ehdr head;

  if (pread (fd, &head, sizeof head, 0) != sizeof head || memcmp (head.e_ident, ELFMAG, SELFMAG) != 0
      || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof (Elf64_Phdr)
      || head.e_phnum > PROGRAM_HEADERS_MAX || head.e_phoff > INT32_MAX)
    return false;
  for (unsigned i = 0; i < head.e_phnum; i++) {
    Elf64_Phdr part;

    if (pread (fd, &part, sizeof part, (off_t) (head.e_phoff + i * sizeof part)) != sizeof part)
      return false;
    if (part.p_type != PT_INTERP)
      continue;
    if (part.p_filesz < 2 || part.p_filesz > PATH_MAX || part.p_offset > INT32_MAX
        || pread (fd, path, part.p_filesz, (off_t) part.p_offset) != (ssize_t) part.p_filesz)
      return false;
    return path[0] == '/' && path[part.p_filesz - 1] == '\0';
  }
  return false;
}

/* The next word of *LINE, terminated in place; NULL if there is none. */
static char *next_word (char **line)
{
  char *word = *line + strspn (*line, " \t");
  size_t len = strcspn (word, " \t");

  if (len == 0)
    return NULL;
  *line = word + len + (word[len] != '\0');
  word[len] = '\0';
  return word;
}

/* Adds what "env" would execute: skips its options and assignments. */
static int add_by_env (char *line, int depth)
{
  char candidate[PATH_MAX];
  char *word;

  while ((word = next_word (&line)) != NULL && (word[0] == '-' || strchr (word, '=') != NULL))
    ;
  return word != NULL && search_find (word, candidate) ? add_program (candidate, depth) : 0;
}

static int add_interpreter (char *line, int depth)
{
  char *interpreter, *name;
  int r;

  line[strcspn (line, "\n")] = '\0';
  interpreter = next_word (&line);
  if (interpreter == NULL || interpreter[0] != '/')
    return 0;
  r = add_program (interpreter, depth);
  name = strrchr (interpreter, '/') + 1;
  return r == 0 && strcmp (name, "env") == 0 ? add_by_env (line, depth) : r;
}

/* Adds what the file FD needs to run. A file that cannot be read may still be executable; its loader stays
 * unknown. */
static int add_needed (int fd, int depth)
{
  char magic[SCRIPT_SIZE + 1] = "";
  char path[PATH_MAX];
  ssize_t got = pread (fd, magic, SCRIPT_SIZE, 0);

  if (got >= 2 && magic[0] == '#' && magic[1] == '!')
    return add_interpreter (magic + 2, depth);
  return got > 0 && find_loader (fd, path) ? add_program (path, depth) : 0;
}

/* Uses O_PATH, which opens nothing, until it is known to be a regular file. */
static int add_program (const char *path, int depth)
{
  int fd = (int) syscall (SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
  struct stat status;
  int r = 0;

  if (fd < 0)
    return 0;
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)) {
    int file = (int) syscall (SYS_openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);

    r = allow (fd, ACCESS_EXECUTE);
    if (r == 0 && file >= 0 && depth < DEPTH_MAX)
      r = add_needed (file, depth + 1);
    if (file >= 0)
      close (file);
  }
  close (fd);
  return r;
}

/* A ruleset forbids moving files between directories unless ACCESS_REFER is allowed. */
static int allow_moving (void)
{
  int root = (int) syscall (SYS_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC, 0);
  int r = root < 0 ? -errno : allow (root, ACCESS_REFER);

  if (root >= 0)
    close (root);
  return r;
}

static int make_ruleset (void)
{
  long abi = syscall (SYS_landlock_create_ruleset, NULL, (size_t) 0, RULESET_VERSION);
  uint64_t handled = ACCESS_EXECUTE | (abi >= ABI_WITH_REFER ? ACCESS_REFER : 0);

  if (abi < 0)
    return -errno;
  ruleset = (int) syscall (SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  if (ruleset < 0)
    return -errno;
  return abi >= ABI_WITH_REFER ? allow_moving () : 0;
}

int tools_prepare (const unsigned char *paths, size_t length, struct failure *failure)
{
  const char *at = (const char *) paths, *end = at + length;
  int r;

  if (ruleset >= 0 || length == 0 || paths[length - 1] != '\0')
    return failure_set (failure, -EBADMSG, "the supervisor's list of programs is malformed", NULL);
  r = make_ruleset ();
  for (; r == 0 && at < end; at += strlen (at) + 1)
    if (at[0] == '/')
      r = add_program (at, 0);
  return r < 0 ? failure_set_errno (failure, -r, "cannot restrict which programs may be executed", NULL) : 0;
}

int tools_confine (void)
{
  if (ruleset < 0)
    return 0;
  return syscall (SYS_landlock_restrict_self, ruleset, 0) < 0 ? -errno : 0;
}
