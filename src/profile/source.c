/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-source.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-path.h"

struct place {
  const char *path;
  const char *why;
};

/* These paths, everything below them, and every directory that contains them. */
static const struct place forbidden[] = {
  { "/proc", "it exposes and controls the host's processes" },
  { "/sys", "it controls the host's kernel" },
  { "/dev", "it holds the host's devices" },
  { "/run", "it holds the sockets of engines and services" },
  { "/var/run", "it holds the sockets of engines and services" },
  { "/var/lib/docker", "it holds other containers" },
  { "/var/lib/containers", "it holds other containers" },
  { "/var/lib/containerd", "it holds other containers" },
  { "/var/lib/tyrum-oci", "it holds tyrum-oci's audit journal" },
};

/* The host executes what is in these: reading is harmless, writing gives control of the host. */
static const char *const programs[] = { "/usr",   "/bin",   "/sbin",   "/lib",
                                        "/lib32", "/lib64", "/libx32", "/boot" };

static bool holds_programs (const char *path)
{
  for (size_t i = 0; i < ARRAY_LEN (programs); i++)
    if (path_is_within (path, programs[i]))
      return true;
  return false;
}

static bool is_home (const char *path)
{
  const char *user;

  if (strcmp (path, "/root") == 0 || strcmp (path, "/home") == 0)
    return true;
  if (!path_is_within (path, "/home"))
    return false;
  user = path + strlen ("/home/");
  return strchr (user, '/') == NULL;
}

/* Keys, tokens and configuration are in dot directories of a home. */
static bool is_private (const char *path)
{
  const char *rest = NULL;

  if (path_is_within (path, "/root"))
    rest = path + strlen ("/root");
  else if (path_is_within (path, "/home") && strlen (path) > strlen ("/home/"))
    rest = strchr (path + strlen ("/home/"), '/');
  return rest != NULL && rest[0] == '/' && rest[1] == '.';
}

enum source_class source_classify (const char *path, const char **ret_why)
{
  *ret_why = NULL;
  for (size_t i = 0; i < ARRAY_LEN (forbidden); i++)
    if (path_is_within (path, forbidden[i].path) || path_is_within (forbidden[i].path, path)) {
      *ret_why = strcmp (path, "/") == 0 ? "it is the whole host" : forbidden[i].why;
      return SOURCE_FORBIDDEN;
    }
  if (is_home (path) || is_private (path)) {
    *ret_why = "it holds users' keys and histories";
    return SOURCE_SENSITIVE;
  }
  if (holds_programs (path)) {
    *ret_why = "it holds the host's own programs";
    return SOURCE_PROGRAMS;
  }
  if (path_is_within (path, "/etc")) {
    *ret_why = "it holds the host's configuration";
    return SOURCE_SENSITIVE;
  }
  return SOURCE_PLAIN;
}

bool source_is_inside (const char *path)
{
  for (size_t i = 0; i < ARRAY_LEN (forbidden); i++)
    if (path_is_within (path, forbidden[i].path) && strcmp (path, forbidden[i].path) != 0)
      return true;
  return false;
}

const char *source_forbidden_root (const char *path)
{
  static const char *const kernels[] = { "/proc", "/sys", "/dev" };
  const char *why = NULL;
  enum source_class class = source_classify (path, &why);
  /* Rootless engines keep container roots in ~/.local/share. */
  bool closed = class == SOURCE_SENSITIVE && (!is_private (path) || strstr (path, "/.local/share/") == NULL);

  for (size_t i = 0; class == SOURCE_FORBIDDEN && i < ARRAY_LEN (forbidden); i++)
    closed = closed || path_is_within (forbidden[i].path, path);
  for (size_t i = 0; i < ARRAY_LEN (kernels); i++)
    closed = closed || path_is_within (path, kernels[i]);
  return closed ? why : NULL;
}
