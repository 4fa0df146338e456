/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The client of a build without a daemon (--disable-daemon): it never asks one. */
#include <config.h>

#include "client-ask-daemon.h"

#include <stddef.h>

const struct client_verb *ask_verb (char *const *argv)
{
  (void) argv;
  return NULL;
}

int ask_daemon (char *const *argv, int *ret_status, enum daemon_asked *ret_asked, struct error *err)
{
  (void) argv, (void) ret_status, (void) ret_asked, (void) err;
  return 0;
}
