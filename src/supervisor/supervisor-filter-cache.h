/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters that are ready for the kernel, kept between runs: STORAGE/filters/NAME.
 *
 * A runtime that is handed a list of calls has libseccomp make a program of it, for each run anew, and that
 * takes longer than everything else it does. So the program is made once and kept under the digest of all
 * that it is made from.
 *
 * A stale entry is never used: with another list, architecture or libseccomp the name is another one. Nor is
 * a damaged or foreign one: the directory and the file must be ours and closed to every other writer, which
 * is asked of the opened descriptors, and the file begins with a digest of its name and its content. Whatever
 * fails that is made again and replaced. Who could pass both checks is us already, and would still have to
 * get past the proof: the seal of the filter that runs is asked for in every container.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "plan-seccomp.h"

/* The program for FILTER, from what was kept, or made now and kept. That it cannot be kept is no error. */
int filter_cache_get (const char *storage, const struct filter *filter, enum filter_mode mode,
                      uint8_t **ret_program, size_t *ret_size, struct error *err);

/* The same in base64. */
int filter_cache_text (const char *storage, const struct filter *filter, enum filter_mode mode,
                       char **ret_text, struct error *err);
