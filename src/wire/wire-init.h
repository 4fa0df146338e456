/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The protocol between tyrum-oci-init and the supervisor.
 *
 * Init is the first process of the container and starts with two sockets. Over HANDSHAKE_FD it sends HELLO,
 * answers questions and waits for GO. Over STATUS_FD it later reports how the command ended, and waits until
 * the supervisor has read the kernel's counters. The first is closed before the command starts. The second is
 * closed in the command's process and stays open in init, which the command cannot trace (it is not
 * dumpable).
 *
 *   init:        HELLO
 *   supervisor:  CONFINE, with paths in the same packet      (at most once, also before HELLO)
 *   supervisor:  ASK, with its questions in the same packet  (any number of times, also before HELLO)
 *   init:        ANSWER, then as many bytes as its header says, in packets of at most REPORT_PIECE_BYTES
 *   supervisor:  RESTRICT                                    (at most once, after an answer)
 *   init:        RESTRICTED, with the filter's listener
 *   supervisor:  COMMAND                                     (once, where init was started without one)
 *   supervisor:  GO or STOP
 *
 * wire-answers.h describes questions and answers.
 *
 * --transport stdio is for a runtime that passes no descriptors (gVisor): init's messages are the first bytes
 * on standard output, the supervisor's the first on standard input, and there is no status socket.
 *
 * --transport socket is for an engine, which passes no descriptors either: init connects twice to
 * RENDEZVOUS_SOCKET in the directory that is mounted on RENDEZVOUS_PATH. The first connection becomes
 * HANDSHAKE_FD, the second STATUS_FD. Over the second it first sends HELLO and receives STREAMS; the rest is
 * as above.
 *
 * --transport call is for a container that an engine starts with tyrum-oci-runtime: init connects once to
 * RENDEZVOUS_SOCKET, where the runtime's start listens. That connection is HANDSHAKE_FD, and there is no
 * status socket, because the engine waits for the container.
 *
 * Both sockets are SOCK_SEQPACKET: each message is one packet, except that the bytes of an ANSWER and of a
 * RESTRICTED follow the header in packets of their own. Both ends run on one machine, so integers are in its
 * byte order.
 */
#pragma once

#include <stdint.h>

#define HANDSHAKE_FD 3
#define STATUS_FD    4

#define RENDEZVOUS_PATH   "/run/tyrum/rendezvous"
#define RENDEZVOUS_SOCKET "socket"

#define HANDSHAKE_MAGIC   0x49525954u /* "TYRI" in memory on little-endian machines */
#define HANDSHAKE_VERSION 2u

#define LIMIT_REPORT_BYTES (256u * 1024u)

enum handshake_type {
  HANDSHAKE_HELLO = 1,   /* init: ready */
  HANDSHAKE_GO = 2,      /* supervisor: run the command */
  HANDSHAKE_STOP = 3,    /* supervisor: do not run it, and exit */
  HANDSHAKE_ENDED = 4,   /* init, on the status socket: see struct handshake_ended */
  HANDSHAKE_SEEN = 5,    /* supervisor, on the status socket: counters have been read, exit */
  HANDSHAKE_ASK = 6,     /* supervisor: LENGTH bytes of questions, at most LIMIT_ASK_BYTES */
  HANDSHAKE_ANSWER = 7,  /* init: LENGTH bytes of answers, at most LIMIT_REPORT_BYTES */
  HANDSHAKE_STREAMS = 8, /* supervisor, on the status socket: carries the three standard streams */
  /* supervisor: LENGTH bytes of NUL-terminated paths, at most LIMIT_ASK_BYTES: the command and its
   * descendants may execute these programs and what these need to run, and nothing else. */
  HANDSHAKE_CONFINE = 9,
  /* supervisor, once, to an init that was started with --prewarmed: struct handshake_command, then texts that
   * each end with a NUL: the working directory, argv, env. */
  HANDSHAKE_COMMAND = 10,
  /* supervisor, not over standard streams: struct handshake_restrict, then a seccomp program, at most
   * LIMIT_ASK_BYTES together. Init puts both in force for itself and the command. */
  HANDSHAKE_RESTRICT = 11,
  /* init: struct handshake_restricted; the header comes with the listener of that program as a descriptor. */
  HANDSHAKE_RESTRICTED = 12,
};

#define RESTRICT_LIMITS 16

struct handshake_restrict {
  uint64_t limits[RESTRICT_LIMITS]; /* by RLIMIT_ number: soft and hard are at most this; UINT64_MAX: as is */
};

enum restrict_step { RESTRICTING_PRIVILEGES, RESTRICTING_LIMITS, RESTRICTING_CLASS, RESTRICTING_CALLS };

struct handshake_restricted {
  int32_t errnum; /* why it is not in force; 0: it is */
  int32_t step;   /* enum restrict_step: what failed */
};

#define LIMIT_COMMAND_TEXTS 1024u

struct handshake_command {
  uint32_t argv;
  uint32_t env;
};

struct handshake_header {
  uint32_t magic;
  uint16_t version;
  uint16_t type;
  uint32_t length; /* bytes after the header */
};

struct handshake_ended {
  struct handshake_header header;
  int32_t code;     /* the command's exit code, or -1 */
  int32_t signal;   /* the signal that ended it, or 0 */
  int32_t exec_err; /* errno of a failed exec, or 0; code is then 126 or 127 as in shells */
};
