/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages of tyrum-oci-libcrun-helper to the supervisor.
 *
 * The supervisor starts the helper as its child, with the container's standard streams as 0, 1 and 2, then N
 * descriptors for the container, then one end of a SOCK_SEQPACKET pair as 3 + N. Only the supervisor has the
 * other end. The helper sends CREATED, then STARTED, and exits; or FAILED at any point, and exits. The
 * supervisor must be a child subreaper (PR_SET_CHILD_SUBREAPER) before that: the container's first process is
 * its child at the time of CREATED, dead or alive, until it is waited for.
 *
 * FAILED means that the helper has removed what it had made; a dead process may be left to wait for. To
 * cancel before STARTED, close the socket: the helper then removes what it has made and exits. If the socket
 * ends without FAILED or STARTED, the helper was killed, and the supervisor cleans up: an adopted child, a
 * cgroup, the state directory.
 *
 * If the container's program could not be executed, libcrun writes the reason to the container's standard
 * error.
 *
 * Each message is one packet: the header, and LENGTH bytes of text without a NUL. Both ends run on one
 * machine, so integers are in its byte order.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HELPER_MAGIC   0x4c525954u /* "TYRL" in memory on little-endian machines */
#define HELPER_VERSION 1u

#define LIMIT_HELPER_SPEC_BYTES ((size_t) 4 * 1024 * 1024) /* config.json */
#define LIMIT_HELPER_TEXT_BYTES ((size_t) 4096)
#define LIMIT_HELPER_FDS        64u /* for the container, besides the standard streams */

enum helper_message_type {
  HELPER_CREATED = 1, /* PID is the container's first process, which does not run its program yet */
  HELPER_STARTED = 2, /* the program runs; PID as before */
  HELPER_FAILED = 3,  /* TEXT is the error message: UTF-8, one line; ERROR is an errno */
};

struct helper_message {
  uint32_t magic;
  uint16_t version;
  uint16_t type;
  int32_t pid;
  int32_t error;
  uint32_t length; /* of the text, at most LIMIT_HELPER_TEXT_BYTES */
  char text[LIMIT_HELPER_TEXT_BYTES];
};
