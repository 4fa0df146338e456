/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "libcrun-helper-helper.h"

int main (int argc, char **argv)
{
  return helper_main (argc, argv);
}
