/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an engine answers, as any bytes: each reader gives a value or an error with words, never both; an id
 * is safe in a path, a line is one line, and everything equals itself. */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine-reply.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void must (bool holds)
{
  if (!holds)
    abort ();
}

static void check_answer (int r, const struct error *err)
{
  must ((r < 0) == error_is_set (err) && (r == 0 || error_text (err)[0] != '\0'));
  must (r == 0 || strchr (error_text (err), '\n') == NULL);
}

static void check_id (const char *id)
{
  must (id != NULL && id[0] != '\0' && strspn (id, "0123456789abcdef") == strlen (id));
}

static void check_line (const char *line)
{
  for (; line != NULL && *line != '\0'; line++)
    must ((unsigned char) *line >= ' ');
}

static void read_created (const char *text, size_t size)
{
  cleanup_error struct error err = { 0 };
  cleanup_strlist struct strlist warnings = { 0 };
  cleanup_free char *id = NULL;
  int r = reply_created (text, size, &id, &warnings, &err);

  check_answer (r, &err);
  if (r == 0)
    check_id (id);
  for (size_t i = 0; i < warnings.count; i++)
    check_line (warnings.items[i]);
}

static void read_containers (const char *text, size_t size)
{
  cleanup_error struct error err = { 0 };
  cleanup_strlist struct strlist ids = { 0 }, values = { 0 };
  int r = reply_containers (text, size, "io.tyrum.run", "tyrum-oci-", &ids, &values, &err);

  check_answer (r, &err);
  must (ids.count == values.count);
  for (size_t i = 0; i < ids.count; i++)
    check_id (ids.items[i]);
}

static void read_progress (const char *text, size_t size)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *line = NULL;

  check_answer (reply_progress (text, size, &line, &err), &err);
  check_line (line);
}

static void read_state (const struct json_node *tree)
{
  cleanup_error struct error err = { 0 };
  cleanup_container_state struct container_state state = { 0 };
  int r = reply_state (tree, &state, &err);

  check_answer (r, &err);
  must (r < 0 || state.pid >= 0);
}

/* Against itself, and against nothing. */
static void compare (const struct json_node *tree)
{
  cleanup_strlist struct strlist same = { 0 }, none = { 0 };

  must (reply_compare ("x", tree, tree, &same) == 0 && same.count == 0);
  must (reply_compare ("x", tree, NULL, &none) == 0);
}

static void read_link (const char *text)
{
  cleanup_error struct error err = { 0 };
  bool link;

  check_answer (reply_is_link (text, &link, &err), &err);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  cleanup_error struct error err = { 0 };
  cleanup_json struct json_node *tree = NULL;
  const char *text = (const char *) data;
  cleanup_free char *message = reply_message (text, size), *version = strndup (text, size);
  unsigned major, minor;

  must (message != NULL && version != NULL);
  check_line (message);
  must (!reply_version (version, &major, &minor) || (major <= 1000 && minor <= 1000));
  read_link (version);
  read_created (text, size);
  read_containers (text, size);
  read_progress (text, size);
  check_answer (reply_read (text, size, &tree, &err), &err);
  if (tree != NULL) {
    read_state (tree);
    compare (tree);
  }
  return 0;
}
