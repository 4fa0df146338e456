/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "engine-socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-path.h"
#include "base-str.h"
#include "engine-api.h"

#define UNIX_SCHEME "unix://"

struct engine_place engine_place_from_environment (const struct backend *engine, const char *named,
                                                   uint32_t uid)
{
  const char *address = secure_getenv (engine->engine->address);
  const char *runtime = secure_getenv ("XDG_RUNTIME_DIR");

  return (struct engine_place){ .engine = engine,
                                .named = named,
                                .address = address != NULL && address[0] != '\0' ? address : NULL,
                                .runtime = runtime != NULL && runtime[0] == '/' ? runtime : NULL,
                                .uid = uid };
}

static bool is_socket (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && S_ISSOCK (st.st_mode);
}

/* An explicitly named socket is used or refused; there is no fallback. */
static int take_named (const char *who, const char *text, char **ret_path, struct error *err)
{
  const char *path = str_has_prefix (text, UNIX_SCHEME) ? text + strlen (UNIX_SCHEME) : text;

  if (!path_is_normal (path))
    return error_set (err, -EINVAL,
                      "%s: '%s' is not the absolute path of a unix socket; an engine on another host cannot "
                      "be used",
                      who, text);
  if (!is_socket (path))
    return error_set (err, -ENOENT, "%s: there is no socket '%s'; is the engine running?", who, path);
  *ret_path = strdup (path);
  return *ret_path ? 0 : error_oom (err);
}

static int usual_places (const struct engine_place *place, struct strlist *places, struct error *err)
{
  const struct engine_api *api = place->engine->engine;
  cleanup_free char *runtime =
      place->runtime ? strdup (place->runtime) : str_format ("/run/user/%u", place->uid);
  bool failed = runtime == NULL;

  if (place->uid != 0 && !failed)
    failed = strlist_add_take (places, str_format ("%s/%s", runtime, api->user_socket)) < 0;
  for (size_t i = 0; api->sockets[i] != NULL; i++)
    failed = failed || strlist_add (places, api->sockets[i]) < 0;
  return failed ? error_oom (err) : 0;
}

int engine_socket_find (const struct engine_place *place, char **ret_path, struct error *err)
{
  cleanup_strlist struct strlist places = { 0 };
  cleanup_strbuf struct strbuf looked = { 0 };
  int r;

  if (place->named != NULL)
    return take_named ("--engine-socket", place->named, ret_path, err);
  if (place->address != NULL)
    return take_named (place->engine->engine->address, place->address, ret_path, err);
  r = usual_places (place, &places, err);
  for (size_t i = 0; r == 0 && i < places.count; i++) {
    if (is_socket (places.items[i])) {
      *ret_path = strdup (places.items[i]);
      return *ret_path ? 0 : error_oom (err);
    }
    strbuf_addf (&looked, "%s%s", i > 0 ? ", " : "", places.items[i]);
  }
  if (r < 0 || looked.failed)
    return error_oom (err);
  return error_set (err, -ENOENT,
                    "there is no socket of %s (looked at %s); start it, or use --engine-socket PATH",
                    place->engine->name, looked.text);
}

/* Callers need write permission on the socket and search permission on its parents. The parents are not
 * checked: a needless warning is better than a missing one. */
int engine_socket_judge (const char *path, uint32_t uid, char **ret_warning, struct error *err)
{
  struct stat st;

  if (stat (path, &st) < 0)
    return error_set_errno (err, errno, "look at the engine's socket '%s'", path);
  *ret_warning = NULL;
  if (st.st_uid != 0 && st.st_uid != uid)
    *ret_warning = str_format ("the engine's socket '%s' belongs to user %u, who controls its answers", path,
                               (unsigned) st.st_uid);
  else if ((st.st_mode & S_IWOTH) != 0)
    *ret_warning =
        st.st_uid == 0
            ? str_format ("any user can write to the engine's socket '%s', and so become root", path)
            : str_format ("any user can write to the engine's socket '%s', and so become user %u", path,
                          (unsigned) st.st_uid);
  else
    return 0;
  return *ret_warning ? 0 : error_oom (err);
}
