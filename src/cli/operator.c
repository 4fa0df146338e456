#include <config.h>
#include "cli-operator.h"
int operator_check (const struct arguments *arguments, struct output *output, struct error *err)
{
  (void) arguments;
  (void) output;
  return error_set (err, -1, "not yet");
}
