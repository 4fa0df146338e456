/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the topics of src/restrict. Each tightens its part of the document; the order is in restrict.c.
 *
 * An edit that fails for want of memory sets "failed", which is checked at the end. A topic returns 0, or the
 * error of restrict_refuse or restrict_find. */
#pragma once

#include <inttypes.h>

#include "restrict-restrict.h"

/* What a document tells of the kubelet that started its container (kubelet.c). */
struct kubelet {
  struct strlist roots; /* its directories (a set) */
  char *pod;            /* the UID of the container's pod; NULL: it is in none */
};

struct meet {
  const char *document; /* what messages call it */
  const struct spec_policy *policy;
  struct json_node *config; /* NULL for a process or resources by themselves */
  struct spec_changes *changes;
  struct error *err;
  bool failed;                   /* memory ran out */
  bool adds_userns;              /* we add a user namespace, the engine has none */
  const struct strlist *stores;  /* where the engine keeps its containers; set while mounts are restricted */
  const struct kubelet *kubelet; /* the same */
  const char *written; /* the mount point of the mount being restricted, before links are followed */
  size_t brought;      /* files of the engine's that were made read-only */
};

/* The value in force. */
const struct value *restrict_value (const struct meet *m, enum setting setting);
uint64_t restrict_number (const struct meet *m, enum setting setting, uint64_t otherwise);

/* Records a change. */
void restrict_note (struct meet *m, enum control control, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Sets the error, which begins with the name of CONTROL. Returns -EPERM. */
int restrict_refuse (struct meet *m, enum control control, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Finds KEY of PARENT, which has to be of TYPE; null counts as absent. *RET_NODE is NULL when it is. */
int restrict_find (struct meet *m, struct json_node *parent, const char *key, enum json_type type,
                   struct json_node **ret_node);
/* The same, and makes an empty one when it is absent. */
int restrict_make (struct meet *m, struct json_node *parent, const char *key, enum json_type type,
                   struct json_node **ret_node);
/* A whole number; *RET_THERE says whether there is one. */
int restrict_find_number (struct meet *m, struct json_node *parent, const char *key, bool *ret_there,
                          int64_t *ret_number);
/* Text; *RET_TEXT is NULL when there is none. */
int restrict_find_text (struct meet *m, struct json_node *parent, const char *key, const char **ret_text);

/* Edits; VALUE may be NULL where memory ran out. */
void restrict_set (struct meet *m, struct json_node *object, const char *key, struct json_node *value);
void restrict_append (struct meet *m, struct json_node *array, struct json_node *value);
void restrict_append_text (struct meet *m, struct json_node *array, const char *text);

/* All items are of TYPE. */
int restrict_items (struct meet *m, const struct json_node *array, const char *what, enum json_type type);

/* Whether an array of texts holds TEXT. */
bool texts_have (const struct json_node *array, const char *text);

/* Refuses a document with a key that runtimes could read as another one. Comes first: the rest compares keys
 * exactly. */
int restrict_keys (const struct meet *m, const struct json_node *document);

/* The topics. */
int restrict_process (struct meet *m, struct json_node *process);
int restrict_mounts (struct meet *m, struct json_node *config);
int restrict_linux (struct meet *m, struct json_node *config);
int restrict_namespaces (struct meet *m, struct json_node *linux_);
int restrict_resources (struct meet *m, struct json_node *resources, bool update);
int restrict_seccomp (struct meet *m, struct json_node *linux_);
int restrict_annotations (struct meet *m, struct json_node *config);

/* Options of one mount. */
bool option_there (const struct json_node *mount, const char *option);
/* Adds OPTION and removes OPPOSITE (may be NULL), also in its recursive form. Returns whether that changed
 * anything. */
bool option_force (struct meet *m, struct json_node *mount, const char *option, const char *opposite);
/* Makes size= no more than MOST. */
bool option_bound_size (struct meet *m, struct json_node *mount, uint64_t most);
/* Removes every propagation but private. */
bool option_force_private (struct meet *m, struct json_node *mount);

/* Judges the source of a bind on DEST and tightens its options. *RET_DIRECTORY says that it is a plain
 * directory.
 */
int restrict_bind (struct meet *m, struct json_node *mount, const char *dest, bool *ret_directory);

/* Whether the profile grants what lies at REAL. */
bool bind_is_granted (const struct meet *m, const char *real);

/* What is known of the source of MOUNT; NULL: it is not a bind, or nothing. */
const struct path_fact *bind_fact (struct meet *m, const struct json_node *mount);

/* Whether it is the bind of something that the engine made for the container. */
bool bind_is_brought (struct meet *m, const struct json_node *mount, const char *dest);

/* What the engine keeps on the host (engine-files.c). Paths have no links. */
int engine_find_stores (struct meet *m, const struct json_node *mounts, struct strlist *stores);
/* Whether PATH is a file that the engine made for the container, to be mounted on DEST. */
bool engine_brings (const struct meet *m, const char *path, const char *dest);
/* Where the container is not known yet: whether it is such a file of some container. */
bool engine_brings_some (const struct meet *m, const char *path, const char *dest);
/* How long the part of PATH is that names a volume, by the form that all engines have; 0: none. */
size_t engine_volume (const char *path);
/* Whether PATH is, or lies in, a volume of this engine's. */
bool engine_volume_known (const struct meet *m, const char *path);

/* What a kubelet mounts. PATH and DEST are normal. */
int kubelet_find (struct meet *m, const struct json_node *mounts, struct kubelet *ret_kubelet);
void kubelet_clear (struct kubelet *kubelet);
#define cleanup_kubelet cleanup (kubelet_clear)
bool kubelet_is_empty_dir (const struct meet *m, const char *path);
bool kubelet_is_hosts (const struct meet *m, const char *path);
/* Whether PATH is the service-account token that every pod gets, to be mounted on DEST. */
bool kubelet_is_token (const struct meet *m, const char *path, const char *dest);
/* Whether PATH lies in a kubelet's directory. */
bool kubelet_has (const struct meet *m, const char *path);
/* Why PATH, a name of PART, cannot be bound as it is the kubelet's; NULL: it can. */
const char *kubelet_keeps (const struct meet *m, const struct path_fact *part, const char *path);

/* Why PATH, which is neither, cannot be bound as it is the engine's; NULL: it is not. */
const char *engine_keeps (const struct meet *m, const char *path);
