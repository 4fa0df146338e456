/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sandboxes that are held ready, each by a process of its own (hold.c).
 *
 * There is a kind for each profile that the configuration names, with a template: the command line, without
 * what is the command's, that its sandboxes are made by. It starts as `run --profile NAME`, and becomes what
 * callers really ask for when they have asked for the same twice in a row. Sandboxes of another template are
 * then discarded.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon-caller-request.h"
#include "profile-configuration.h"
#include "session-process.h"

struct pool;

/* PROCESS is what a process that holds a sandbox starts as. */
int pool_new (const struct configuration *configuration, struct session_process *process,
              struct pool **ret_pool, struct error *err);

/* Ends all that is held; they take themselves down. */
void pool_free (struct pool *pool);

/* Starts what is missing, one at a time. */
void pool_fill (struct pool *pool, uint64_t now);
/* Milliseconds of the same clock when that is to be done next; UINT64_MAX: nothing is missing. */
uint64_t pool_next (const struct pool *pool);

/* Hands a caller to one of them; false where none is ready that serves. */
bool pool_give (struct pool *pool, const struct handed *handed, uint64_t now);

/* A child has ended; whether it was held here, and not given away. */
bool pool_reaped (struct pool *pool, pid_t pid);

/* Their sockets, into FDS, which has room for 2 * READY_MAX; and what came on them. */
size_t pool_watch (const struct pool *pool, struct pollfd *fds);
void pool_receive (struct pool *pool, const struct pollfd *fds, size_t count, uint64_t now);
