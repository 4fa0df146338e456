/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Table-driven parser for the command lines of our own programs, one argument at a time.
 *
 * Options are long: "--name VALUE" or "--name=VALUE"; "--name" for a flag. "--" ends them. Names must be
 * written in full; prefixes are not accepted. The caller interprets the rows. The command line of an OCI
 * runtime, which engines write, has its own parser (shim/command.c).
 *
 * Must never: allocate, or need more than the C library, because tyrum-oci-init links it too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct argv_option {
  const char *name; /* without the dashes */
  bool takes_value;
};

enum argv_kind {
  ARGV_END,
  ARGV_OPTION,
  ARGV_OPERAND,   /* an argument without dashes, or "-" */
  ARGV_SEPARATOR, /* "--": REST is what follows it */
  ARGV_UNKNOWN,
  ARGV_NO_VALUE, /* the value is missing, or another option follows */
  ARGV_SURPLUS,  /* a flag was given a value */
};

struct argv_reader {
  char *const *rest; /* arguments not read yet; NULL-terminated */
  const struct argv_option *options;
  size_t count;
  const char *word;  /* the argument read last, as written */
  size_t option;     /* its row; with OPTION, NO_VALUE and SURPLUS */
  const char *value; /* of an option; NULL for a flag */
};

enum argv_kind argv_next (struct argv_reader *reader);
