/* What a caller and a launcher that stays say to each other, byte for byte.
 *
 * The caller connects to the launcher's socket (SOCK_SEQPACKET) and sends one packet: struct
 * launcher_request, with LAUNCHER_FDS descriptors. Then it listens.
 *
 *   launcher:  DECLINED: nothing was done, and the caller does it alone. So it is when the launcher hangs up
 *              before it has said anything.
 *   launcher:  TAKEN: VALUE is the process that stands in for the caller from now on
 *   launcher:  ENDED: VALUE is the exit status
 *
 * Signals go to that process, by its number. A caller that hangs up wants an end: so it is asked to end. A
 * launcher that hangs up between TAKEN and ENDED has lost that process.
 *
 * Who asks need not know whether it may: a launcher declines what its caller's configuration or command line
 * keep from it.
 *
 * The words of the command line and the environment are in a memory file, each with a NUL behind it: so many
 * words first, then so many variables. Both ends run on the same machine and belong to the same user, so
 * integers are the machine's own; that it is the same user is the kernel's word and nobody else's.
 */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#define LAUNCHER_MAGIC   0x53525954u /* "TYRS" in memory on little-endian machines */
#define LAUNCHER_VERSION 2u

/* In the environment of the program that the front becomes when the launcher has not taken it: the number of
 * that process. */
#define LAUNCHER_ASKED "TYRUM_OCI_ASKED"

/* There as well, always: that number, a colon, and the path of the front itself. */
#define LAUNCHER_FRONT "TYRUM_OCI_FRONT"

#define LIMIT_LAUNCHER_BYTES (4u * 1024u * 1024u) /* of the memory file */

enum launcher_fd {
  LAUNCHER_IN,
  LAUNCHER_OUT,
  LAUNCHER_ERR,
  LAUNCHER_FOLDER, /* the caller's working folder */
  LAUNCHER_WORDS,  /* the memory file */
  LAUNCHER_FDS
};

struct launcher_request {
  uint32_t magic;
  uint32_t version;
  uint32_t words, variables;
  uint32_t size; /* of the memory file */
  uint32_t umask;
  int32_t nice;
  uint32_t reserved;
  struct {
    uint64_t soft, hard;
  } limits[RLIM_NLIMITS];
};

enum launcher_type { LAUNCHER_DECLINED = 1, LAUNCHER_TAKEN = 2, LAUNCHER_ENDED = 3 };

struct launcher_reply {
  uint32_t magic;
  uint16_t version;
  uint16_t type;
  int32_t value;
};
