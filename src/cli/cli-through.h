/* Handing a command line to a launcher that stays, so that it is carried out there as if it were here.
 *
 * The launcher (src/launcher) belongs to the same user and forks a process that takes the caller's streams,
 * working folder, environment, limits and mask, and does the same as this process would. We pass signals on
 * and wait. Whatever speaks against it, before that process has begun, means that it is done here, only
 * slower.
 */
#pragma once

#include "base-error.h"
#include "profile-configuration.h"

/* WORDS is the whole command line. 1: it was carried out, and *RET_STATUS is the exit status. 0: it has to be
 * done here. An error: it was begun there and nobody knows how it ended. */
int through_launcher (char *const *words, int *ret_status, struct error *err);

/* Where the launcher of this user listens. */
int through_socket (const struct configuration *configuration, char **ret_path, struct error *err);
