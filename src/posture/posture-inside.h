/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The questions to init and its answers: observation from inside.
 *
 * questions_make derives all questions from the promises. They are written in batches that fit a packet; the
 * answers are parsed strictly, one for each question, in order. They are untrusted input: the container's
 * root or a runtime may have tampered with init. Nothing here judges. Pure.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "posture-promises.h"
#include "wire-answers.h"

struct asked {
  enum question kind;
  char *bytes; /* NUL-terminated */
  size_t length;
};

struct questions {
  struct asked *items;
  size_t count;
  size_t before; /* of these, how many are asked before init has loaded its own filter */
};

int questions_make (const struct promises *promises, struct questions *ret_questions, struct error *err);

/* Writes the questions from number *AT on that fit into SIZE bytes, and advances *AT. Returns the bytes
 * used. */
size_t questions_write (const struct questions *questions, size_t *at, uint8_t *buffer, size_t size);

void questions_clear (struct questions *questions);
#define cleanup_questions cleanup (questions_clear)

struct answer {
  int errnum; /* 0: BYTES is the answer; ENODATA: none was read */
  char *bytes;
  size_t length;
};

struct inside {
  struct questions questions;
  struct answer *answers; /* one for each question */
  int restrict_errnum;    /* why init could not load its own filter; 0: it could, or was not told to */
  int told_errnum;        /* what the supervisor answers meanwhile, drawn for this run; 0: as the list says */
};

/* Takes QUESTIONS. */
int inside_new (struct questions *questions, struct inside *ret_inside, struct error *err);

/* Reads the answers to the questions FROM up to, but not including, UNTIL. */
int inside_read (struct inside *inside, size_t from, size_t until, const uint8_t *bytes, size_t length,
                 struct error *err);

/* The answer to the question of KIND about TEXT ("" for a question without bytes). Never NULL: ENODATA for a
 * question that was not asked. */
const struct answer *inside_answer (const struct inside *inside, enum question kind, const char *text);
/* The text of a file or link; NULL if there is none, or it contains a NUL. */
const char *inside_text (const struct inside *inside, enum question kind, const char *path);
/* False if there is no such answer of exactly that size. */
bool inside_look (const struct inside *inside, const char *path, struct report_look *ret_look);
bool inside_see (const struct inside *inside, const char *path, struct report_look *ret_look);
bool inside_statfs (const struct inside *inside, const char *path, struct report_statfs *ret_statfs);
bool inside_limit (const struct inside *inside, unsigned resource, struct report_limit *ret_limit);
bool inside_call (const struct inside *inside, const struct report_call *call, int64_t *ret_result);
bool inside_execute (const struct inside *inside, const char *path, struct report_execute *ret_execute);
bool inside_connect (const struct inside *inside, const void *address, size_t length, int *ret_errnum);

void inside_clear (struct inside *inside);
#define cleanup_inside cleanup (inside_clear)

/* Drawn by a Linux kernel when it starts; no namespace has one of its own. */
#define PROBE_BOOT_ID "/proc/sys/kernel/random/boot_id"
/* In the /proc of every Linux kernel. */
#define PROBE_LINUX_ONLY "/proc/vmstat"

/* Files that control a cgroup, at their paths in version 2 and version 1. */
#define PROBE_GROUP_FILES 2
extern const char *const probe_group_files[PROBE_GROUP_FILES];

/* System calls that our filters deny and that fail with another result without them, with harmless
 * arguments. */
struct probe_call {
  const char *name;
  struct report_call call;
};

extern const struct probe_call probe_calls[];
extern const size_t probe_call_count;

/* Of those that init's own filter reports, this many are asked when it is loaded, and the supervisor must
 * have answered them. The runtime's filter leaves them to init's: asked before, they would show nothing. */
#define PROBE_TOLD 3u
bool probe_is_left (const struct promises *promises, const struct probe_call *probe);

/* Calls that single checks use. */
extern const struct report_call probe_seal;        /* SEAL_CALL */
extern const struct report_call probe_allowed;     /* getpid */
extern const struct report_call probe_become_root; /* setresuid to 0 */
extern const struct report_call probe_bounding;    /* takes CAP_SETPCAP: drops from the bounding set */
extern const struct report_call probe_new_user;    /* a user namespace */
extern const struct report_call probe_ambient;     /* whether a capability is in the ambient set */
extern const struct report_call probe_privileges;  /* no_new_privileges, by prctl */

/* At most this many programs of process.tools are tried. */
#define PROBE_TOOLS_MAX 16u

/* Addresses reserved for documentation (RFC 5737, RFC 3849), and loopback. */
extern const struct sockaddr_in probe_far, probe_near;
extern const struct sockaddr_in6 probe_far6;
