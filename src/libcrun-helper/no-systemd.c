/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces libsystemd.
 *
 * libcrun calls it for cgroups that systemd manages, for its journal, and to notify it that a container is
 * ready. This program uses none of these, but libsystemd and its five dependencies would be loaded at each
 * start, into a process with root's privileges. So these functions replace it, and fail. A later libcrun that
 * needs a function which is not here is linked with the library instead.
 */
#include <config.h>

#include <errno.h>
#include <stddef.h>

#define FAILS(name)                                                                                          \
  int name (void);                                                                                           \
  int name (void)                                                                                            \
  {                                                                                                          \
    return -ENOSYS;                                                                                          \
  }

#define GIVES_NOTHING(name)                                                                                  \
  void *name (void);                                                                                         \
  void *name (void)                                                                                          \
  {                                                                                                          \
    return NULL;                                                                                             \
  }

FAILS (sd_bus_call)
FAILS (sd_bus_default_system)
FAILS (sd_bus_default_user)
FAILS (sd_bus_error_get_errno)
FAILS (sd_bus_match_signal_async)
FAILS (sd_bus_message_append)
FAILS (sd_bus_message_append_array)
FAILS (sd_bus_message_append_basic)
FAILS (sd_bus_message_append_strv)
FAILS (sd_bus_message_close_container)
FAILS (sd_bus_message_new_method_call)
FAILS (sd_bus_message_open_container)
FAILS (sd_bus_message_read)
FAILS (sd_bus_process)
FAILS (sd_bus_wait)
FAILS (sd_journal_send_with_location)
FAILS (sd_notify)
FAILS (sd_notify_barrier)
GIVES_NOTHING (sd_bus_error_free) /* returns void in libsystemd */
GIVES_NOTHING (sd_bus_message_unref)
GIVES_NOTHING (sd_bus_unref)
