/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions about path names as text. Nothing here looks at a file system. */
#pragma once

#include <stdbool.h>

/* Absolute, no "." or ".." or empty component, no slash at its end ("/" itself is normal). */
bool path_is_normal (const char *path);

/* Relative, normal in the same sense, and without a way upwards. */
bool path_is_beneath (const char *path);

/* PATH is DIR or lies below it; both normal. */
bool path_is_within (const char *path, const char *dir);
