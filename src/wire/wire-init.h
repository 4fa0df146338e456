/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tyrum-oci-init and the supervisor say to each other, byte for byte.
 *
 * Init starts as the first process of the container with two sockets of its own: HANDSHAKE_FD, over which it
 * says hello, answers questions and waits for the go-ahead, and STATUS_FD, over which it later tells how the
 * command ended and waits until the supervisor has read the kernel's counters. The first is closed before the
 * command starts. The second is closed in the command's process and stays in init, which the command can
 * neither trace nor look into (it is not dumpable).
 *
 *   init:        HELLO
 *   supervisor:  CONFINE, with paths in the same packet      (at most once, also before HELLO)
 *   supervisor:  ASK, with its questions in the same packet  (any number of times, also before HELLO)
 *   init:        ANSWER, then as many bytes as its header says, in packets of at most REPORT_PIECE_BYTES
 *   supervisor:  COMMAND                                     (once, where init was started without one)
 *   supervisor:  GO or STOP
 *
 * Questions and answers are laid down in wire-answers.h.
 *
 * A runtime that passes no descriptors (gVisor) is given --transport stdio: what init says is then the first
 * thing on standard output, what the supervisor says the first thing on standard input, and there is no
 * status.
 *
 * Behind an engine, which passes no descriptors either, init is given --transport socket: it connects to
 * RENDEZVOUS_SOCKET in the directory that is mounted on RENDEZVOUS_PATH, twice. The first connection becomes
 * HANDSHAKE_FD, the second STATUS_FD. Over the second it says HELLO before anything else and gets STREAMS;
 * then all is as above.
 *
 * A container that an engine starts by tyrum-oci-runtime has init with --transport call: init connects once
 * to RENDEZVOUS_SOCKET in the directory that is mounted on RENDEZVOUS_PATH, where the runtime's start
 * listens; that connection is HANDSHAKE_FD, and there is no status: the engine is the supervisor.
 *
 * Both sockets are SOCK_SEQPACKET: one message, one packet, but for the bytes of an ANSWER. Both ends run on
 * the same machine, so integers are the machine's own.
 */
#pragma once

#include <stdint.h>

#define HANDSHAKE_FD 3
#define STATUS_FD    4

#define RENDEZVOUS_PATH   "/run/tyrum/door"
#define RENDEZVOUS_SOCKET "socket"

#define HANDSHAKE_MAGIC   0x49525954u /* "TYRI" in memory on little-endian machines */
#define HANDSHAKE_VERSION 2u

#define LIMIT_REPORT_BYTES (256u * 1024u)

enum handshake_type {
  HANDSHAKE_HELLO = 1,   /* init: ready */
  HANDSHAKE_GO = 2,      /* supervisor: run the command */
  HANDSHAKE_STOP = 3,    /* supervisor: do not */
  HANDSHAKE_ENDED = 4,   /* init, on the status socket: see struct handshake_ended */
  HANDSHAKE_SEEN = 5,    /* supervisor, on the status socket: counters are read, go */
  HANDSHAKE_ASK = 6,     /* supervisor: LENGTH bytes of questions, at most LIMIT_ASK_BYTES */
  HANDSHAKE_ANSWER = 7,  /* init: LENGTH bytes of answers, at most LIMIT_REPORT_BYTES */
  HANDSHAKE_STREAMS = 8, /* supervisor, on the status socket: the three standard streams come with it */
  /* supervisor: LENGTH bytes of paths, at most LIMIT_ASK_BYTES, with a NUL behind each: the command, and all
   * that it starts, may execute these programs, what they need to run, and nothing else. */
  HANDSHAKE_CONFINE = 9,
  /* supervisor, once, to an init that was started with --held: struct handshake_command, then so many texts
   * with a NUL behind each: the working directory, the command's words, its variables. */
  HANDSHAKE_COMMAND = 10,
};

#define LIMIT_COMMAND_TEXTS 1024u

struct handshake_command {
  uint32_t argv;
  uint32_t variables;
};

struct handshake_header {
  uint32_t magic;
  uint16_t version;
  uint16_t type;
  uint32_t length; /* bytes behind the header */
};

struct handshake_ended {
  struct handshake_header header;
  int32_t code;     /* the command's exit code, or -1 */
  int32_t signal;   /* the signal that ended it, or 0 */
  int32_t exec_err; /* errno of a failed exec, or 0; code is then 126 or 127 as in shells */
};
