/* Handing a command line to a daemon that stays, so that it is carried out there as if it were here.
 *
 * The daemon (src/daemon) belongs to the same user and forks a process that takes the caller's streams,
 * working directory, environment, limits and mask, and does the same as this process would. We pass signals
 * on and wait. Whatever speaks against it, before that process has begun, means that it is done here, only
 * slower.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "profile-configuration.h"

/* WORDS is the whole command line. 1: it was carried out, and *RET_STATUS is the exit status. 0: it has to be
 * done here. An error: it was begun there and nobody knows how it ended. */
int delegate_to_daemon (char *const *words, int *ret_status, struct error *err);

/* Where the daemon of this user listens. */
int delegate_socket (const struct configuration *configuration, char **ret_path, struct error *err);

/* The front (src/client) has asked the daemon at the usual place already, and in vain: it is not asked, and
 * perhaps waited for, a second time. The environment says so, to this process alone. */
void delegate_remember_asked (void);

/* Whether the command line WORDS, in this environment and directory, would be handed to the daemon at
 * SOCKET_PATH. The front does not read what the operator has configured; who stands in for it asks this
 * before it begins. What cannot be read leads nowhere: the caller then says what is wrong. */
bool delegate_leads_to (const char *socket_path, char *const *words);
