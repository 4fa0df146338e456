/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounting by descriptor: what was opened and looked at is what is mounted, whatever its path leads to later.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base-error.h"

/* Opens PATH below DIRECTORY, no link followed on the way; with O_PATH. A descriptor, or a negative errno:
 * -ELOOP for a link. PATH has no "..". */
int mount_open_beneath (int directory, const char *path);

/* The same from /, for a source that was looked at before. */
int mount_open_source (const char *path, struct error *err);

/* Puts what FD is, with everything mounted below it, on TARGET (a path in the stage), nosuid and nodev all
 * through, and with the MOUNT_ATTR_ flags MORE. The flags stay when a runtime binds it on: crun 1.8.1 forgets
 * them on writable mounts in a user namespace. IDMAP_FD is a user namespace to map ids by, or -1. */
int mount_descriptor (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err);

/* The same as a tree that is mounted nowhere yet; TARGET is only told of. A descriptor, or an error. */
int mount_take (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err);

/* The same with mount(2) alone, for kernels without the calls that the above is made of; ids cannot be mapped
 * then. */
int mount_by_bind (int fd, const char *target, uint64_t more, struct error *err);

/* A mount namespace of our own, to and from which nothing is passed on. */
int mount_keep_private (struct error *err);

/* Opens the source PATH, which has to be what DEVICE and INODE say. A descriptor, or an error. */
int mount_open_known (const char *path, uint64_t device, uint64_t inode, struct stat *ret_st,
                      struct error *err);

/* Makes TARGET, which is not there yet, and puts what FD is on it, as mount_descriptor does. */
int mount_place (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err);

/* The same for a file or directory of our own, where nobody can write to it: links on the way are fine. */
int mount_place_own (const char *path, const char *target, struct error *err);

/* PATH in a container's ROOT; what is missing of it is made, directories, and a file at its end unless
 * DIRECTORY. FOLLOW: links lead where they do for the container; else one refuses it with -ELOOP. A
 * descriptor, or a negative errno. */
int mount_make_point (int root, const char *path, bool directory, bool follow);

/* A user namespace in which id INSIDE_UID:INSIDE_GID is OUTSIDE_UID:OUTSIDE_GID: for idmapped mounts. */
int mount_id_namespace (uint32_t from_uid, uint32_t to_uid, uint32_t from_gid, uint32_t to_gid, int *ret_fd,
                        struct error *err);

/* The same in steps, as its process needs time to begin and to end: start, do something else, take. */
struct id_maker {
  pid_t pid; /* 0: there is none */
  int ready;
};

#define ID_MAKER_NONE ((struct id_maker){ 0, -1 })

int id_maker_start (struct id_maker *ret_maker, struct error *err);
int id_maker_take (const struct id_maker *maker, uint32_t from_uid, uint32_t to_uid, uint32_t from_gid,
                   uint32_t to_gid, int *ret_fd, struct error *err);
void id_maker_clear (struct id_maker *maker);
