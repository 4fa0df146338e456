/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tyrum-oci-libcrun-helper says to the supervisor, byte for byte.
 *
 * The supervisor starts launch as its own child, with the container's standard streams as 0, 1 and 2, then
 * N descriptors that go into the container, then its end of a SOCK_SEQPACKET pair as 3 + N. The other end is
 * the supervisor's alone. Launch says CREATED, then STARTED, and ends; or FAILED at any point, and ends.
 * Before that the supervisor makes itself a child subreaper (PR_SET_CHILD_SUBREAPER), for the container's
 * first process becomes its child: by the time of CREATED it is, dead or alive, and stays so until it is
 * waited for.
 *
 * FAILED means that launch took down what it had made; a dead process may be left to wait for. To give up
 * before STARTED, close the socket: launch then takes down what there is and ends. An end of the socket
 * without FAILED or STARTED means that launch was killed, and the supervisor looks after what it left: a
 * child that it adopted, a cgroup, the state directory.
 *
 * What comes on the container's standard error before its first program says anything is libcrun's word on
 * why that program could not be executed.
 *
 * One message, one packet: the header, and LENGTH bytes of text without a NUL. Both ends run on the same
 * machine, so integers are the machine's own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HELPER_MAGIC   0x4c525954u /* "TYRL" in memory on little-endian machines */
#define HELPER_VERSION 1u

#define LIMIT_HELPER_SPEC_BYTES ((size_t) 4 * 1024 * 1024) /* config.json */
#define LIMIT_HELPER_TEXT_BYTES ((size_t) 4096)
#define LIMIT_HELPER_FDS        64u /* that go into the container beyond the standard streams */

enum helper_message_type {
  HELPER_CREATED = 1, /* PID is the container's first process, which does not run its program yet */
  HELPER_STARTED = 2, /* it does now; PID as before */
  HELPER_FAILED = 3,  /* TEXT says what and why: UTF-8, one line; ERROR is an errno */
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
