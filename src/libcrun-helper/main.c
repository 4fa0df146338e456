#include <config.h>

#include "libcrun-helper-helper.h"

int main (int argc, char **argv)
{
  return launch_main (argc, argv);
}
