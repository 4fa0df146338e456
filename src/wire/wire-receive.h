/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptors over unix sockets. What is received is closed on exec. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Reads one message, whose text is dropped. The descriptor, closed on exec; or a negative errno: -EPROTO
 * where the message has none, or more than one. */
int descriptor_receive (int socket_fd);

#define DESCRIPTORS_MAX 8

/* One packet of SIZE bytes with COUNT descriptors, at most DESCRIPTORS_MAX. 0 or a negative errno; a peer
 * that is gone is -EPIPE and no signal. FLAGS as for sendmsg. */
int descriptors_send (int socket_fd, const void *bytes, size_t size, const int *fds, size_t count, int flags);

/* One packet, of at most SIZE bytes and with exactly COUNT descriptors or none at all; FDS is -1 in each
 * place then. How many bytes it had, 0 at the end; or a negative errno: -EPROTO for anything else. FLAGS as
 * for recvmsg. */
ssize_t descriptors_receive (int socket_fd, void *bytes, size_t size, int *fds, size_t count, int flags);
