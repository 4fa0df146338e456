/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "plan-source.h"

#include <stddef.h>

#include "base-path.h"

static bool overlap (const char *a, const char *b)
{
  return path_is_within (a, b) || path_is_within (b, a);
}

/* Access to an engine's socket gives root on the host. Our live state controls other runs. */
const char *source_forbidden (const struct host_facts *host, const struct path_fact *fact, bool writable)
{
  const struct path_facts *sockets = &host->sockets;

  if (fact->type == PATH_SOCKET)
    return "it is a socket";
  for (size_t i = 0; i < sockets->count; i++) {
    const struct path_fact *socket = &sockets->items[i];
    const char *real = socket->real ? socket->real : socket->path;

    if (path_is_within (real, fact->real) || path_is_within (socket->path, fact->real))
      return "it holds an engine's socket";
    if (socket->inode != 0 && socket->inode == fact->inode && socket->device == fact->device)
      return "it is an engine's socket";
  }
  if (host->state_dir != NULL && overlap (host->state_dir, fact->real))
    return "it holds our own state";
  if (writable && host->storage_dir != NULL && overlap (host->storage_dir, fact->real))
    return "it holds the audit journal, which the command could rewrite";
  if (writable && host->config_home != NULL && overlap (host->config_home, fact->real))
    return "it holds profiles, which the command could rewrite";
  for (size_t i = 0; writable && i < host->own.count; i++)
    if (overlap (host->own.items[i], fact->real))
      return "it holds our own programs or the operator's files, which the command could rewrite";
  return NULL;
}
