/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tyrum-oci-cli: implements all of tyrum-oci. Users execute the client (src/client), which executes
 * this program when needed.
 *
 * Nothing else in this program exits. */
#include <config.h>

#include <sys/prctl.h>

#include "base-cleanup.h"
#include "cli-program.h"
#include "session-process.h"

int main (int argc, char **argv)
{
  cleanup_session_process struct session_process process = { 0 };

  /* Users see one program, in ps as well. */
  prctl (PR_SET_NAME, "tyrum-oci");
  session_process_from_client (&process);
  return program_run (&process, argc, argv);
}
