/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A temporary directory of a verb. */
#pragma once

#include <sys/types.h>

#include "base-error.h"

struct scratch {
  char *path; /* NULL: none */
};

/* Creates it in $TMPDIR or /tmp; no other user can enter it. */
int scratch_make (struct scratch *scratch, struct error *err);

/* Creates a directory, or a file with TEXT, in it. *RET_PATH is absolute. */
int scratch_directory (const struct scratch *scratch, const char *name, char **ret_path, struct error *err);
int scratch_file (const struct scratch *scratch, const char *name, const char *text, mode_t mode,
                  char **ret_path, struct error *err);

/* Removes it with its content; links are not followed, mounts are not entered. */
void scratch_clear (struct scratch *scratch);
#define cleanup_scratch cleanup (scratch_clear)
