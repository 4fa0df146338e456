/* Handing a command line to a launcher that stays, so that it is carried out there as if it were here.
 *
 * The launcher (src/daemon) belongs to the same user and forks a process that takes the caller's streams,
 * working folder, environment, limits and mask, and does the same as this process would. We pass signals on
 * and wait. Whatever speaks against it, before that process has begun, means that it is done here, only
 * slower.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "profile-configuration.h"

/* WORDS is the whole command line. 1: it was carried out, and *RET_STATUS is the exit status. 0: it has to be
 * done here. An error: it was begun there and nobody knows how it ended. */
int through_launcher (char *const *words, int *ret_status, struct error *err);

/* Where the launcher of this user listens. */
int through_socket (const struct configuration *configuration, char **ret_path, struct error *err);

/* The front (src/client) has asked the launcher at the usual place already, and in vain: it is not asked, and
 * perhaps waited for, a second time. The environment says so, to this process alone. */
void through_remember_asked (void);

/* Whether the command line WORDS, in this environment and folder, would be handed to the launcher at
 * SOCKET_PATH. The front does not read what the operator has configured; who stands in for it asks this
 * before it begins. What cannot be read leads nowhere: the caller then says what is wrong. */
bool through_leads_to (const char *socket_path, char *const *words);
