/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* features: the low-level runtime's own answer, or ours for one that is too old to have any. */
#include <config.h>

#include "shim-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-json-write.h"
#include "shim-handover.h"

#define LIMIT_FEATURES_BYTES ((size_t) 1024 * 1024)

static void write_names (struct json_writer *w, const char *key, const char *const *names)
{
  json_array_begin (w, key);
  for (size_t i = 0; names[i] != NULL; i++)
    json_string (w, NULL, names[i]);
  json_array_end (w);
}

/* What every crun and runc that we hand over to can do. */
static int own_answer (char **ret_text, struct error *err)
{
  static const char *const hooks[] = {
    "prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop", NULL
  };
  static const char *const options[] = { "bind",    "rbind",     "ro",      "rw",       "nosuid",
                                         "nodev",   "noexec",    "private", "rprivate", "relatime",
                                         "noatime", "tmpcopyup", NULL };
  static const char *const spaces[] = { "cgroup", "ipc", "mount", "network", "pid", "user", "uts", NULL };
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "ociVersionMin", "1.0.0");
  json_string (&w, "ociVersionMax", "1.0.2");
  write_names (&w, "hooks", hooks);
  write_names (&w, "mountOptions", options);
  json_object_begin (&w, "linux");
  write_names (&w, "namespaces", spaces);
  json_object_begin (&w, "seccomp");
  json_bool (&w, "enabled", true);
  json_object_end (&w);
  json_object_end (&w);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

static int print (const char *text, size_t len, struct error *err)
{
  for (size_t done = 0; done < len;) {
    ssize_t n = write (STDOUT_FILENO, text + done, len - done);

    if (n < 0 && errno != EINTR)
      return error_set_errno (err, errno, "write the features");
    done += n > 0 ? (size_t) n : 0;
  }
  return 0;
}

int verb_features (struct call *call, struct error *err)
{
  cleanup_free char *path = NULL, *text = NULL;
  cleanup_close int said = memfd_create ("features", MFD_CLOEXEC);
  struct stat st;
  int status = 1;
  int r =
      said < 0 ? error_set_errno (err, errno, "make room for an answer") : call_runtime (call, &path, err);

  if (r == 0)
    r = handover_ask (path, call->command->argv, NULL, said, &status, err);
  if (r < 0)
    return r;
  if (status != 0 || fstat (said, &st) < 0 || st.st_size == 0 || (size_t) st.st_size > LIMIT_FEATURES_BYTES) {
    r = own_answer (&text, err);
    return r < 0 ? r : print (text, strlen (text), err);
  }
  text = malloc ((size_t) st.st_size);
  if (text == NULL)
    return error_oom (err);
  if (pread (said, text, (size_t) st.st_size, 0) != st.st_size)
    return error_set_errno (err, errno, "read the features");
  return print (text, (size_t) st.st_size, err);
}
