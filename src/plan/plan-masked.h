/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel interfaces that every container of ours has covered or read-only. */
#pragma once

extern const char *const masked_paths[];    /* NULL-terminated */
extern const char *const read_only_paths[]; /* NULL-terminated */
