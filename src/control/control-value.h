/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A value of a setting, and where it came from.
 *
 * A value can be unset, lifted on purpose (null in a profile), or a conflict: two sources that cannot both
 * hold (the bottom of the lattice). Which values are valid is defined by the row of the setting;
 * value_parse and value_add check it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "base-str.h"
#include "control-setting.h"

struct origin {
  char *file;    /* NULL: built-in default */
  unsigned line; /* 0: the whole file, or a command line */
  bool trusted;
};

enum value_state { VALUE_UNSET, VALUE_LIFTED, VALUE_SET, VALUE_CONFLICT };

/* One granted item: a mount (name is its target), a secret, an assignment (source is the text). */
struct grant {
  char *name;
  char *source;
  char *target; /* secrets: the file inside */
  bool writable;
  char *reason; /* mounts of sensitive paths: the operator's justification */
};

struct grants {
  struct grant *items; /* sorted by name */
  size_t count;
};

struct value {
  enum value_state state;
  struct origin origin;
  bool flag;
  unsigned level;
  uint64_t number;
  uint32_t uid, gid;
  char *text;
  struct strlist set;
  struct grants grants;
};

#define cleanup_value cleanup (value_clear)

/* Parses a flag, level, number, ids or text. Does not change the origin. */
int value_parse (enum setting setting, const char *text, struct value *value, struct error *err);

/* Adds an entry to a set. */
int value_add (enum setting setting, const char *entry, struct value *value, struct error *err);

/* Adds a grant and takes its strings, also on failure. Refuses a repeated name. */
int value_add_grant (enum setting setting, struct grant *grant, struct value *value, struct error *err);

int value_copy (const struct value *from, struct value *ret_value);
int origin_copy (const struct origin *from, struct origin *ret_origin);

/* Equal in state and content; origins are ignored. */
bool value_equal (enum setting setting, const struct value *a, const struct value *b);

/* For display: "64M", "read-only", "CAP_CHOWN, CAP_KILL", "(none)". NULL when memory ran out. */
char *value_text (enum setting setting, const struct value *value);

/* "profiles/hardened.json:14", "command line", "built-in default". NULL when memory ran out. */
char *origin_text (const struct origin *origin);

void value_clear (struct value *value);

/* All settings of one source. */
struct settings {
  struct value values[SETTING_COUNT];
};

#define cleanup_settings cleanup (settings_clear)

int settings_copy (const struct settings *from, struct settings *ret_settings);
void settings_clear (struct settings *settings);

/* Sets every unset setting to its fallback. */
int settings_complete (struct settings *settings, struct error *err);

/* In state VALUE_SET, so that its content is valid. */
bool value_is_set (const struct value *value);
const struct grant *grants_find (const struct grants *grants, const char *name);
