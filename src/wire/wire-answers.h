/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The questions that the supervisor asks init before the command starts, and init's answers.
 *
 * Init has no knowledge of profiles. It answers questions of a few kinds with the ids, root, limits and
 * filter that the command will have. src/posture decides what is asked and what an answer proves. So init
 * stays small, and a new probe is a new question, not a new init.
 *
 * Questions and answers are items: a fixed head, then LENGTH bytes. There is one answer for each question, in
 * the same order and with the same KIND. ERRNUM of an answer is 0, or the reason why it has no bytes; ENOBUFS
 * if there is no room left. Items are not aligned: copy heads out. Both ends run on one machine, so integers
 * are in its byte order.
 *
 * No question has a lasting effect. The last part of a path is never followed. Files that may react to being
 * opened (a FIFO, a socket, a terminal, any device but those of memory) are not opened: EOPNOTSUPP, which
 * proves nothing. FILE, LINK and LIST give EXDEV for a path in /proc where the kernel's procfs is not
 * mounted. EINVAL: the bytes do not fit the kind. ENOSYS: the kind is unknown.
 */
#pragma once

#include <stdint.h>

/* Of one ASK; there may be several. It fits into a pipe and into a packet. The longest seccomp program fits,
 * too. */
#define LIMIT_ASK_BYTES (36u * 1024u)

/* Answers to one ASK leave init in pieces of at most this size. */
#define REPORT_PIECE_BYTES (32u * 1024u)

/* Of one file, one link, one listing. */
#define LIMIT_REPORT_FILE_BYTES   (96u * 1024u)
#define LIMIT_REPORT_LIST_ENTRIES 512u

/* How many calls one child of init makes; then init forks the next. */
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
  /* A directory's entries: struct report_entry and the name for each; the question is its path. In /proc the
   * mode has only the type, as readdir returns it. */
  QUESTION_LIST = 5,
  /* Whether a file can be made in a directory: no bytes, ERRNUM is the answer. The file has no name
   * (O_TMPFILE); where the file system does not support that, a directory is made and removed at once. */
  QUESTION_CREATE = 6,
  /* Whether a file can be opened for writing: no bytes, ERRNUM is the answer. Nothing is written. */
  QUESTION_OPEN_WRITE = 7,
  /* What a system call returns: int64_t, negative errno. The question is a struct report_call. It is made in
   * a child that does nothing else; ECHILD if the call ended the child, and its signal is the int64_t. */
  QUESTION_CALL = 8,
  /* Whether a datagram socket can be connected, which sends nothing: no bytes, ERRNUM is the answer. The
   * question is the address as connect takes it. */
  QUESTION_CONNECT = 9,
  /* The descriptors that were open when init started: "NUMBER TARGET" each, NUL-terminated. No bytes in the
   * question. */
  QUESTION_DESCRIPTORS = 10,
  /* The environment: "NAME=HASH" each, NUL-terminated; the hash of the value is FNV-1a, 64 bits, 16
   * hexadecimal digits. No bytes in the question. */
  QUESTION_ENVIRONMENT = 11,
  /* Every resource limit in the kernel's order: struct report_limit each. No bytes in the question. */
  QUESTION_LIMITS = 12,
  /* The kernel's struct utsname, as it is. No bytes in the question. */
  QUESTION_NAMES = 13,
  /* Whether a program can be executed: struct report_execute; the question is its path, links followed.
   * EOPNOTSUPP if only executing it would show. Nothing is executed but init itself. */
  QUESTION_EXECUTE = 14,
  /* As QUESTION_LOOK, but the path is not opened: the last two members are 0. */
  QUESTION_SEE = 15,
};

struct report_item {
  uint16_t kind;   /* enum question */
  uint16_t errnum; /* of an answer; 0 in a question */
  uint32_t length; /* bytes after it */
};

/* Status of a path, and what opening it for reading gives. */
struct report_look {
  uint64_t device, inode; /* device: major in the upper half */
  uint64_t rdev;          /* the same way */
  uint32_t mode;          /* as in struct stat */
  uint32_t uid, gid;
  int32_t open_errnum; /* why it could not be opened for reading; 0: it was */
  int32_t content;     /* directory: entries, 2 meaning more than one; else: what reading one byte returned; a
                    * negative errno if that failed; 0 if it was not opened */
};

struct report_statfs {
  uint64_t type;
  uint64_t bytes; /* size of the file system */
  uint64_t flags; /* ST_RDONLY and others, as in statvfs */
};

struct report_entry {
  uint64_t rdev; /* major in the upper half */
  uint32_t mode;
  uint32_t name_length; /* bytes after it */
};

struct report_call {
  int64_t number;
  uint64_t arguments[6];
};

struct report_execute {
  int32_t free_errnum;    /* for init; 0: it can be executed */
  int32_t bounded_errnum; /* for the command, under HANDSHAKE_CONFINE if that was sent */
};

struct report_limit {
  uint64_t soft, hard; /* UINT64_MAX: none */
};
