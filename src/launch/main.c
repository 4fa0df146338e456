#include <config.h>

#include "launch-launch.h"

int main (int argc, char **argv)
{
  return launch_main (argc, argv);
}
