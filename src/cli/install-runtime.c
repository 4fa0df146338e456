/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* install-runtime: registers our runtime with Docker or Podman, and removes it again.
 *
 * There is one link for each profile, because the runtime takes the profile from the name under
 * which it is called: users of an engine can only choose among the names that the operator created.
 * All files are below the operator's directory and the engine's configuration; --root prefixes them
 * with another system's root. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-path.h"
#include "cli-verbs.h"
#include "session-context.h"
#include "session-paths.h"
#include "shim-install-engine.h"

#define LINK_PREFIX "tyrum-"

static const char *const hook_files[] = { "tyrum-oci-gate.json", "tyrum-oci-audit.json" };

struct installation {
  const char *root; /* prefix of every path that is written */
  bool dry, remove;
  char *links; /* the directory of links, without ROOT */
  struct strlist names;
  struct output *output;
};

static void installation_clear (struct installation *i)
{
  free (i->links);
  strlist_clear (&i->names);
}
#define cleanup_installation cleanup (installation_clear)

static int make_parents (const char *path, struct error *err)
{
  for (const char *slash = strchr (path + 1, '/'); slash != NULL; slash = strchr (slash + 1, '/')) {
    cleanup_free char *parent = strndup (path, (size_t) (slash - path));

    if (parent == NULL)
      return error_oom (err);
    if (mkdir (parent, 0755) < 0 && errno != EEXIST)
      return error_set_errno (err, errno, "cannot create the directory '%s'", parent);
  }
  return 0;
}

/* Writes the file, or prints what would be written. It gets the mode of LIKE, because a
 * daemon.json can contain passwords. */
static int put_like (const struct installation *i, const char *path, const char *like, const char *text,
                     struct error *err)
{
  cleanup_free char *full = str_format ("%s%s", i->root, path), *other = str_format ("%s%s", i->root, like);
  struct stat st = { .st_mode = 0644 };
  int r;

  if (full == NULL || other == NULL)
    return error_oom (err);
  if (stat (other, &st) < 0 && errno != ENOENT)
    return error_set_errno (err, errno, "cannot look at '%s'", other);
  if (i->dry) {
    strbuf_addf (&i->output->out, "# %s\n%s\n", full, text);
    return 0;
  }
  r = make_parents (full, err);
  if (r == 0)
    r = file_write_atomic (AT_FDCWD, full, text, strlen (text), st.st_mode & 0777, err);
  if (r == 0)
    strbuf_addf (&i->output->out, "wrote %s\n", full);
  return r;
}

static int put (const struct installation *i, const char *path, const char *text, struct error *err)
{
  return put_like (i, path, path, text, err);
}

static int take_away (const struct installation *i, const char *path, struct error *err)
{
  cleanup_free char *full = str_format ("%s%s", i->root, path);

  if (full == NULL)
    return error_oom (err);
  if (faccessat (AT_FDCWD, full, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
    return 0;
  if (!i->dry && unlink (full) < 0)
    return error_set_errno (err, errno, "remove '%s'", full);
  strbuf_addf (&i->output->out, i->dry ? "# remove %s\n" : "removed %s\n", full);
  return 0;
}

static int read_there (const struct installation *i, const char *path, char **ret_text, size_t *ret_len,
                       struct error *err)
{
  cleanup_free char *full = str_format ("%s%s", i->root, path);
  int r = full ? file_read (AT_FDCWD, full, LIMIT_PROFILE_BYTES, ret_text, ret_len, err) : error_oom (err);

  if (r != -ENOENT)
    return r;
  error_clear (err);
  return 0;
}

/* Keeps the original file beside the new one. */
static int keep_before (const struct installation *i, const char *path, const char *text, struct error *err)
{
  cleanup_free char *before = str_format ("%s.before-tyrum-oci", path);
  cleanup_free char *full = before ? str_format ("%s%s", i->root, before) : NULL;

  if (full == NULL)
    return error_oom (err);
  if (text == NULL || i->dry || i->remove || faccessat (AT_FDCWD, full, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
    return 0;
  return put_like (i, before, path, text, err);
}

static int make_link (const struct installation *i, const char *name, struct error *err)
{
  cleanup_free char *program =
      str_format ("%s/tyrum-oci-runtime", paths_directory ("TYRUM_OCI_BINDIR", TYRUM_OCI_BINDIR));
  cleanup_free char *full = str_format ("%s%s/" LINK_PREFIX "%s", i->root, i->links, name);
  int r;

  if (program == NULL || full == NULL)
    return error_oom (err);
  if (i->dry) {
    strbuf_addf (&i->output->out, "# %s -> %s\n", full, program);
    return 0;
  }
  r = make_parents (full, err);
  if (r == 0 && unlink (full) < 0 && errno != ENOENT)
    r = error_set_errno (err, errno, "replace '%s'", full);
  if (r == 0 && symlink (program, full) < 0)
    r = error_set_errno (err, errno, "cannot create the link '%s'", full);
  if (r == 0)
    strbuf_addf (&i->output->out, "linked %s to %s\n", full, program);
  return r;
}

static int make_links (const struct installation *i, struct error *err)
{
  int r = 0;

  for (size_t k = 0; r == 0 && k < i->names.count && !i->remove; k++)
    r = make_link (i, i->names.items[k], err);
  return r;
}

/* The profiles that have a link, as a set. */
static int linked (const struct installation *i, struct strlist *names, struct error *err)
{
  cleanup_free char *full = str_format ("%s%s", i->root, i->links);
  DIR *dir = full ? opendir (full) : NULL;
  const struct dirent *entry;
  int r = 0;

  if (full == NULL)
    return error_oom (err);
  while (r == 0 && dir != NULL && (entry = readdir (dir)) != NULL)
    if (str_has_prefix (entry->d_name, LINK_PREFIX)
        && strset_add (names, entry->d_name + strlen (LINK_PREFIX)) < 0)
      r = error_oom (err);
  if (dir != NULL)
    closedir (dir);
  return r;
}

/* Keeps links that FILE, the configuration of the other engine, still uses. */
static int remove_links (const struct installation *i, const char *file, struct error *err)
{
  cleanup_free char *text = NULL;
  int r = read_there (i, file, &text, NULL, err);

  for (size_t k = 0; r == 0 && k < i->names.count; k++) {
    cleanup_free char *path = str_format ("%s/" LINK_PREFIX "%s", i->links, i->names.items[k]);
    cleanup_free char *quoted = path ? str_format ("\"%s\"", path) : NULL;

    if (quoted == NULL)
      return error_oom (err);
    if (text == NULL || strstr (text, quoted) == NULL)
      r = take_away (i, path, err);
  }
  return r;
}

#define DOCKER_FILE "/etc/docker/daemon.json"
#define PODMAN_FILE "/etc/containers/containers.conf.d/50-tyrum-oci.conf"
#define HOOKS       "/etc/containers/oci/hooks.d"

static int for_docker (const struct installation *i, struct error *err)
{
  cleanup_free char *there = NULL, *text = NULL;
  size_t len = 0;
  int r = read_there (i, DOCKER_FILE, &there, &len, err);

  if (r == 0)
    r = install_docker (DOCKER_FILE, there, len, i->links, &i->names, i->remove, &text, err);
  if (r == 0)
    r = make_links (i, err);
  if (r == 0)
    r = keep_before (i, DOCKER_FILE, there, err);
  if (r == 0 && (there != NULL || !i->remove))
    r = put (i, DOCKER_FILE, text, err);
  return r < 0 || !i->remove ? r : remove_links (i, PODMAN_FILE, err);
}

static int copy_hook (const struct installation *i, const char *name, struct error *err)
{
  cleanup_free char *from =
      str_format ("%s/hooks.d/%s", paths_directory ("TYRUM_OCI_DATADIR", TYRUM_OCI_DATADIR), name);
  cleanup_free char *to = str_format (HOOKS "/%s", name), *text = NULL;
  int r;

  if (from == NULL || to == NULL)
    return error_oom (err);
  if (i->remove)
    return take_away (i, to, err);
  r = file_read (AT_FDCWD, from, LIMIT_PROFILE_BYTES, &text, NULL, err);
  if (r == -ENOENT) {
    error_clear (err);
    strbuf_addf (&i->output->notes, "tyrum-oci: the hook '%s' is not installed and was left out\n", name);
    return 0;
  }
  return r < 0 ? r : put (i, to, text, err);
}

/* The configuration file names every profile that has a link. */
static int for_podman (const struct installation *i, struct error *err)
{
  cleanup_strlist struct strlist all = { 0 }, left = { 0 };
  cleanup_free char *text = NULL;
  int r = linked (i, &all, err);

  for (size_t k = 0; r == 0 && k < i->names.count && !i->remove; k++)
    if (strset_add (&all, i->names.items[k]) < 0)
      r = error_oom (err);
  for (size_t k = 0; r == 0 && k < all.count; k++)
    if (!(i->remove && strset_has (&i->names, all.items[k])) && strset_add (&left, all.items[k]) < 0)
      r = error_oom (err);
  if (r == 0)
    r = install_podman (i->links, &left, &text, err);
  if (r == 0)
    r = make_links (i, err);
  if (r == 0)
    r = left.count > 0 ? put (i, PODMAN_FILE, text, err) : take_away (i, PODMAN_FILE, err);
  for (size_t k = 0; r == 0 && k < ARRAY_LEN (hook_files); k++)
    if (!i->remove || left.count == 0)
      r = copy_hook (i, hook_files[k], err);
  return r < 0 || !i->remove ? r : remove_links (i, DOCKER_FILE, err);
}

/* A profile that cannot be loaded would give a runtime that refuses every container. */
static int choose_names (struct installation *i, const char *profile, struct error *err)
{
  static const char *const usual[] = { "baseline", "hardened" };
  cleanup_context struct context context = { 0 };
  int r = context_open_store (&context, err);

  for (size_t k = 0; r == 0 && k < (profile ? 1 : ARRAY_LEN (usual)); k++) {
    cleanup_profile struct profile *loaded = NULL;
    const char *name = profile ? profile : usual[k];

    if (!i->remove)
      r = profile_load (&context.store, name, &loaded, err);
    if (r == 0 && loaded != NULL && strcmp (loaded->name, name) != 0)
      r = error_set (err, CLI_USAGE, "--profile: '%s' is not the name of a profile", name);
    if (r == 0 && strset_add (&i->names, name) < 0)
      r = error_oom (err);
  }
  return r;
}

/* A daemon whose configuration no longer names any runtimes keeps those that it has, also after a reload. */
static const char *when_read (bool docker, bool removed)
{
  if (!docker)
    return "Podman reads the configuration at its next start";
  return removed ? "no container can be started with the runtime any more; Docker drops its name when it is "
                   "restarted"
                 : "run 'systemctl reload docker' to load the configuration";
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_installation struct installation i = { .dry = arguments_have (arguments, OPTION_DRY_RUN),
                                                 .remove = arguments_have (arguments, OPTION_REMOVE),
                                                 .output = output };
  const char *engine = arguments->operands.items[0], *root = arguments_text (arguments, OPTION_SYSTEM_ROOT);
  bool docker = strcmp (engine, "docker") == 0;
  int r;

  if (!docker && strcmp (engine, "podman") != 0)
    return error_set (err, CLI_USAGE, "unknown engine '%s'; use docker or podman", engine);
  if (root != NULL && !path_is_normal (root))
    return error_set (err, CLI_USAGE, "--root: '%s' is not an absolute path", root);
  i.root = root != NULL && strcmp (root, "/") != 0 ? root : "";
  i.links = str_format ("%s/runtimes", paths_directory ("TYRUM_OCI_CONFDIR", TYRUM_OCI_SYSCONFDIR));
  if (i.links == NULL)
    return error_oom (err);
  r = choose_names (&i, arguments_text (arguments, OPTION_PROFILE), err);
  if (r == 0)
    r = docker ? for_docker (&i, err) : for_podman (&i, err);
  if (r == 0 && !i.dry)
    strbuf_addf (&output->notes, "tyrum-oci: %s\n", when_read (docker, i.remove));
  return r;
}

static const enum option options[] = { OPTION_PROFILE, OPTION_DRY_RUN, OPTION_REMOVE, OPTION_SYSTEM_ROOT,
                                       OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci install-runtime docker --dry-run", "what would be written for baseline and hardened" },
  { "tyrum-oci install-runtime podman --profile hardened",
    "afterwards podman --runtime tyrum-hardened works" },
  { "tyrum-oci install-runtime docker --remove", "remove it again" },
  { NULL, NULL },
};

const struct verb verb_install_runtime = {
  .path = "install-runtime",
  .summary = "register tyrum-oci-runtime with Docker or Podman",
  .description =
      "Creates a link to tyrum-oci-runtime for each profile, whose name selects the profile, and adds "
      "the links to the engine's configuration: to /etc/docker/daemon.json, merged with its content, or "
      "to a separate file in /etc/containers/containers.conf.d, together with the hooks. Without "
      "--profile this is done for baseline and hardened.\n\n"
      "The original daemon.json is kept as daemon.json.before-tyrum-oci. --remove removes only what was "
      "added.",
  .operands = "docker|podman",
  .min = 1,
  .max = 1,
  .options = options,
  .examples = examples,
  .run = run,
};
