/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-file.h"
#include "base-limits.h"
#include "base-path.h"
#include "base-sha256.h"

/* One load: the chain of files so far, for cycles and messages. */
struct load {
  const struct profile_store *store;
  struct strlist chain; /* "NAME" or "FILE" of each, child first */
  struct error *err;
};

static int load_chain (struct load *load, const char *name_or_file, enum profile_place first,
                       const struct profile *child, struct profile **ret_profile);

int profile_store_init (struct profile_store *store, const char *config, const char *user_config,
                        const char *data, const char *workspace, struct error *err)
{
  cleanup_profile_store struct profile_store made = { 0 };

  made.directories[PLACE_OPERATOR] = str_format ("%s/profiles", config);
  made.directories[PLACE_SHIPPED] = str_format ("%s/profiles", data);
  made.seccomp_directory = str_format ("%s/profiles/seccomp", data);
  made.ceiling_file = str_format ("%s/ceiling.json", config);
  made.configuration_file = str_format ("%s/config.json", config);
  if (user_config != NULL)
    made.directories[PLACE_USER] = str_format ("%s/profiles", user_config);
  if (workspace != NULL)
    made.workspace = strdup (workspace);
  if (made.directories[PLACE_OPERATOR] == NULL || made.directories[PLACE_SHIPPED] == NULL
      || made.seccomp_directory == NULL || made.ceiling_file == NULL || made.configuration_file == NULL
      || (user_config != NULL && made.directories[PLACE_USER] == NULL)
      || (workspace != NULL && made.workspace == NULL))
    return error_oom (err);
  *store = made;
  made = (struct profile_store){ 0 };
  return 0;
}

void profile_store_clear (struct profile_store *store)
{
  for (size_t i = 0; i < PLACE_COUNT; i++)
    free (store->directories[i]);
  free (store->seccomp_directory);
  free (store->ceiling_file);
  free (store->configuration_file);
  free (store->workspace);
  *store = (struct profile_store){ 0 };
}

static const char *without_alias (const char *name)
{
  return strcmp (name, "base") == 0 ? "baseline" : name;
}

static bool is_file_name (const char *text)
{
  return strchr (text, '/') != NULL || str_has_suffix (text, ".json");
}

/* Every file lies in /, and a plan refuses / as a workspace with a clearer message than an
 * untrusted profile would give. */
static const char *hostile_directory (const struct profile_store *store)
{
  return store->workspace != NULL && strcmp (store->workspace, "/") != 0 ? store->workspace : NULL;
}

static int read_profile (struct load *load, const char *path, struct profile **ret_profile)
{
  cleanup_free char *text = NULL;
  bool trusted = false;
  size_t len = 0;
  int r;

  r = file_read_trusted (path, hostile_directory (load->store), LIMIT_PROFILE_BYTES, &text, &len, &trusted,
                         NULL, load->err);
  if (r < 0)
    return r;
  return profile_parse (path, text, len, trusted, ret_profile, load->err);
}

static int unknown_profile (struct load *load, const char *name, const struct profile *child)
{
  cleanup_strlist struct strlist names = { 0 };
  const char *near;
  int r = profile_names (load->store, &names, load->err);

  if (r < 0)
    return r;
  near = str_nearest (name, (const char *const *) names.items, names.count);
  /* The name itself is in the list if a profile extends its own name and no further
   * profile of that name exists. */
  if (near != NULL && strcmp (near, name) == 0)
    near = NULL;
  error_set (load->err, -ENOENT, "there is no%s profile '%s'%s%s%s",
             strset_has (&names, name) ? " other" : "", name, near ? "; did you mean '" : "",
             near ? near : "; 'tyrum-oci profile list' shows them", near ? "'?" : "");
  if (child != NULL)
    error_prefix (load->err, "profile '%s':%u: extends", child->file, child->extends_line);
  return -ENOENT;
}

/* Looks for NAME from place FIRST on. *RET_PLACE is PLACE_COUNT for a file. */
static int find_profile (struct load *load, const char *name, enum profile_place first,
                         const struct profile *child, struct profile **ret_profile,
                         enum profile_place *ret_place)
{
  for (enum profile_place place = first; place < PLACE_COUNT; place++) {
    cleanup_free char *path = NULL;
    int r;

    if (load->store->directories[place] == NULL)
      continue;
    path = str_format ("%s/%s.json", load->store->directories[place], name);
    if (path == NULL)
      return error_oom (load->err);
    r = read_profile (load, path, ret_profile);
    if (r == -ENOENT) {
      error_clear (load->err);
      continue;
    }
    *ret_place = place;
    return r;
  }
  return unknown_profile (load, name, child);
}

static int check_chain (struct load *load, const char *entry)
{
  cleanup_strbuf struct strbuf chain = { 0 };
  bool seen = false;

  for (size_t i = 0; i < load->chain.count; i++) {
    strbuf_addf (&chain, "'%s' -> ", load->chain.items[i]);
    seen = seen || strcmp (load->chain.items[i], entry) == 0;
  }
  strbuf_addf (&chain, "'%s'", entry);
  if (chain.failed)
    return error_oom (load->err);
  if (seen)
    return error_set (load->err, -ELOOP, "extends goes in a circle: %s", chain.text);
  if (load->chain.count >= LIMIT_PROFILE_PARENTS)
    return error_set (load->err, -ELOOP, "extends goes deeper than %u profiles: %s", LIMIT_PROFILE_PARENTS,
                      chain.text);
  return strlist_add (&load->chain, entry) < 0 ? error_oom (load->err) : 0;
}

static int check_name (struct load *load, const struct profile *profile, const char *wanted)
{
  if (strcmp (profile->name, wanted) == 0)
    return 0;
  return error_set (load->err, -EINVAL, "profile '%s': its name is '%s', but its file is called '%s'",
                    profile->file, profile->name, wanted);
}

/* Files in the operator's and the shipped directory must be trusted; an untrusted file elsewhere must not
 * pass for a trusted profile of the same name. */
static int check_trust (struct load *load, const struct profile *profile, enum profile_place place)
{
  struct error ignored = { 0 };
  struct load other = { .store = load->store, .err = &ignored };
  cleanup_profile struct profile *below = NULL;
  enum profile_place found;
  int r;

  if (profile->trusted)
    return 0;
  if (place == PLACE_OPERATOR || place == PLACE_SHIPPED)
    return error_set (load->err, -EPERM,
                      "profile '%s': not trusted: others may write it or a directory above it, or it lies in "
                      "the workspace; "
                      "leave it to its owner (chmod go-w), outside of the workspace",
                      profile->file);
  r = find_profile (&other, profile->name, place < PLACE_COUNT ? place + 1 : PLACE_OPERATOR, NULL, &below,
                    &found);
  error_clear (&ignored);
  if (r < 0)
    return 0;
  return error_set (load->err, -EPERM,
                    "profile '%s': not trusted (others may write it, or it lies in the workspace), so it "
                    "cannot take the name of '%s'",
                    profile->file, below->file);
}

static int check_default (struct load *load, const struct profile *profile)
{
  struct load other = { .store = load->store, .err = load->err };
  cleanup_profile struct profile *normal = NULL;
  int r = load_chain (&other, "baseline", PLACE_OPERATOR, profile, &normal);

  strlist_clear (&other.chain);
  return r < 0 ? r : profile_check_tighter (profile, normal, load->err);
}

/* Joins PROFILE with its parent. An untrusted file without one must be as tight as 'baseline'. */
static int join_parent (struct load *load, struct profile *profile, enum profile_place place)
{
  cleanup_profile struct profile *parent = NULL;
  const char *name = profile->extends;
  enum profile_place first = PLACE_OPERATOR;
  int r;

  if (name == NULL && profile->trusted)
    return 0;
  name = without_alias (name ? name : "baseline");
  /* A profile that extends its own name builds on the next one of that name in the search path. */
  if (strcmp (name, profile->name) == 0 && place < PLACE_COUNT)
    first = place + 1;
  r = load_chain (load, name, first, profile, &parent);
  if (r < 0)
    return r;
  r = profile_inherit (profile, parent, load->err);
  if (r < 0 || profile->trusted || strcmp (parent->name, "baseline") == 0)
    return r;
  /* The untrusted file chose its parent itself, so it must also be as tight as the default. */
  return check_default (load, profile);
}

static int load_chain (struct load *load, const char *name_or_file, enum profile_place first,
                       const struct profile *child, struct profile **ret_profile)
{
  cleanup_profile struct profile *profile = NULL;
  enum profile_place place = PLACE_COUNT;
  bool is_file = child == NULL && is_file_name (name_or_file);
  const char *name = is_file ? name_or_file : without_alias (name_or_file);
  int r;

  if (is_file)
    r = read_profile (load, name, &profile);
  else
    r = find_profile (load, name, first, child, &profile, &place);
  if (r < 0)
    return r;
  r = check_chain (load, profile->file);
  if (r == 0 && !is_file)
    r = check_name (load, profile, name);
  if (r == 0)
    r = check_trust (load, profile, place);
  if (r == 0)
    r = join_parent (load, profile, place);
  if (r < 0)
    return r;
  *ret_profile = take_ptr (profile);
  return 0;
}

/* The path of the list that VALUE names. */
static char *seccomp_path (const struct profile_store *store, const struct value *value)
{
  if (str_has_suffix (value->text, ".json"))
    return strdup (value->text);
  return str_format ("%s/%s.json", store->seccomp_directory, value->text);
}

/* The author of a list decides what is allowed, so the file must be trusted even if the profile that names
 * it only tightens. WHAT names the kind of the value's file in messages; RET_DIGEST may be NULL. */
static int load_seccomp (const struct profile_store *store, const char *what, const struct value *value,
                         struct seccomp_list **ret_list, char *ret_digest, struct error *err)
{
  cleanup_free char *path = seccomp_path (store, value);
  cleanup_free char *text = NULL;
  bool trusted = false;
  size_t len = 0;
  int r;

  if (path == NULL)
    return error_oom (err);
  r = file_read_trusted (path, hostile_directory (store), LIMIT_PROFILE_BYTES, &text, &len, &trusted, NULL,
                         err);
  if (r == 0 && !trusted)
    r = error_set (err, -EPERM, "seccomp list '%s': others may write it, or it lies in the workspace", path);
  if (r == 0)
    r = seccomp_list_obtain (path, text, len, ret_list, err);
  if (r < 0 && value->origin.file != NULL)
    error_prefix (err, "%s '%s':%u: process.seccomp", what, value->origin.file, value->origin.line);
  if (r == 0 && ret_digest != NULL)
    sha256_hex (text, len, ret_digest);
  return r;
}

int profile_load (const struct profile_store *store, const char *name_or_file, struct profile **ret_profile,
                  struct error *err)
{
  struct load load = { .store = store, .err = err };
  cleanup_profile struct profile *profile = NULL;
  int r;

  r = load_chain (&load, name_or_file, PLACE_OPERATOR, NULL, &profile);
  strlist_clear (&load.chain);
  if (r < 0)
    return r;
  r = profile_resolve (profile, err);
  if (r == 0)
    r = load_seccomp (store, "profile", &profile->settings.values[SETTING_SECCOMP_LIST], &profile->seccomp,
                      profile->seccomp_digest, err);
  if (r < 0)
    return r;
  *ret_profile = take_ptr (profile);
  return 0;
}

static int add_names (const char *directory, struct strlist *names, struct error *err)
{
  DIR *dir = opendir (directory);
  const struct dirent *entry;
  int r = 0;

  if (dir == NULL)
    return errno == ENOENT ? 0 : error_set_errno (err, errno, "cannot open the directory '%s'", directory);
  while (r == 0 && (entry = readdir (dir)) != NULL) {
    cleanup_free char *name = NULL;
    size_t len = strlen (entry->d_name);

    if (!str_has_suffix (entry->d_name, ".json") || len == strlen (".json") || entry->d_name[0] == '.')
      continue;
    name = strndup (entry->d_name, len - strlen (".json"));
    if (name == NULL || strset_add (names, name) < 0)
      r = error_oom (err);
  }
  closedir (dir);
  return r;
}

int profile_names (const struct profile_store *store, struct strlist *ret_names, struct error *err)
{
  cleanup_strlist struct strlist names = { 0 };

  for (size_t i = 0; i < PLACE_COUNT; i++) {
    int r = store->directories[i] ? add_names (store->directories[i], &names, err) : 0;

    if (r < 0)
      return r;
  }
  *ret_names = names;
  names = (struct strlist){ 0 };
  return 0;
}

static int empty_ceiling (struct ceiling **ret_ceiling, struct error *err)
{
  *ret_ceiling = calloc (1, sizeof (**ret_ceiling));
  return *ret_ceiling ? 0 : error_oom (err);
}

static int not_operators (const char *what, const char *path, struct error *err)
{
  return error_set (err, -EPERM,
                    "%s '%s': others may write it; make it and its directories the operator's only", what,
                    path);
}

/* Reads a file that only the operator can have written; *RET_TEXT is NULL where there is none. */
static int read_operators (const struct profile_store *store, const char *what, const char *path,
                           char **ret_text, size_t *ret_len, struct strlist *ret_places, struct error *err)
{
  bool trusted = false;
  int r = file_read_trusted (path, hostile_directory (store), LIMIT_PROFILE_BYTES, ret_text, ret_len,
                             &trusted, ret_places, err);

  /* A dangling link is an unreadable file, not a missing one. */
  if (r == -ENOENT && faccessat (AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
    error_clear (err);
    return 0;
  }
  return r == 0 && !trusted ? not_operators (what, path, err) : r;
}

int configuration_load (const struct profile_store *store, struct configuration **ret_configuration,
                        struct error *err)
{
  cleanup_strlist struct strlist places = { 0 };
  cleanup_free char *text = NULL;
  size_t len = 0;
  int r = read_operators (store, "configuration", store->configuration_file, &text, &len, &places, err);

  if (r == 0)
    r = text ? configuration_parse (store->configuration_file, text, len, ret_configuration, err)
             : configuration_new (ret_configuration, err);
  if (r < 0)
    return r;
  (*ret_configuration)->places = places;
  places = (struct strlist){ 0 };
  return 0;
}

int configuration_check (const struct configuration *configuration, const struct profile_store *store,
                         struct error *err)
{
  const char *hostile = hostile_directory (store);

  for (size_t i = 0; hostile != NULL && i < configuration->places.count; i++)
    if (file_place_is_within (configuration->places.items[i], hostile))
      return not_operators ("configuration", configuration->file, err);
  return 0;
}

int ceiling_load (const struct profile_store *store, struct ceiling **ret_ceiling, struct error *err)
{
  cleanup_ceiling struct ceiling *ceiling = NULL;
  cleanup_free char *text = NULL;
  const struct value *list;
  size_t len = 0;
  int r = read_operators (store, "ceiling", store->ceiling_file, &text, &len, NULL, err);

  if (r == 0 && text == NULL)
    return empty_ceiling (ret_ceiling, err);
  if (r == 0)
    r = ceiling_parse (store->ceiling_file, text, len, &ceiling, err);
  if (r < 0)
    return r;
  list = &ceiling->settings.values[SETTING_SECCOMP_LIST];
  r = value_is_set (list) ? load_seccomp (store, "ceiling", list, &ceiling->seccomp, NULL, err) : 0;
  if (r < 0)
    return r;
  *ret_ceiling = take_ptr (ceiling);
  return 0;
}

const char *profile_place_text (enum profile_place place)
{
  static const char *const names[] = { "operator", "user", "shipped", "file" };

  return names[place];
}

enum profile_place profile_place_of (const struct profile_store *store, const struct profile *profile)
{
  const char *slash = strrchr (profile->file, '/');

  for (enum profile_place place = 0; place < PLACE_COUNT && slash != NULL; place++) {
    const char *directory = store->directories[place];

    if (directory != NULL && strlen (directory) == (size_t) (slash - profile->file)
        && str_has_prefix (profile->file, directory))
      return place;
  }
  return PLACE_COUNT;
}
