/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of a live run: STATE/runs/ID, with a lock that its supervisor holds as long as it lives.
 *
 * The lock tells a live run from one that crashed: if the lock can be taken, the run has no supervisor any
 * more, and `gc` may finish it. The directory is made with its lock before anything else of the run exists,
 * and removed last. Directories can be entered by other users (a runtime in a user namespace has to), files
 * cannot be read by them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-str.h"

struct run_dir {
  char *id;   /* "r-0123456789abcdef" */
  char *path; /* absolute */
  int fd;
  int lock_fd;
};

/* Opens STATE/NAME; both must be ours and not writable for others. run_state_make makes those that are
 * missing. A descriptor, or an error. */
int run_state_open (const char *state, const char *name, struct error *err);
int run_state_make (const char *state, const char *name, mode_t mode, struct error *err);

/* Makes an id for a new run. */
#define RUN_ID_SIZE 19
int run_id_make (char ret_id[RUN_ID_SIZE], struct error *err);

/* Makes the directory of the new run ID and takes its lock. STATE is made if it is missing. */
int run_dir_create (const char *state, const char *id, struct run_dir *ret_dir, struct error *err);

/* Opens the directory of an existing run. *RET_LIVE: whether a supervisor holds its lock; if not, we have
 * taken it. */
int run_dir_open (const char *state, const char *id, struct run_dir *ret_dir, bool *ret_live,
                  struct error *err);

/* Lists the ids of all runs (a set). Without a directory for runs there are none. */
int run_dir_list (const char *state, struct strlist *ret_ids, struct error *err);

/* Removes the directory and its contents, without following links, then releases the lock. */
int run_dir_remove (struct run_dir *dir, struct error *err);

/* Closes the directory; nothing is removed. */
void run_dir_clear (struct run_dir *dir);
#define cleanup_run_dir cleanup (run_dir_clear)

bool run_id_is_valid (const char *id);

/* Takes one of SLOTS numbers for as long as *RET_FD is open: STATE/ids/N, locked. Starts at a random one, so
 * that concurrent runs seldom try the same. */
int run_slot_take (const char *state, unsigned slots, unsigned *ret_slot, int *ret_fd, struct error *err);
/* Keeps the slot taken for a run that cannot be finished now; gc returns it. */
void run_slot_keep (const char *id, int *fd);
void run_slot_give_back (const char *state, const char *id);
/* Releases the slot and removes its file. */
void run_slot_release (const char *state, unsigned slot, int *fd);
/* Removes the files of slots that are not locked. */
void run_slot_gc (const char *state);
