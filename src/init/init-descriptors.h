/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The descriptors that init was started with, before it closed those that are nobody's.
 *
 * What a runtime leaves open is closed either way (init-fds.h). That it did leave it open is a fact about the
 * runtime, and kept until somebody asks.
 */
#pragma once

/* To be called first of all. What went wrong is kept as well, as the answer. */
void descriptors_record (void);

/* Gives the memory back. There is nothing to ask any more. */
void descriptors_forget (void);
