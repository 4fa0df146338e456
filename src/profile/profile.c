/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "control-catalogue.h"
#include "control-lattice.h"
#include "profile-parse-internal.h"

static bool is_profile_name (const char *name)
{
  size_t len = strlen (name);

  return len > 0 && len <= LIMIT_NAME_BYTES && name[0] != '-' && name[0] != '.'
         && strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == len;
}

static int read_name_text (struct parse *parse, const struct json_node *node, const char *key,
                           char **ret_text)
{
  int r = parse_string (parse, node, key, ret_text);

  if (r == 0 && !is_profile_name (*ret_text))
    r = parse_error (parse, node, key, "'%s' is not a name of lower-case letters, digits, '-', '_' and '.'",
                     *ret_text);
  return r;
}

static int read_name (struct parse *parse, const struct json_node *node, void *document)
{
  return read_name_text (parse, node, "name", &((struct profile *) document)->name);
}

static int read_extends (struct parse *parse, const struct json_node *node, void *document)
{
  struct profile *profile = document;

  profile->extends_line = node->line;
  return read_name_text (parse, node, "extends", &profile->extends);
}

static int read_meaning (struct parse *parse, const struct json_node *node, void *document)
{
  return parse_string (parse, node, "meaning", &((struct profile *) document)->meaning);
}

const struct header_key profile_header_keys[] = {
  { "$schema", NULL, "where an editor finds the schema", "{ \"type\": \"string\" }" },
  { "version", NULL, "the version of the profile language", "{ \"const\": 1 }" },
  { "name", read_name, "the profile's name, as its file is called",
    "{ \"type\": \"string\", \"pattern\": \"^[a-z0-9_][a-z0-9_.-]{0,63}$\" }" },
  { "extends", read_extends, "the profile that this one starts from",
    "{ \"type\": \"string\", \"pattern\": \"^[a-z0-9_][a-z0-9_.-]{0,63}$\" }" },
  { "meaning", read_meaning, "what the profile promises, in one sentence", "{ \"type\": \"string\" }" },
};
const size_t profile_header_key_count = ARRAY_LEN (profile_header_keys);

/* A profile without a sandbox must not look like one with a sandbox. */
static int check_disabled (const struct profile *profile, const char *label, struct error *err)
{
  const struct value *type = &profile->settings.values[SETTING_ISOLATION_TYPE];

  if (!value_is_set (type) || type->level != ISOLATION_DISABLED)
    return 0;
  if (strcmp (profile->name, "rawdog") != 0)
    return error_set (err, -EINVAL,
                      "%s:%u: isolation.type: only the profile 'rawdog' may switch the sandbox off", label,
                      type->origin.line);
  if (profile->extends != NULL)
    return error_set (err, -EINVAL,
                      "%s:%u: extends: a profile without a sandbox inherits no control; leave it out", label,
                      profile->extends_line);
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    if (s != SETTING_ISOLATION_TYPE && profile->settings.values[s].state != VALUE_UNSET)
      return error_set (err, -EINVAL,
                        "%s:%u: %s: the sandbox is switched off, so this control would be a false promise; "
                        "remove it, or choose a profile with a sandbox",
                        label, profile->settings.values[s].origin.line, setting_info (s)->key);
  return 0;
}

int profile_parse (const char *file, const char *text, size_t len, bool trusted, struct profile **ret_profile,
                   struct error *err)
{
  static const struct json_limits limits = { LIMIT_PROFILE_BYTES, LIMIT_PROFILE_DEPTH, LIMIT_PROFILE_NODES,
                                             .comments = true };
  cleanup_profile struct profile *profile = calloc (1, sizeof (*profile));
  cleanup_free char *label = str_format ("profile '%s'", file);
  cleanup_json struct json_node *tree = NULL;
  struct parse parse = { .label = label, .file = file, .trusted = trusted, .err = err };
  int r;

  if (profile == NULL || label == NULL)
    return error_oom (err);
  profile->trusted = trusted;
  profile->file = strdup (file);
  if (profile->file == NULL)
    return error_oom (err);
  r = json_read (label, text, len, &limits, &tree, err);
  if (r < 0)
    return r;
  parse.settings = &profile->settings;
  r = parse_document (&parse, tree, profile_header_keys, profile_header_key_count, profile);
  if (r < 0)
    return r;
  if (profile->name == NULL)
    return error_set (err, -EINVAL, "%s:%u:%u: 'name' is missing", label, tree->line, tree->column);
  r = check_disabled (profile, label, err);
  if (r < 0)
    return r;
  *ret_profile = take_ptr (profile);
  return 0;
}

static int refuse_looser (const struct profile *child, const struct profile *parent, enum setting setting,
                          struct error *err)
{
  const struct value *own = &child->settings.values[setting];
  const struct value *given = &parent->settings.values[setting];
  cleanup_free char *have = value_text (setting, own);
  cleanup_free char *had = value_text (setting, given);

  if (have == NULL || had == NULL)
    return error_oom (err);
  return error_set (
      err, -EPERM,
      "profile '%s':%u: %s: %s is %s %s of profile '%s', and this file is not trusted (others may "
      "write it, or it lies in the workspace), so it may only tighten",
      child->file, own->origin.line, setting_info (setting)->key, have,
      value_compare (setting, given, own) == RELATION_LOOSER ? "looser than" : "another choice than", had,
      parent->name);
}

/* A runtime is executed on the host and an image is the root, so choosing either does not tighten. */
static bool chooses_program (enum setting setting, const struct value *given, const struct value *own)
{
  return (setting == SETTING_ISOLATION_RUNTIME || setting == SETTING_ISOLATION_IMAGE) && value_is_set (own)
         && !value_equal (setting, given, own);
}

/* Exceptions matter only beside "*", so check whether one removes a required control. */
static int check_optional (const struct profile *child, const struct profile *given, struct error *err)
{
  const struct strlist *names = &child->settings.values[SETTING_OPTIONAL].set;
  enum control control;

  for (size_t i = 0; i < names->count; i++)
    if (control_find (names->items[i], &control) && control_is_required (control, &given->settings))
      return refuse_looser (child, given, SETTING_OPTIONAL, err);
  return 0;
}

/* A setting that the parent leaves unset has its fallback, and an untrusted child
 * must be as tight as that. */
int profile_check_tighter (const struct profile *child, const struct profile *parent, struct error *err)
{
  struct profile given = { .name = parent->name };
  int r;

  if (settings_copy (&parent->settings, &given.settings) < 0)
    return error_oom (err);
  r = settings_complete (&given.settings, err);
  for (enum setting s = 0; r == 0 && s < SETTING_COUNT; s++) {
    const struct value *own = &child->settings.values[s];

    if (s == SETTING_OPTIONAL)
      r = check_optional (child, &given, err);
    else if (own->state != VALUE_UNSET
             && (!value_within (s, &given.settings.values[s], own)
                 || chooses_program (s, &given.settings.values[s], own)))
      r = refuse_looser (child, &given, s, err);
  }
  settings_clear (&given.settings);
  return r;
}

int profile_inherit (struct profile *child, const struct profile *parent, struct error *err)
{
  int r = 0;

  if (parent->settings.values[SETTING_ISOLATION_TYPE].level == ISOLATION_DISABLED)
    return error_set (err, -EINVAL, "profile '%s':%u: extends: '%s' has no sandbox to build on", child->file,
                      child->extends_line, parent->name);
  if (!child->trusted)
    r = profile_check_tighter (child, parent, err);
  if (r < 0)
    return r;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    struct value *own = &child->settings.values[s];

    if (own->state != VALUE_UNSET)
      continue;
    value_clear (own);
    if (value_copy (&parent->settings.values[s], own) < 0)
      return error_oom (err);
  }
  if (child->meaning == NULL && parent->meaning != NULL) {
    child->meaning = strdup (parent->meaning);
    if (child->meaning == NULL)
      return error_oom (err);
  }
  return 0;
}

/* Whether a control in both lists is required would depend on the order in which they are read. */
static int check_lists (const struct profile *profile, struct error *err)
{
  const struct value *require = &profile->settings.values[SETTING_REQUIRE];
  const struct value *optional = &profile->settings.values[SETTING_OPTIONAL];

  for (size_t i = 0; i < optional->set.count; i++)
    if (strset_has (&require->set, optional->set.items[i]))
      return error_set (err, -EINVAL, "profile '%s':%u: optional: '%s' is required by name as well",
                        profile->file, optional->origin.line, optional->set.items[i]);
  return 0;
}

int profile_resolve (struct profile *profile, struct error *err)
{
  struct settings *settings = &profile->settings;
  const struct value *mode = &settings->values[SETTING_NETWORK_MODE];
  const struct value *peers = &settings->values[SETTING_NETWORK_ALLOW];
  int r = settings_complete (settings, err);

  if (r < 0)
    return error_prefix (err, "profile '%s'", profile->file);
  r = check_lists (profile, err);
  if (r < 0)
    return r;
  if (mode->level == NETWORK_ALLOW && peers->set.count == 0)
    return error_set (err, -EINVAL,
                      "profile '%s':%u: network.mode: 'allow' without an entry in network.allow; use 'none'",
                      profile->file, mode->origin.line);
  if (mode->level < NETWORK_ALLOW && peers->set.count > 0)
    return error_set (err, -EINVAL,
                      "profile '%s':%u: network.allow: has no effect without network.mode 'allow'",
                      profile->file, peers->origin.line);
  return 0;
}

void profile_free (struct profile *profile)
{
  if (profile == NULL)
    return;
  free (profile->name);
  free (profile->meaning);
  free (profile->extends);
  free (profile->file);
  settings_clear (&profile->settings);
  seccomp_list_free (profile->seccomp);
  free (profile);
}
