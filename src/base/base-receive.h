/* One descriptor from a unix socket, as runtimes hand a terminal over. */
#pragma once

/* Reads one message, whose text is dropped. The descriptor, closed on exec; or a negative errno: -EPROTO
 * where the message has none, or more than one. */
int descriptor_receive (int socket_fd);
