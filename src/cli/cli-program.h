/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program itself: a command line goes in, an exit status comes out. What its verb has to say is written
 * on the way; nothing else in this project prints. */
#pragma once

struct session_process;

int program_run (struct session_process *process, int argc, char **argv);
