/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exit code of a run that failed or was refused, in all our programs. The others are as in shells; the
 * whole list is `verb_statuses` (cli/verbs.c). */
#pragma once

#define EXIT_NOT_RUN 125
