/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command lines of our own programs, read by a table, word by word.
 *
 * Options are long: "--name VALUE" or "--name=VALUE"; "--name" for a flag. "--" ends them. A name is written
 * out: nothing is guessed from its beginning. What a row means is for the caller to decide; the command line
 * of an OCI runtime, which engines write, has a reader of its own (shim/command.c).
 *
 * Must never: allocate, or need more than the C library: tyrum-oci-init has it as well.
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
  ARGV_OPERAND,   /* a word without dashes, or "-" */
  ARGV_SEPARATOR, /* "--": REST is what stands behind it */
  ARGV_UNKNOWN,
  ARGV_NO_VALUE, /* there is none, or another option in its place */
  ARGV_SURPLUS,  /* a value behind a flag */
};

struct argv_reader {
  char *const *rest; /* what was not read yet; NULL at its end */
  const struct argv_option *options;
  size_t count;
  const char *word;  /* what was read last, as it was written */
  size_t option;     /* its row; with OPTION, NO_VALUE and SURPLUS */
  const char *value; /* of an option; NULL: it is a flag */
};

enum argv_kind argv_next (struct argv_reader *reader);
