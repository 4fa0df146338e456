/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the replies of engines into values. Pure, and strict about what we rely on.
 *
 * Docker and Podman use the same keys for most things: the state of a container, its labels, the message of
 * an error. Other keys are skipped. A reply without a key that we need is -EPROTO.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base-error.h"
#include "base-json-read.h"
#include "base-str.h"

/* Parses a whole reply. */
int reply_read (const char *text, size_t len, struct json_node **ret_tree, struct error *err);

/* The engine's error message, in one line; NULL only if out of memory. */
char *reply_message (const char *text, size_t len);

/* The id of a new container, and the engine's warnings. */
int reply_created (const char *text, size_t len, char **ret_id, struct strlist *ret_warnings,
                   struct error *err);

struct container_state {
  bool started; /* it was running at some time */
  bool running;
  pid_t pid; /* on the host; 0 unless it runs */
  int code;  /* exit code, if it was started and no longer runs */
  bool oom_killed;
  char *runtime; /* the engine's name for its runtime, or NULL */
};

/* Reads the state of an inspected container. */
int reply_state (const struct json_node *inspected, struct container_state *ret_state, struct error *err);
void container_state_clear (struct container_state *state);
#define cleanup_container_state cleanup (container_state_clear)

/* Whether a path in a container is a symbolic link, from the header that describes it. */
int reply_is_link (const char *stat, bool *ret_link, struct error *err);

/* From a list of containers: the ids of those whose name is PREFIX and the value of their LABEL, and those
 * values. A label alone does not prove that we made a container: an image can have it. */
int reply_containers (const char *text, size_t len, const char *label, const char *prefix,
                      struct strlist *ret_ids, struct strlist *ret_values, struct error *err);

/* One step of a pull, as one line of text (NULL: nothing to show). A step that reports a failure is -EIO with
 * the engine's message. */
int reply_progress (const char *text, size_t len, char **ret_line, struct error *err);

/* Reads the first two numbers of "1.41" or "4.3.1-rc1". */
bool reply_version (const char *text, unsigned *ret_major, unsigned *ret_minor);

/* Whether GOT holds everything in SENT. Adds the path of every difference: "HostConfig.Memory".
 *
 * An empty value (null, false, 0, "", an empty list or object) equals a missing one. Lists are equal item by
 * item. Below the top level, an object of GOT may have more keys than that of SENT only if their values are
 * empty.
 */
int reply_compare (const char *path, const struct json_node *sent, const struct json_node *got,
                   struct strlist *differences);

/* The node at PATH below TREE, "A.B.C"; NULL if there is none. */
const struct json_node *reply_at (const struct json_node *tree, const char *path);
