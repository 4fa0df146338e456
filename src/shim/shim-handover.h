/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The low-level runtime: which one it is, and how it is executed in our place or as a child. */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "shim-command.h"
#include "shim-policy.h"

/* The operator's choice, or the first of crun and runc that is there. */
int handover_find (const struct configuration *configuration, char **ret_path, struct error *err);

/* WORDS are the arguments, without the program's name. Returns only on failure. No descriptor but the three
 * standard streams is left open. On a host that has both versions of cgroups mounted it is executed in a
 * mount namespace in which it sees version 1 alone. */
int handover_exec (const char *path, char *const *argv, struct error *err);

/* The same in a child that is waited for. STDOUT_FD replaces its output; -1: as it is. */
int handover_wait (const char *path, char *const *argv, int stdout_fd, int *ret_status, struct error *err);

/* A question that may well be answered with an error, which is not reported. RUNTIME_DIR is what it has
 * for XDG_RUNTIME_DIR, below which it may keep what it knows of containers; "": nothing; NULL: what we have.
 */
int handover_ask (const char *path, char *const *argv, const char *runtime_dir, int stdout_fd,
                  int *ret_status, struct error *err);

/* What the low-level runtime says of a container, asked by WORDS. */
enum low_level_answer {
  LOW_LEVEL_GONE,   /* it does not know it */
  LOW_LEVEL_UNSURE, /* it could not be asked, did not end by itself, or is not understood */
  LOW_LEVEL_KNOWN,
};

struct low_level_state {
  char status[16]; /* "created" and so on */
  pid_t pid;       /* 0: none */
};

enum low_level_answer handover_state (const char *path, char *const *argv, const char *runtime_dir,
                                      struct low_level_state *ret_state);

/* Where tyrum-oci-init is. NULL when memory ran out. */
char *handover_init (struct error *err);

/* Whether a process in a container of the runtime PATH is one of this host's, and can call it: not so for
 * those with a kernel of their own. */
bool handover_shares_kernel (const char *path);
