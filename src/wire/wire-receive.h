/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passing descriptors over unix sockets. Received descriptors are close-on-exec. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Receives one message and ignores its bytes. Returns its descriptor, or a negative errno: -EPROTO if it has
 * not exactly one. */
int descriptor_receive (int socket_fd);

#define DESCRIPTORS_MAX 8

/* Sends one packet of SIZE bytes with COUNT descriptors, at most DESCRIPTORS_MAX. 0 or a negative errno:
 * -EPIPE, without a signal, if the peer is gone. FLAGS as for sendmsg. */
int descriptors_send (int socket_fd, const void *bytes, size_t size, const int *fds, size_t count, int flags);

/* Receives one packet of at most SIZE bytes with exactly COUNT descriptors or none, in which case every FDS
 * is -1. Returns the number of bytes, 0 at the end of the connection, or a negative errno: -EPROTO for any
 * other packet. FLAGS as for recvmsg. */
ssize_t descriptors_receive (int socket_fd, void *bytes, size_t size, int *fds, size_t count, int flags);
