/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "host-facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "base-str.h"
#include "host-internal.h"

/* Omitted on purpose: files that we generate (passwd, group, hosts, hostname, nsswitch.conf, resolv.conf),
 * and configuration that often contains credentials (gitconfig, npmrc, pip.conf, environment). */
const char *const host_root_entries[] = {
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  /* programs and libraries that are reached through /etc */
  "/etc/alternatives",
  "/etc/ld.so.conf.d",
  "/etc/ld.so.conf",
  "/etc/ld.so.cache",
  "/etc/java-17-openjdk",
  "/etc/java-21-openjdk",
  "/etc/java-25-openjdk",
  "/etc/perl",
  "/etc/python3",
  "/etc/python3.11",
  "/etc/python3.13",
  /* certificates, never keys */
  "/etc/ca-certificates",
  "/etc/crypto-policies",
  "/etc/pki/ca-trust",
  "/etc/pki/tls/certs",
  "/etc/pki/tls/openssl.cnf",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  /* data that ordinary programs look up */
  "/etc/terminfo",
  "/etc/locale.alias",
  "/etc/localtime",
  "/etc/timezone",
  "/etc/os-release",
  "/etc/debian_version",
  "/etc/magic",
  "/etc/magic.mime",
  "/etc/mime.types",
  "/etc/protocols",
  "/etc/services",
  NULL,
};

const char *const host_socket_candidates[] = {
  "/run/docker.sock",        "/var/run/docker.sock",
  "/run/podman/podman.sock", "/run/containerd/containerd.sock",
  "/run/crio/crio.sock",     NULL,
};

static enum path_type type_of (mode_t mode)
{
  switch (mode & S_IFMT) {
  case S_IFDIR: return PATH_DIRECTORY;
  case S_IFREG: return PATH_FILE;
  case S_IFLNK: return PATH_SYMLINK;
  case S_IFSOCK: return PATH_SOCKET;
  case S_IFBLK:
  case S_IFCHR: return PATH_DEVICE;
  default: return PATH_OTHER;
  }
}

static bool is_absence (int errnum)
{
  return errnum == ENOENT || errnum == ENOTDIR;
}

static void set_file (struct path_fact *fact, const struct stat *st)
{
  fact->type = type_of (st->st_mode);
  fact->device = st->st_dev;
  fact->inode = st->st_ino;
}

/* The target of the symbolic link PATH; *RET_TEXT is NULL when it is not a link. */
static int link_text (const char *path, char **ret_text)
{
  char text[PATH_MAX];
  ssize_t len = readlink (path, text, sizeof (text));

  *ret_text = NULL;
  if (len < 0)
    return errno == EINVAL || is_absence (errno) ? 0 : -errno;
  if ((size_t) len == sizeof (text))
    return -ENAMETOOLONG;
  *ret_text = strndup (text, (size_t) len);
  return *ret_text ? 0 : -ENOMEM;
}

/* The real path of the open FD. Without /proc the name is resolved again. Either result is accepted only
 * if it leads to the same file. */
static int real_path (int fd, const char *path, const struct stat *st, char **ret_real)
{
  cleanup_free char *real = NULL;
  char name[64];
  struct stat again;
  int r;

  snprintf (name, sizeof (name), "/proc/self/fd/%d", fd);
  r = link_text (name, &real);
  if (r < 0)
    return r;
  if (real == NULL)
    real = realpath (path, NULL);
  if (real == NULL)
    return -errno;
  if (stat (real, &again) < 0)
    return look_is_trouble (errno) ? -errno : -ESTALE;
  if (again.st_dev != st->st_dev || again.st_ino != st->st_ino)
    return -ESTALE;
  *ret_real = take_ptr (real);
  return 0;
}

/* Opens PATH, following links. *RET_MAGIC: the path has a magic link (/proc/self/cwd), which resolves
 * differently for each process. *RET_UNKNOWN: there is no openat2, so any link could be one. */
static int open_following (const char *path, bool *ret_magic, bool *ret_unknown)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
  int fd = (int) syscall (SYS_openat2, AT_FDCWD, path, &how, sizeof (how));

  *ret_magic = fd < 0 && errno == ELOOP;
  *ret_unknown = fd < 0 && errno == ENOSYS;
  return *ret_magic || *ret_unknown ? open (path, O_PATH | O_CLOEXEC) : fd;
}

/* What PATH is with all links followed. Returns 0 for an absent path too. O_PATH opens no
 * device and never blocks. */
static int look_following (const char *path, struct path_fact *fact)
{
  bool unknown = false;
  cleanup_close int fd = open_following (path, &fact->magic, &unknown);
  struct stat st;
  int r;

  fact->type = PATH_ABSENT;
  if (fd < 0)
    return is_absence (errno) ? 0 : -errno;
  if (fstat (fd, &st) < 0)
    return -errno;
  set_file (fact, &st);
  r = real_path (fd, path, &st, &fact->real);
  if (r == 0 && unknown)
    fact->magic = strcmp (fact->real, path) != 0;
  return r;
}

/* Most paths have no link. Then the path is its own real path, and one open suffices. Returns 0 for an
 * absent path too; -ELOOP when there is a link, or no openat2. */
static int look_straight (const char *path, struct path_fact *fact)
{
  cleanup_close int fd = path_is_normal (path) ? look_open_without_links (path) : -1;
  struct stat st;

  fact->type = PATH_ABSENT;
  if (fd < 0)
    return path_is_normal (path) && is_absence (errno) ? 0 : -ELOOP;
  if (fstat (fd, &st) < 0)
    return -errno;
  set_file (fact, &st);
  fact->real = strdup (path);
  return fact->real ? 0 : -ENOMEM;
}

static int look_at (const char *path, struct path_fact *ret_fact)
{
  cleanup_path_fact struct path_fact fact = { .path = strdup (path) };
  int r;

  if (fact.path == NULL)
    return -ENOMEM;
  r = look_straight (path, &fact);
  if (r == -ELOOP) {
    r = look_following (path, &fact);
    if (r == 0)
      r = link_text (path, &fact.target);
  }
  if (r < 0)
    return r;
  *ret_fact = fact;
  fact = (struct path_fact){ 0 };
  return 0;
}

/* Makes FACT describe the path itself instead of the target of its link. */
static int look_at_link (struct path_fact *fact)
{
  struct stat st;

  if (fact->target == NULL)
    return 0;
  if (lstat (fact->path, &st) < 0)
    return -errno;
  set_file (fact, &st);
  return 0;
}

int host_look_path (struct host_facts *facts, const char *path, struct error *err)
{
  cleanup_path_fact struct path_fact fact = { 0 };
  int r;

  if (path_facts_find (&facts->paths, path) != NULL)
    return 0;
  if (path[0] == '\0')
    return error_set (err, -EINVAL, "cannot look at '': the path is empty");
  r = look_at (path, &fact);
  if (r == 0)
    r = path_facts_add (&facts->paths, &fact);
  if (r == -ENOMEM)
    return error_oom (err);
  if (r == -ESTALE)
    return error_set (err, r, "cannot look at '%s': it changed or was removed meanwhile", path);
  return r < 0 ? error_set_errno (err, -r, "cannot look at '%s'", path) : 0;
}

int host_look_root (struct host_facts *facts, struct error *err)
{
  for (const char *const *path = host_root_entries; *path != NULL; path++) {
    cleanup_path_fact struct path_fact fact = { 0 };
    int r = look_at (*path, &fact);

    if (r == 0)
      r = look_at_link (&fact);
    /* A path that cannot be looked at could not be mounted either. */
    if (r == 0 && fact.type != PATH_ABSENT)
      r = path_facts_add (&facts->root, &fact);
    if (look_is_trouble (-r))
      return error_set_errno (err, -r, "cannot look at '%s'", *path);
  }
  return 0;
}

const char *look_engine_address (const char *value)
{
  static const char scheme[] = "unix://";

  if (value == NULL || !str_has_prefix (value, scheme))
    return NULL;
  value += strlen (scheme);
  return path_is_normal (value) ? value : NULL;
}

static int look_socket (struct path_facts *sockets, const char *path)
{
  cleanup_path_fact struct path_fact fact = { 0 };
  int r;

  if (path == NULL || path_facts_find (sockets, path) != NULL)
    return 0;
  r = look_at (path, &fact);
  if (look_is_trouble (-r))
    return r;
  /* An unreachable socket counts as absent. */
  return r == 0 && fact.type == PATH_SOCKET ? path_facts_add (sockets, &fact) : 0;
}

int look_sockets (struct host_facts *facts, struct error *err)
{
  static const char *const below_runtime[] = { "docker.sock", "podman/podman.sock" };
  static const char *const variables[] = { "DOCKER_HOST", "CONTAINER_HOST" };
  int r = 0;

  for (const char *const *path = host_socket_candidates; *path != NULL && r == 0; path++)
    r = look_socket (&facts->sockets, *path);
  for (size_t i = 0; i < ARRAY_LEN (below_runtime) && r == 0; i++) {
    cleanup_free char *path = str_format ("/run/user/%u/%s", facts->uid, below_runtime[i]);

    r = path ? look_socket (&facts->sockets, path) : -ENOMEM;
  }
  for (size_t i = 0; i < ARRAY_LEN (variables) && r == 0; i++)
    r = look_socket (&facts->sockets, look_engine_address (secure_getenv (variables[i])));
  return r < 0 ? error_set_errno (err, -r, "cannot look for the sockets of engines") : 0;
}
