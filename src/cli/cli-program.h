/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program: takes a command line, returns an exit status. It writes the output of the
 * verb; no other module prints. */
#pragma once

struct session_process;

int program_run (struct session_process *process, int argc, char **argv);
