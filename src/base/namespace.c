/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-file.h"
#include "base-number.h"
#include "base-str.h"

/* The kernel accepts 340 lines of three numbers each. */
#define MAP_BYTES ((size_t) 16 * 1024)

static char *read_map (void)
{
  cleanup_error struct error ignored = { 0 };
  char *text = NULL;

  return file_read (AT_FDCWD, "/proc/self/uid_map", MAP_BYTES, &text, NULL, &ignored) == 0 ? text : NULL;
}

/* Reads "INSIDE OUTSIDE COUNT" and advances to the next line. */
static bool read_line (const char **map, uint64_t numbers[3])
{
  for (size_t i = 0; i < 3; i++) {
    char word[24];
    size_t len;

    *map += strspn (*map, " \n");
    len = strcspn (*map, " \n");
    if (len == 0 || len >= sizeof (word))
      return false;
    memcpy (word, *map, len);
    word[len] = '\0';
    if (!number_parse (word, UINT32_MAX, &numbers[i]))
      return false;
    *map += len;
  }
  return true;
}

bool namespace_maps (const char *map, uint32_t id)
{
  uint64_t numbers[3];

  while (read_line (&map, numbers))
    if (id >= numbers[0] && id - numbers[0] < numbers[2])
      return true;
  return false;
}

/* As in linux/capability.h, which may be missing beside a static C library. */
#define CAPABILITIES_VERSION_3 0x20080522u
#define FOWNER                 3u

static bool may_act_for_owners (void)
{
  struct {
    uint32_t version;
    int32_t pid;
  } header = { CAPABILITIES_VERSION_3, 0 };
  struct {
    uint32_t effective, permitted, inheritable;
  } data[2] = { { 0, 0, 0 } };

  return syscall (SYS_capget, &header, data) == 0 && (data[0].effective & (1u << FOWNER)) != 0;
}

bool namespace_owner_is_outside (int fd)
{
  cleanup_free char *map = read_map ();
  cleanup_close int again = -1;
  char path[64];

  if (map == NULL || !namespace_maps (map, NAMESPACE_NOBODY))
    return map != NULL;
  /* The overflow uid is mapped too, so the number is ambiguous. O_NOATIME is allowed only to a file's
   * owner, or with CAP_FOWNER if the owner is mapped here. */
  if (!may_act_for_owners ())
    return false;
  snprintf (path, sizeof (path), "/proc/self/fd/%d", fd);
  again = open (path, O_RDONLY | O_NOATIME | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return again < 0 && errno == EPERM;
}

bool namespace_is_users (uid_t *ret_uid)
{
  cleanup_free char *map = NULL;
  cleanup_close int root = -1;
  const char *rest;
  struct stat st;
  uint64_t first[3];

  if (ret_uid != NULL)
    *ret_uid = geteuid ();
  if (geteuid () != 0 || stat ("/", &st) < 0 || st.st_uid != NAMESPACE_NOBODY)
    return false;
  root = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  map = read_map ();
  rest = map;
  if (root < 0 || map == NULL || !namespace_owner_is_outside (root))
    return false;
  if (!read_line (&rest, first) || first[0] != 0 || first[1] == 0)
    return false;
  if (ret_uid != NULL)
    *ret_uid = (uid_t) first[1];
  return true;
}
