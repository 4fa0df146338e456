/* tyrum-oci-cli: all that tyrum-oci does. The front (src/client) is what people execute, and becomes this.
 *
 * Nothing else in this program exits. */
#include <config.h>

#include <sys/prctl.h>

#include "cli-delegate.h"
#include "cli-program.h"
#include "session-paths.h"

int main (int argc, char **argv)
{
  /* It is one program to its users, in ps as well. */
  prctl (PR_SET_NAME, "tyrum-oci");
  delegate_remember_asked ();
  paths_remember_client ();
  return program_run (argc, argv);
}
