/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A time limit for blocking calls.
 *
 * A descriptor that we inherited is shared: O_NONBLOCK would change it for every other holder. Polling first
 * is not enough: a terminal may accept less than we write, and another reader may take the input first. So
 * the call blocks, while a timer interrupts it with a signal after IO_TIMEOUT_MS; it then returns EINTR or a
 * partial result. The timer repeats, because a signal that arrives before the call blocks is lost.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define IO_TIMEOUT_MS 100

struct io_timeout {
  timer_t timer;
  bool made; /* the timer exists; without it calls block without limit */
};

/* Uses one real-time signal of this process, and unblocks it. */
void io_timeout_init (struct io_timeout *io_timeout);
void io_timeout_clear (struct io_timeout *io_timeout);
#define cleanup_io_timeout cleanup (io_timeout_clear)

/* Arms the timer before a call, and disarms it afterwards. */
void io_timeout_on (const struct io_timeout *io_timeout);
void io_timeout_off (const struct io_timeout *io_timeout);

/* Writes all of BYTES. Returns -EINTR if nothing can be written and SIGTERM, SIGINT, SIGHUP or SIGQUIT is
 * pending, or after TRIES timeouts in a row (0: no limit). */
int io_timeout_write (int fd, const char *bytes, size_t len, unsigned tries);
