/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a caller and a daemon that stays say to each other, byte for byte.
 *
 * The caller connects to the daemon's socket (SOCK_SEQPACKET) and sends one packet: struct
 * daemon_request, with DAEMON_FDS descriptors. Then it listens.
 *
 *   daemon:  DECLINED: nothing was done, and the caller does it alone. So it is when the daemon hangs up
 *              before it has said anything.
 *   daemon:  TAKEN: VALUE is the process that stands in for the caller from now on
 *   daemon:  ENDED: VALUE is the exit status
 *
 * Signals go to that process, by its number. A caller that hangs up wants an end: so it is asked to end. A
 * daemon that hangs up between TAKEN and ENDED has lost that process.
 *
 * Who asks need not know whether it may: a daemon declines what its caller's configuration or command line
 * keep from it.
 *
 * The words of the command line and the environment are in a memory file, each with a NUL behind it: so many
 * words first, then so many variables. Both ends run on the same machine and belong to the same user, so
 * integers are the machine's own; that it is the same user is the kernel's word and nobody else's.
 */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#define DAEMON_MAGIC   0x53525954u /* "TYRS" in memory on little-endian machines */
#define DAEMON_VERSION 2u

/* In the environment of the program that the front becomes when the daemon has not taken it: the number of
 * that process. */
#define DAEMON_ASKED "TYRUM_OCI_ASKED"

/* There as well, always: that number, a colon, and the path of the front itself. */
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
  uint32_t argv, variables;
  uint32_t size; /* of the memory file */
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
