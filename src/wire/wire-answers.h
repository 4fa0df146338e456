/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the supervisor asks init before the command starts, and how init answers, byte for byte.
 *
 * Init knows nothing of profiles. It answers questions of a few kinds, as the process that the command will
 * be: the same ids, root, limits and filter. What is asked, and what an answer proves, is decided outside
 * (src/posture). So init stays small, and a new probe is a new question and not a new init.
 *
 * A question and an answer are both an item: a fixed head, then LENGTH bytes. Answers come in the order of
 * the questions, one for each, with the same KIND. ERRNUM of an answer is 0, or why there is none; the bytes
 * are then missing. An answer for which there is no room any more has ENOBUFS. Nothing is padded: heads are
 * copied out. Both ends run on the same machine, so integers are the machine's own.
 *
 * No question changes anything that outlives it. The last part of a path is never followed. What may react to
 * being opened, a FIFO, a socket, a terminal or any device but those of memory, is not: EOPNOTSUPP, which
 * says nothing about whether it could be. FILE, LINK and LIST give EXDEV for a path in /proc where the
 * kernel's is not. A question whose bytes cannot be what its kind wants has EINVAL, one of no known kind
 * ENOSYS.
 */
#pragma once

#include <stdint.h>

/* Of one ASK; more than one may be asked. Both fit into a pipe and into a packet. */
#define LIMIT_ASK_BYTES (32u * 1024u)

/* Answers to one ASK leave init in pieces of at most this size. */
#define REPORT_PIECE_BYTES (32u * 1024u)

/* Of one file, one link, one listing. */
#define LIMIT_REPORT_FILE_BYTES   (96u * 1024u)
#define LIMIT_REPORT_LIST_ENTRIES 512u

/* That one process makes for init; the next one is another's. */
#define LIMIT_REPORT_CALLS 64u

enum question {
  /* A file's bytes; the question is its path. E2BIG beyond LIMIT_REPORT_FILE_BYTES. */
  QUESTION_FILE = 1,
  /* A link's text; the question is its path. */
  QUESTION_LINK = 2,
  /* What a path is: struct report_look; the question is the path, whose last part is not followed. */
  QUESTION_LOOK = 3,
  /* Size and type of a file system: struct report_statfs; the question is a path on it. */
  QUESTION_STATFS = 4,
  /* A directory's entries, struct report_entry each, with the name behind it; the question is its path. In
   * /proc an entry has only its type for a mode, as the directory tells it. */
  QUESTION_LIST = 5,
  /* Whether a file can be made in a directory: no bytes, ERRNUM is the answer. The file never has a name, but
   * where the file system cannot do that; there it is a directory that is removed at once. */
  QUESTION_CREATE = 6,
  /* Whether a file can be opened for writing: no bytes, ERRNUM is the answer. Nothing is written. */
  QUESTION_OPEN_WRITE = 7,
  /* What a system call returns: int64_t, negative errno. The question is a struct report_call. It is made in
   * a child that does nothing else; ECHILD if the call ended the child, and its signal is the int64_t. */
  QUESTION_CALL = 8,
  /* Whether a datagram socket can be connected, which sends nothing: no bytes, ERRNUM is the answer. The
   * question is the address as connect takes it. */
  QUESTION_CONNECT = 9,
  /* The descriptors that init found when it started, before it closed any: "NUMBER TARGET" each, and a NUL
   * behind it. No bytes in the question. */
  QUESTION_DESCRIPTORS = 10,
  /* The environment: "NAME=HASH" each, and a NUL behind it; the hash of the value is FNV-1a, 64 bits, 16
   * hexadecimal digits. No bytes in the question. */
  QUESTION_ENVIRONMENT = 11,
  /* Every resource limit in the kernel's order: struct report_limit each. No bytes in the question. */
  QUESTION_LIMITS = 12,
  /* The kernel's struct utsname, as it is. No bytes in the question. */
  QUESTION_NAMES = 13,
  /* Whether a program can be executed: struct report_execute; the question is its path, links followed.
   * EOPNOTSUPP where only trying would tell. Nothing is executed but init itself. */
  QUESTION_EXECUTE = 14,
  /* The same as QUESTION_LOOK without opening it: the last two members stay 0. */
  QUESTION_SEE = 15,
};

struct report_item {
  uint16_t kind;   /* enum question */
  uint16_t errnum; /* of an answer; 0 in a question */
  uint32_t length; /* bytes behind it */
};

/* A path is looked at without being opened, and then opened to see what it gives away. */
struct report_look {
  uint64_t device, inode; /* device: major in the upper half */
  uint64_t rdev;          /* the same way */
  uint32_t mode;          /* as in struct stat */
  uint32_t uid, gid;
  int32_t open_errnum; /* why it could not be opened for reading; 0: it was */
  int32_t content; /* directory: entries, 2 meaning more than one; else: bytes that one read of a byte gave;
                    * negative errno where that failed; 0 where it was not opened */
};

struct report_statfs {
  uint64_t type;
  uint64_t bytes; /* size of the file system */
  uint64_t flags; /* ST_RDONLY and its like, as statvfs has them */
};

struct report_entry {
  uint64_t rdev; /* major in the upper half */
  uint32_t mode;
  uint32_t name_length; /* bytes behind it */
};

struct report_call {
  int64_t number;
  uint64_t arguments[6];
};

struct report_execute {
  int32_t free_errnum;    /* by init; 0: it can be */
  int32_t bounded_errnum; /* by the command, under the bounds of HANDSHAKE_CONFINE if those came */
};

struct report_limit {
  uint64_t soft, hard; /* UINT64_MAX: none */
};
