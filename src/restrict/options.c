/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of a mount, as runtimes read them: of two opposite ones the last counts. */
#include <config.h>

#include "restrict-internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-number.h"

static struct json_node *options_of (struct json_node *mount)
{
  return json_edit (mount, "options");
}

bool option_there (const struct json_node *mount, const char *option)
{
  const struct json_node *options = json_get (mount, "options");

  return options != NULL && texts_have (options, option);
}

static bool take_out (struct json_node *options, const char *option)
{
  bool taken = false;

  for (size_t i = 0; i < options->count;)
    if (strcmp (options->items[i]->text, option) == 0) {
      json_remove_at (options, i);
      taken = true;
    } else
      i++;
  return taken;
}

bool option_force (struct meet *m, struct json_node *mount, const char *option, const char *opposite)
{
  struct json_node *options = options_of (mount);
  bool changed = opposite != NULL && take_out (options, opposite);
  char recursive[16];

  /* "rrw", "rexec": mount_setattr(2) by runc and newer crun, after the plain ones. */
  if (opposite != NULL) {
    snprintf (recursive, sizeof (recursive), "r%s", opposite);
    changed = take_out (options, recursive) || changed;
  }
  if (texts_have (options, option))
    return changed;
  restrict_append_text (m, options, option);
  return true;
}

/* "65536k" as tmpfs reads it: a unit may be in either case. A percentage is of the host's memory: no size. */
static bool parse_size (const char *text, uint64_t *ret_bytes)
{
  char upper[32];
  size_t len = strlen (text);

  if (len == 0 || len >= sizeof (upper))
    return false;
  memcpy (upper, text, len + 1);
  if (upper[len - 1] >= 'a' && upper[len - 1] <= 'z')
    upper[len - 1] = (char) (upper[len - 1] - 'a' + 'A');
  return number_parse_size (upper, ret_bytes) && *ret_bytes > 0;
}

bool option_bound_size (struct meet *m, struct json_node *mount, uint64_t most)
{
  struct json_node *options = options_of (mount);
  uint64_t bytes = UINT64_MAX;
  size_t sizes = 0;
  char text[40];

  for (size_t i = 0; i < options->count; i++)
    if (str_has_prefix (options->items[i]->text, "size=")) {
      sizes++;
      if (!parse_size (options->items[i]->text + strlen ("size="), &bytes))
        bytes = UINT64_MAX;
    }
  if (sizes == 1 && bytes <= most)
    return false;
  for (size_t i = 0; i < options->count;)
    if (str_has_prefix (options->items[i]->text, "size=")
        || str_has_prefix (options->items[i]->text, "nr_blocks="))
      json_remove_at (options, i);
    else
      i++;
  snprintf (text, sizeof (text), "size=%" PRIu64, most);
  restrict_append_text (m, options, text);
  return true;
}

bool option_force_private (struct meet *m, struct json_node *mount)
{
  static const char *const open[] = { "shared", "rshared", "slave", "rslave", "unbindable", "runbindable" };
  struct json_node *options = options_of (mount);
  bool changed = false;

  for (size_t i = 0; i < ARRAY_LEN (open); i++)
    changed = take_out (options, open[i]) || changed;
  if (changed && !texts_have (options, "rprivate"))
    restrict_append_text (m, options, "rprivate");
  return changed;
}
