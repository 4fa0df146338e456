/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Static buffers that are needed before the payload starts, and never after. */
#pragma once

#include <stddef.h>

/* The kernel takes back every page that lies wholly in these bytes. They are undefined from here on. */
void memory_forget (void *data, size_t size);
