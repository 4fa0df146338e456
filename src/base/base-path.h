/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Path names as text. Nothing here looks at a file system. */
#pragma once

#include <stdbool.h>

/* Absolute, without ".", ".." or empty components and without a trailing slash ("/" itself is normal). */
bool path_is_normal (const char *path);

/* Relative, and otherwise normal in the same sense. */
bool path_is_beneath (const char *path);

/* PATH is DIR or lies below it; both normal. */
bool path_is_within (const char *path, const char *dir);
