/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The protocol between a caller and the daemon.
 *
 * The caller connects to the daemon's socket (SOCK_SEQPACKET) and sends one packet: struct daemon_request,
 * with DAEMON_FDS descriptors. Then it waits for replies:
 *
 *   DAEMON_DECLINED  nothing was done, and the caller makes the run itself. A connection that is closed
 *                    before any reply means the same
 *   DAEMON_TAKEN     VALUE is the process that makes the run
 *   DAEMON_ENDED     VALUE is the exit status
 *
 * The caller sends its signals to that process by its number. If the caller closes the connection, the run is
 * ended. If the connection is closed between DAEMON_TAKEN and DAEMON_ENDED, that process was lost.
 *
 * A caller need not check whether it may ask: the daemon declines what the caller's configuration or command
 * line excludes.
 *
 * argv and env are in a memory file, as NUL-terminated strings: first all of argv, then all of env. Both ends
 * run on one machine as one user, so integers are in the machine's byte order; the kernel's credentials show
 * that it is the same user.
 */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#define DAEMON_MAGIC   0x53525954u /* "TYRS" in memory on little-endian machines */
#define DAEMON_VERSION 2u

/* What became of a client's request at the default socket. */
enum daemon_asked {
  DAEMON_NOT_ASKED, /* none was made */
  DAEMON_NOT_THERE, /* no daemon listens there */
  DAEMON_NOT_TAKEN  /* the daemon declined, did not answer, or belongs to another user */
};

/* The environment variable by which the client (src/client) tells this to tyrum-oci-cli: absent if it did not
 * ask; else the process id, followed by DAEMON_ASKED_NONE if no daemon listens. */
#define DAEMON_ASKED      "TYRUM_OCI_ASKED"
#define DAEMON_ASKED_NONE ":none"

/* Always set by the client: the process id, a colon, and the client's path. */
#define DAEMON_CLIENT "TYRUM_OCI_CLIENT"

#define LIMIT_DAEMON_BYTES (4u * 1024u * 1024u) /* of the memory file */

enum daemon_fd {
  DAEMON_IN,
  DAEMON_OUT,
  DAEMON_ERR,
  DAEMON_DIRECTORY, /* the caller's working directory */
  DAEMON_ARGV,      /* the memory file */
  DAEMON_FDS
};

struct daemon_request {
  uint32_t magic;
  uint32_t version;
  uint32_t argv, env; /* how many strings of each */
  uint32_t size;      /* of the memory file */
  uint32_t umask;
  int32_t nice;
  uint32_t reserved;
  struct {
    uint64_t soft, hard;
  } limits[RLIM_NLIMITS];
};

enum daemon_type { DAEMON_DECLINED = 1, DAEMON_TAKEN = 2, DAEMON_ENDED = 3 };

struct daemon_reply {
  uint32_t magic;
  uint16_t version;
  uint16_t type;
  int32_t value;
};
