/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that come back although they block.
 *
 * A descriptor that we were given is shared: to make it non-blocking would change it for everybody else, and
 * that poll calls it ready promises nothing, as a terminal may take less than we write and another reader may
 * take what we came for. So a call on it is made as it is, while a timer sends us a signal that does nothing
 * but end the call with EINTR (or with what was done so far) after IO_TIMEOUT_MS. It repeats: one that comes
 * too early, before the call sleeps, is followed by another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define IO_TIMEOUT_MS 100

struct io_timeout {
  timer_t timer;
  bool made; /* the kernel has given us one; without it calls block as they do */
};

/* Takes one real-time signal of this process for itself, also where all are blocked. */
void io_timeout_init (struct io_timeout *io_timeout);
void io_timeout_clear (struct io_timeout *io_timeout);
#define cleanup_io_timeout cleanup (io_timeout_clear)

/* Before and after a call. */
void io_timeout_on (const struct io_timeout *io_timeout);
void io_timeout_off (const struct io_timeout *io_timeout);

/* Writes all of BYTES. Gives up with -EINTR when nothing goes out and a signal that asks for an end waits
 * behind the mask, or after TRIES I/O timeouts in a row (0: any number). */
int io_timeout_write (int fd, const char *bytes, size_t len, unsigned tries);
