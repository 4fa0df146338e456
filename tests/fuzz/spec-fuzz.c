/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "spec-fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile-profile.h"

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

static const char profile_text[] =
    "{\"version\":1,\"name\":\"fuzz\",\"meaning\":\"x\",\"filesystem\":{\"root\":\"read-only\",\"workspace\":"
    "\"read-write\","
    "\"hide\":[\"key\"],\"noexec\":[\"/"
    "tmp\"]},\"process\":{\"user\":\"10001:10001\",\"capabilities\":[\"CAP_KILL\"],"
    "\"user_namespace\":\"private\"},\"require\":[\"*\"]}";

static const char list_text[] =
    "{\"version\":1,\"name\":\"fuzz\",\"meaning\":\"x\",\"unknown\":\"ENOSYS\",\"allow\":{\"a\":[\"read\","
    "\"write\",\"execve\"]},"
    "\"when\":{\"clone\":{\"allow\":[[{\"argument\":0,\"clear\":[\"CLONE_NEWUSER\"]}]],\"else\":\"EPERM\"}},"
    "\"deny\":{\"EPERM\":[\"mount\"]}}";

static const char host_text[] =
    "{\"uid\":0,\"user_namespaces\":true,\"swap_accounting\":true,\"open_files_hard\":4096,\"paths\":["
    "{\"path\":\"/srv/a\",\"type\":\"directory\",\"device\":1,\"inode\":2,\"filesystem\":\"ext4\"},"
    "{\"path\":\"/srv/f\",\"type\":\"file\",\"device\":1,\"inode\":3,\"filesystem\":\"ext4\"},"
    "{\"path\":\"/srv/volumes/v/"
    "_data\",\"type\":\"directory\",\"device\":1,\"inode\":5,\"filesystem\":\"ext4\","
    "\"places\":[{\"path\":\"/srv/volumes/v/_data\",\"mount\":\"/srv/volumes/v/_data\",\"root\":\"/srv/a\"},"
    "{\"path\":\"/srv/a\",\"mount\":\"/\",\"root\":\"/\"}]},"
    "{\"path\":\"/srv/s\",\"type\":\"socket\",\"device\":1,\"inode\":4}]}";

const struct spec_policy *fuzz_policy (void)
{
  static struct spec_policy policy;
  static const struct strlist none;
  struct profile *profile = NULL;
  struct seccomp_list *list = NULL;
  struct host_facts *host = NULL;
  struct filter *filter = NULL;

  if (policy.profile != NULL)
    return &policy;
  INVARIANT (profile_parse ("profile", profile_text, strlen (profile_text), true, &profile, NULL) == 0);
  INVARIANT (profile_resolve (profile, NULL) == 0);
  INVARIANT (seccomp_list_parse ("list", list_text, strlen (list_text), &list, NULL) == 0);
  INVARIANT (host_facts_read ("host", host_text, strlen (host_text), &host, NULL) == 0);
  INVARIANT (filter_build (list, &none, NULL, "x86_64", &filter, NULL) == 0);
  seccomp_list_free (list);
  policy = (struct spec_policy){ .profile = profile->name,
                                 .digest = "sha256:0",
                                 .settings = &profile->settings,
                                 .filter = filter,
                                 .host = host,
                                 .container = "0123456789abcdef0123456789abcdef",
                                 .ids = { 0, 100000, 65536 } };
  return &policy;
}

/* The same values; the order of keys does not count, that of items does. */
static bool is_equal (const struct json_node *a, const struct json_node *b)
{
  if (a->type != b->type || a->count != b->count || a->flag != b->flag)
    return false;
  if (a->text != NULL && strcmp (a->text, b->text) != 0)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const struct json_node *other = b->items[i];

    if (a->type == JSON_OBJECT)
      other = json_get (b, a->keys[i].name);
    if (other == NULL || !is_equal (a->items[i], other))
      return false;
  }
  return true;
}

void fuzz_meet_twice (const char *text, size_t len, fuzz_meet *meet)
{
  cleanup_spec_changes struct spec_changes changes = { 0 }, again = { 0 };
  cleanup_json struct json_node *tree = NULL, *second = NULL;
  cleanup_error struct error err = { 0 };
  cleanup_free char *written = NULL, *summary = NULL;
  int r = spec_read ("config.json", text, len, &tree, &err);

  INVARIANT ((r == 0) == (tree != NULL));
  if (r == 0)
    r = meet (tree, fuzz_policy (), &changes, &err);
  INVARIANT ((r == 0) == !error_is_set (&err));
  INVARIANT (r == 0 || (err.message != NULL && strchr (err.message, '\n') == NULL));
  if (r < 0)
    return;
  summary = spec_changes_text (&changes);
  INVARIANT (summary != NULL);
  INVARIANT (spec_write (tree, &written, &err) == 0);
  INVARIANT (spec_read ("config.json", written, strlen (written), &second, &err) == 0);
  INVARIANT (is_equal (tree, second));
  INVARIANT (meet (second, fuzz_policy (), &again, &err) == 0);
  INVARIANT (again.count == 0 && is_equal (tree, second));
}
