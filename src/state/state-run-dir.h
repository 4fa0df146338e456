/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of a live run: STATE/runs/ID, with a lock that its supervisor holds as long as it lives.
 *
 * The lock tells a run from what a crash left: a directory whose lock can be taken has no supervisor any
 * more, and `gc` may finish it. The directory is made with its lock before anything else of the run exists,
 * and goes last. Directories can be passed through by others (a runtime in a user namespace has to), files
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

/* Opens STATE/NAME, which like STATE must be ours and closed to other writers; run_state_make makes both
 * where they are missing. A descriptor, or an error. */
int run_state_open (const char *state, const char *name, struct error *err);
int run_state_make (const char *state, const char *name, mode_t mode, struct error *err);

/* An id for a new run. */
#define RUN_ID_SIZE 19
int run_id_make (char ret_id[RUN_ID_SIZE], struct error *err);

/* Makes the directory of the new run ID and takes its lock. STATE is made where it is missing. */
int run_dir_create (const char *state, const char *id, struct run_dir *ret_dir, struct error *err);

/* Opens the directory of a run that is there. *RET_LIVE says whether a supervisor holds its lock; if not, we
 * do now. */
int run_dir_open (const char *state, const char *id, struct run_dir *ret_dir, bool *ret_live,
                  struct error *err);

/* Ids of all directories (a set). No directory for runs means none. */
int run_dir_list (const char *state, struct strlist *ret_ids, struct error *err);

/* Removes the directory and what is in it, links not followed, then lets the lock go. */
int run_dir_remove (struct run_dir *dir, struct error *err);

/* Closes; what is there stays. */
void run_dir_clear (struct run_dir *dir);
#define cleanup_run_dir cleanup (run_dir_clear)

bool run_id_is_valid (const char *id);

/* Takes one of SLOTS numbers for as long as *RET_FD is open: STATE/ids/N, locked. Starts anywhere, so that
 * runs at the same time seldom try the same one. */
int run_slot_take (const char *state, unsigned slots, unsigned *ret_slot, int *ret_fd, struct error *err);
/* Keeps it taken when the run cannot be finished now, until it is: gc gives it back. */
void run_slot_keep (const char *id, int *fd);
void run_slot_give_back (const char *state, const char *id);
/* Lets it go and removes its file. */
void run_slot_release (const char *state, unsigned slot, int *fd);
/* Removes the files of slots that nobody holds. */
void run_slot_gc (const char *state);
