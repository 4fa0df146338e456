/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In place of libsystemd.
 *
 * libcrun calls it for cgroups that systemd manages, for its journal, and to tell it that a container is
 * ready. This program asks for none of these, but libsystemd and the five libraries that it brings would be
 * loaded at each start, and mapped into a process that has root's rights. So the calls are answered here,
 * with failure. A later libcrun that needs another one of them is linked with the library after all.
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
GIVES_NOTHING (sd_bus_error_free) /* void, in truth */
GIVES_NOTHING (sd_bus_message_unref)
GIVES_NOTHING (sd_bus_unref)
