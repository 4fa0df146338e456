/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forgetting containers that their engine has lost.
 *
 * An engine that was interrupted, or whose container died while it started, does not always call delete. What
 * is remembered of such a container goes, with its range of ids, once its bundle is gone and the low-level
 * runtime does not have it either, or has it stopped: then it is deleted there as well. So does one whose
 * start was refused some time ago, bundle or not. A directory without a record, and a range of ids without a
 * directory, are what a killed create left.
 *
 * Must never: touch a container that has a process or may have one, one that is being made, or one that has a
 * bundle and was not refused.
 */
#pragma once

#include "shim-container-record.h"

/* Told of each before it goes. */
typedef void sweep_told (const struct record *record, void *data);

/* Looks at MOST directories at most; returns how many went. */
unsigned sweep_containers (const char *state, unsigned most, sweep_told *told, void *data);
