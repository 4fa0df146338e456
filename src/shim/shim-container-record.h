/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is remembered of a container between the calls of an engine: STATE/containers/KEY.
 *
 * Written by create, before the low-level runtime runs; read by whatever comes later, so that exec and update
 * are held to the same profile, and start, kill and delete reach the same low-level runtime; removed once
 * delete has worked. KEY is made of the engine's --root and the container's id, as ids of two engines may be
 * the same. The directory also holds the stage, which is empty outside of the private namespace.
 *
 * A process that makes, writes or removes it locks the directory, and then reads it again: what was
 * read before may be of another container by now. A directory that can be locked and has no record was left
 * by a create that was killed. create lets go of the lock when it becomes the low-level runtime, so the
 * record names its process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base-error.h"
#include "shim-command.h"

struct record {
  char *id;          /* of the container */
  char *root;        /* the engine's --root; NULL: none was given */
  char *runtime_dir; /* then: its XDG_RUNTIME_DIR, or "" */
  char *run;         /* under this id it is in the audit journal */
  char *runtime;     /* path of the low-level runtime */
  char *profile;     /* the name's */
  char *annotated;   /* the annotation's; NULL: none */
  char *bundle;
  char *pid_file;
  bool no_network;      /* start takes interfaces away */
  bool proof;           /* init stands before the command, and start asks it */
  bool started;         /* and proven, where it can be: others may join */
  bool refused;         /* its start was: it was ended, and will not be again */
  uint32_t slot;        /* of the ids, counted from 1; 0: none */
  uint32_t maker;       /* the process that makes it, and becomes the low-level runtime */
  uint64_t maker_start; /* when that was started: its number may be another's by now */
};

void record_clear (struct record *record);
#define cleanup_record cleanup (record_clear)

/* A socket in the directory, for as long as run waits for a terminal. */
#define RECORD_CONSOLE "console"

char *record_key (const struct command *command);
/* STATE/containers/KEY. */
char *record_directory (const char *state, const struct command *command);

/* Makes the directory; -EEXIST is no error, as an engine may try the same id again. *RET_LOCK holds it
 * against a sweep until it is closed. */
int record_make (const char *state, const struct command *command, int *ret_lock, struct error *err);
int record_write (const char *state, const struct command *command, const struct record *record,
                  struct error *err);

/* Whether the process that makes the container is still about it: the low-level runtime may not know it yet.
 */
bool record_is_being_made (const struct record *record);
/* Whether both are of one container, and not of two that had the same id. */
bool record_is_same (const struct record *a, const struct record *b);

/* *RET_FOUND is false where there is none: the container is not ours, or create never got that far. */
int record_read (const char *state, const struct command *command, struct record *ret_record, bool *ret_found,
                 struct error *err);
/* The directory that is there, once no other process has it, and what is in it now: a descriptor that
 * holds it, or -ENOENT. *RET_FOUND as above. */
int record_hold (const char *state, const struct command *command, struct record *ret_record, bool *ret_found,
                 struct error *err);
/* By who holds LOCK. */
void record_drop (const char *state, const struct command *command, int lock);

/* ---- For a sweep: DIRECTORY is that of KEY, in PARENT. */

#define RECORD_DIRECTORY "containers"

/* Locks it if no other process has it and it is still there: a descriptor, or -EBUSY. */
int record_lock (int parent, const char *key, struct error *err);
/* -ENOENT: there is none. */
int record_read_at (int directory, struct record *ret_record, struct error *err);
/* When it was written last, in seconds since 1970. */
time_t record_time (int directory);
void record_remove_at (int parent, const char *key, int directory);

/* A range of ids that stays taken until it is given back, also when its processes have ended.
 * Counted from 1. */
int record_take_slot (const char *state, const struct command *command, unsigned slots, uint32_t *ret_slot,
                      struct error *err);
/* Only where it is KEY's. */
void record_give_slot (const char *state, const char *key, uint32_t slot);
