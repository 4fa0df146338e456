#include <config.h>

#include "libcrun-helper-helper.h"

int main (int argc, char **argv)
{
  return helper_main (argc, argv);
}
