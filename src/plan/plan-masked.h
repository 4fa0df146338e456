/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel interfaces that are masked or read-only in every run. */
#pragma once

extern const char *const masked_paths[];    /* NULL-terminated */
extern const char *const read_only_paths[]; /* NULL-terminated */
