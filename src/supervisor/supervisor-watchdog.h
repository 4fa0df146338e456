/* A process that ends a container which holds its supervisor.
 *
 * The streams of a run are pipes, and the kernel locks a pipe: a command that sits in splice(2) has the lock,
 * and a read, write or close at our end waits for it with no way out, blocking or not. So nobody who touches
 * a stream can promise to keep a deadline, or to hear a signal. The watchdog touches none: it has init's
 * pidfd and one number in shared memory, which is odd while the supervisor is in such a call. Where it stays
 * odd, and the deadline is past or somebody has signalled the supervisor, it asks init to end, and then ends
 * it. To be held is no crime by itself: a command may wait in splice as long as it likes.
 *
 * It knows nothing of the run's directory, keeps none of its descriptors and no privilege but to signal, and
 * it ends with the supervisor. It is started while init answers, so that nobody waits for it.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "base-error.h"

/* In shared memory. */
struct watchdog_argv {
  atomic_uint turn;            /* for struct stream */
  _Atomic (uint64_t) deadline; /* a time of run_now_ms; 0 for none */
  atomic_bool watches;         /* it has begun */
};

struct watchdog {
  pid_t pid;
  struct watchdog_argv *argv; /* NULL: there is no watchdog */
};

/* GRACE_MS is how long after being asked init may take. */
int watchdog_start (int init_pidfd, pid_t init, uint64_t grace_ms, struct watchdog *ret_watchdog,
                    struct error *err);

/* Waits until it watches. An error where it has ended instead. */
int watchdog_await (const struct watchdog *watchdog, struct error *err);

/* Ends it. That takes the kernel a while, for which watchdog_clear waits; after that nothing may touch its
 * words any more. */
void watchdog_end (const struct watchdog *watchdog);
void watchdog_clear (struct watchdog *watchdog);
