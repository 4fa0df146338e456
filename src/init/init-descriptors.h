/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The descriptors that init was started with, recorded before it closes the stray ones.
 *
 * init-fds.h closes what a runtime left open. That it was left open is a fact about the runtime, recorded for
 * QUESTION_DESCRIPTORS.
 */
#pragma once

/* To be called first. An error is recorded as well, as the answer. */
void descriptors_record (void);

/* Returns the memory to the kernel. No questions afterwards. */
void descriptors_forget (void);
