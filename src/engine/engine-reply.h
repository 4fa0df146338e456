/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What engines answer, read from text into values. Pure, and strict about what we rely on.
 *
 * Docker and Podman name most things alike: the state of a container, its labels, the message of an error.
 * Whatever is not asked for is skipped. A reply without what is asked for is -EPROTO: it must not pass for an
 * answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base-error.h"
#include "base-json-read.h"
#include "base-str.h"

/* A whole reply as a tree. */
int reply_read (const char *text, size_t len, struct json_node **ret_tree, struct error *err);

/* The words of a refusal, in one line; never NULL unless memory ran out. */
char *reply_message (const char *text, size_t len);

/* Of a container that was made: its id, and what the engine warns of. */
int reply_created (const char *text, size_t len, char **ret_id, struct strlist *ret_warnings,
                   struct error *err);

struct container_state {
  bool started; /* it was, at some time */
  bool running;
  pid_t pid; /* on the host; 0 unless it runs */
  int code;  /* of one that was started and does not run any more */
  bool oom_killed;
  char *runtime; /* the engine's name for it; may be NULL */
};

/* Of an inspected container. */
int reply_state (const struct json_node *inspected, struct container_state *ret_state, struct error *err);
void container_state_clear (struct container_state *state);
#define cleanup_container_state cleanup (container_state_clear)

/* Of a path in a container, as the header that engines put it into: whether it is a symbolic link. */
int reply_is_link (const char *stat, bool *ret_link, struct error *err);

/* A list of containers: those whose name is PREFIX and the value of their LABEL, by their ids, and beside
 * each that value. A label alone says nothing of who made a container: an image can have it. */
int reply_containers (const char *text, size_t len, const char *label, const char *prefix,
                      struct strlist *ret_ids, struct strlist *ret_values, struct error *err);

/* One step of a pull, in one line for people (NULL: nothing worth telling). A step that tells of a failure is
 * -EIO with the engine's words. */
int reply_progress (const char *text, size_t len, char **ret_line, struct error *err);

/* "1.41" or "4.3.1-rc1" as numbers. */
bool reply_version (const char *text, unsigned *ret_major, unsigned *ret_minor);

/* Whether GOT holds all that SENT says. Every difference is added with the way to it: "HostConfig.Memory".
 *
 * A value that says nothing (null, false, 0, "", an empty list or object) equals one that is missing. Lists
 * are equal item by item. An object of GOT may have more keys than that of SENT only where they say nothing,
 * but for the one at the top. */
int reply_compare (const char *way, const struct json_node *sent, const struct json_node *got,
                   struct strlist *differences);

/* The key that WAY leads to from TREE, "A.B.C"; NULL when there is none. */
const struct json_node *reply_at (const struct json_node *tree, const char *way);
