/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounting by descriptor: the file that was opened and checked is mounted, whatever its path leads to
 * later. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base-error.h"
#include "base-helper-process.h"

/* Opens PATH below DIRECTORY with O_PATH, without following links. A descriptor, or a negative errno: -ELOOP
 * for a link. PATH has no "..". */
int mount_open_beneath (int directory, const char *path);

/* The same from /, for a source that was examined before. */
int mount_open_source (const char *path, struct error *err);

/* Mounts FD, with everything mounted below it, on TARGET (a path in the stage), all with nosuid and nodev and
 * the MOUNT_ATTR_ flags MORE. A bind mount by the runtime keeps the flags: crun 1.8.1 forgets to set them on
 * writable mounts in a user namespace. IDMAP_FD is a user namespace to map ids with, or -1. */
int mount_descriptor (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err);

/* The same as a tree that is not mounted anywhere yet; TARGET is only used in messages. A descriptor, or an
 * error. */
int mount_take (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err);

/* The same with mount(2) alone, for kernels without the newer calls; cannot map ids. */
int mount_by_bind (int fd, const char *target, uint64_t more, struct error *err);

/* Makes a mount namespace with no propagation in either direction. */
int mount_keep_private (struct error *err);

/* Opens the source PATH, which must have this DEVICE and INODE. A descriptor, or an error. */
int mount_open_known (const char *path, uint64_t device, uint64_t inode, struct stat *ret_st,
                      struct error *err);

/* Makes TARGET, which must not exist yet, and mounts FD on it, as mount_descriptor does. */
int mount_place (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err);

/* The same, read-only, for a file or directory of our own, which other users cannot write: links in its path
 * are followed. */
int mount_place_own (const char *path, const char *target, struct error *err);

/* Opens PATH in a container's ROOT. Makes what is missing: directories, and a file at its end unless
 * DIRECTORY. FOLLOW: links are resolved as in the container; otherwise a link is -ELOOP. A descriptor, or a
 * negative errno. */
int mount_make_point (int root, const char *path, bool directory, bool follow);

/* A user namespace for idmapped mounts that maps FROM to TO. */
int mount_id_namespace (uint32_t from_uid, uint32_t to_uid, uint32_t from_gid, uint32_t to_gid, int *ret_fd,
                        struct error *err);

/* The same in steps, as its process needs time to begin and to end: start, do something else, take. A helper
 * that was taken from has been killed; helper_clear waits for it. */
int id_maker_start (struct helper *ret_maker, struct error *err);
int id_maker_take (const struct helper *maker, uint32_t from_uid, uint32_t to_uid, uint32_t from_gid,
                   uint32_t to_gid, int *ret_fd, struct error *err);
