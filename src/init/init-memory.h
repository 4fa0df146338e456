/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Static buffers that are not needed after the command has started. */
#pragma once

#include <stddef.h>

/* Returns every page that lies wholly in these bytes to the kernel. Their contents are undefined
 * afterwards. */
void memory_forget (void *data, size_t size);
