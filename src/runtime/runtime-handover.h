/* The low-level runtime: which one it is, and how it is executed in our place or as a child. */
#pragma once

#include "base-error.h"
#include "runtime-command.h"
#include "runtime-policy.h"

/* The operator's choice, or the first of crun and runc that is there. */
int handover_find (const struct configuration *configuration, char **ret_path, struct error *err);

/* WORDS are the arguments, without the program's name. Returns only on failure. No descriptor but the three
 * standard streams is left open. */
int handover_exec (const char *path, char *const *words, struct error *err);

/* The same in a child that is waited for. STDOUT_FD replaces its output; -1: as it is. */
int handover_wait (const char *path, char *const *words, int stdout_fd, int *ret_status, struct error *err);

/* Where tyrum-oci-init is. NULL when memory ran out. */
char *handover_init (struct error *err);

/* Whether a process in a container of the runtime PATH is one of this host's, and can call it: not so for
 * those with a kernel of their own. */
bool handover_shares_kernel (const char *path);
