/* What is remembered of a container between the calls of an engine: STATE/containers/KEY.
 *
 * Written by create, before the low-level runtime runs; read by whatever comes later, so that exec and update
 * are held to the same profile, and start, kill and delete reach the same low-level runtime; removed once
 * delete has worked. KEY is made of the engine's --root and the container's id, as ids of two engines may be
 * the same. The folder also holds the stage, which is empty outside of the private namespace.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "runtime-command.h"

struct record {
  char *runtime;   /* path of the low-level runtime */
  char *profile;   /* the name's */
  char *annotated; /* the annotation's; NULL: none */
  char *bundle;
  char *pid_file;
  bool no_network; /* start takes interfaces away */
  bool proof;      /* init stands before the command, and start asks it */
  uint32_t slot;   /* of the ids, counted from 1; 0: none */
};

void record_clear (struct record *record);
#define cleanup_record cleanup (record_clear)

/* STATE/containers/KEY. */
char *record_folder (const char *state, const struct command *command);

/* Makes the folder; -EEXIST is no error, as an engine may try the same id again. */
int record_make (const char *state, const struct command *command, struct error *err);
int record_write (const char *state, const struct command *command, const struct record *record,
                  struct error *err);

/* *RET_FOUND is false where there is none: the container is not ours, or create never got that far. */
int record_read (const char *state, const struct command *command, struct record *ret_record, bool *ret_found,
                 struct error *err);
void record_remove (const char *state, const struct command *command);

/* Forgets containers whose bundle is gone: an engine that was interrupted, or lost a container while it
 * started, does not always call delete. */
void record_sweep (const char *state);

/* A range of ids that stays taken until it is given back, whoever lives. Counted from 1. */
int record_take_slot (const char *state, const struct command *command, unsigned slots, uint32_t *ret_slot,
                      struct error *err);
void record_give_slot (const char *state, uint32_t slot);
