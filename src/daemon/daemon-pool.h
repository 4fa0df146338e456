/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The prewarmed sandboxes, each in a process of its own (hold.c).
 *
 * There is a kind for each profile in daemon.ready, with a template: the options that its sandboxes are made
 * with. It is `--profile NAME` at first, and changes when two callers in a row use the same other options;
 * sandboxes of the old template are then discarded.
 *
 * Measured: with a prewarmed sandbox a launch takes 0.38 of one through the daemon, and 0.32 of a cold one
 * (docs/benchmarks.md).
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon-caller-request.h"
#include "profile-configuration.h"
#include "session-process.h"

struct pool;

/* PROCESS is copied into each sandbox's process by fork. */
int pool_new (const struct configuration *configuration, struct session_process *process,
              struct pool **ret_pool, struct error *err);

/* Ends the sandboxes' processes, which remove their sandboxes. */
void pool_free (struct pool *pool);

/* Starts a process for a missing sandbox, one at a time. */
void pool_fill (struct pool *pool, uint64_t now);
/* When to call pool_fill next, in milliseconds of the same clock; UINT64_MAX: no sandbox is missing. */
uint64_t pool_next (const struct pool *pool);

/* Hands a caller to a sandbox; false if none fits. */
bool pool_give (struct pool *pool, const struct handed *handed, uint64_t now);

/* Call for each child that has ended. True: its sandbox was in the pool. */
bool pool_reaped (struct pool *pool, pid_t pid);

/* Adds the control sockets to FDS, which has room for 2 * READY_MAX; then reads from those that are ready. */
size_t pool_watch (const struct pool *pool, struct pollfd *fds);
void pool_receive (struct pool *pool, const struct pollfd *fds, size_t count, uint64_t now);
