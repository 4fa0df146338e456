/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-container-record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-json-object.h"
#include "base-json-write.h"
#include "base-limits.h"
#include "base-sha256.h"
#include "base-str.h"
#include "shim-container-plan.h"
#include "state-run-dir.h"
#include "supervisor-process.h"
#include "wire-init.h"

#define DIRECTORY  RECORD_DIRECTORY
#define FILE_NAME  "record.json"
#define STAGE_NAME "stage"
/* runc changes into the root by its path whenever a process joins, also from where there is no stage. */
#define STAGE_ROOT STAGE_NAME "/rootfs"
/* Shown inside, where init calls start from. */
#define RENDEZVOUS_NAME "rendezvous"
#define ROOT_BYTES      16
#define MAKE_TRIES      16

void record_clear (struct record *record)
{
  free (record->id);
  free (record->root);
  free (record->runtime_dir);
  free (record->run);
  free (record->runtime);
  free (record->profile);
  free (record->annotated);
  free (record->bundle);
  free (record->pid_file);
  *record = (struct record){ 0 };
}

char *record_key (const struct command *command)
{
  const char *root = command->root.text ? command->root.text : "";
  char digest[SHA256_HEX];

  sha256_hex (root, strlen (root), digest);
  return str_format ("%.*s-%s", ROOT_BYTES, digest, command->id);
}

char *record_directory (const char *state, const struct command *command)
{
  cleanup_free char *key = record_key (command);

  return key ? str_format ("%s/" DIRECTORY "/%s", state, key) : NULL;
}

static int open_directory (const char *state, const struct command *command, struct error *err)
{
  cleanup_free char *key = record_key (command);
  cleanup_close int parent = -1;
  int fd;

  if (key == NULL)
    return error_oom (err);
  parent = run_state_open (state, DIRECTORY, err);
  if (parent < 0)
    return parent;
  fd = openat (parent, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return fd < 0 ? error_set_errno (err, errno, "open what is known of container '%s'", command->id) : fd;
}

int record_lock (int parent, const char *key, struct error *err)
{
  cleanup_close int fd = openat (parent, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat st;

  if (fd < 0)
    return error_set_errno (err, errno, "open what is known of a container");
  /* One that was removed before we had it protects nothing. */
  if (flock (fd, LOCK_EX | LOCK_NB) < 0 || fstat (fd, &st) < 0 || st.st_nlink == 0)
    return error_set (err, -EBUSY, "another process has what is known of a container");
  return take_fd (&fd);
}

/* The directory, locked. A sweep has it for as long as it asks the low-level runtime. */
static int make_locked (int parent, const char *key, const char *id, struct error *err)
{
  for (int tries = 0; tries < MAKE_TRIES; tries++) {
    cleanup_close int fd = -1;
    struct stat st;

    if (mkdirat (parent, key, 0711) < 0 && errno != EEXIST)
      return error_set_errno (err, errno, "make a directory for container '%s'", id);
    fd = openat (parent, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
      continue;
    if (fd < 0 || flock (fd, LOCK_EX) < 0 || fstat (fd, &st) < 0)
      return error_set_errno (err, errno, "take the directory of container '%s'", id);
    if (st.st_nlink > 0)
      return take_fd (&fd);
  }
  return error_set (err, -EBUSY, "another process keeps removing the directory of container '%s'", id);
}

/* Others pass through the directories, as ids in a user namespace have to, and read nothing in them. */
int record_make (const char *state, const struct command *command, int *ret_lock, struct error *err)
{
  cleanup_free char *key = record_key (command);
  cleanup_close int parent = -1, directory = -1;

  if (key == NULL)
    return error_oom (err);
  parent = run_state_make (state, DIRECTORY, 0711, err);
  if (parent < 0)
    return parent;
  directory = make_locked (parent, key, command->id, err);
  if (directory < 0)
    return directory;
  if (fchmod (directory, 0711) < 0 || (mkdirat (directory, STAGE_NAME, 0711) < 0 && errno != EEXIST)
      || fchmodat (directory, STAGE_NAME, 0711, 0) < 0
      || (mkdirat (directory, STAGE_ROOT, 0711) < 0 && errno != EEXIST)
      || (mkdirat (directory, RENDEZVOUS_NAME, 0711) < 0 && errno != EEXIST)
      || fchmodat (directory, RENDEZVOUS_NAME, 0711, 0) < 0)
    return error_set_errno (err, errno, "make a stage for container '%s'", command->id);
  *ret_lock = take_fd (&directory);
  return 0;
}

int record_write (const char *state, const struct command *command, const struct record *record,
                  struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;
  cleanup_close int directory = open_directory (state, command, err);
  int r;

  if (directory < 0)
    return directory;
  json_object_begin (&w, NULL);
  json_string (&w, "id", command->id);
  if (command->root.text != NULL)
    json_string (&w, "root", command->root.text);
  if (record->runtime_dir != NULL)
    json_string (&w, "runtime_dir", record->runtime_dir);
  if (record->run != NULL)
    json_string (&w, "run", record->run);
  json_string (&w, "runtime", record->runtime);
  json_string (&w, "profile", record->profile);
  if (record->annotated != NULL)
    json_string (&w, "annotated", record->annotated);
  json_string (&w, "bundle", record->bundle);
  if (record->pid_file != NULL)
    json_string (&w, "pid_file", record->pid_file);
  json_bool (&w, "no_network", record->no_network);
  json_bool (&w, "proof", record->proof);
  if (record->started)
    json_bool (&w, "started", true);
  if (record->refused)
    json_bool (&w, "refused", true);
  json_number (&w, "slot", record->slot);
  json_number (&w, "maker", record->maker);
  json_number (&w, "maker_start", record->maker_start);
  json_object_end (&w);
  r = json_finish (&w, &text, err);
  return r < 0 ? r : file_write_atomic (directory, FILE_NAME, text, strlen (text), 0600, err);
}

#define FIELD(name) offsetof (struct record, name)

static int parse_record (const char *text, size_t len, struct record *record, struct error *err)
{
  static const struct json_limits limits = { LIMIT_STATE_BYTES, 4, 64, .comments = false };
  static const struct json_field fields[] = {
    { "id", JSON_STRING, json_into_text, FIELD (id) },
    { "root", JSON_STRING, json_into_text, FIELD (root) },
    { "runtime_dir", JSON_STRING, json_into_text, FIELD (runtime_dir) },
    { "run", JSON_STRING, json_into_text, FIELD (run) },
    { "runtime", JSON_STRING, json_into_text, FIELD (runtime) },
    { "profile", JSON_STRING, json_into_text, FIELD (profile) },
    { "annotated", JSON_STRING, json_into_text, FIELD (annotated) },
    { "bundle", JSON_STRING, json_into_text, FIELD (bundle) },
    { "pid_file", JSON_STRING, json_into_text, FIELD (pid_file) },
    { "no_network", JSON_BOOL, json_into_bool, FIELD (no_network) },
    { "proof", JSON_BOOL, json_into_bool, FIELD (proof) },
    { "started", JSON_BOOL, json_into_bool, FIELD (started) },
    { "refused", JSON_BOOL, json_into_bool, FIELD (refused) },
    { "slot", JSON_NUMBER, json_into_u32, FIELD (slot) },
    { "maker", JSON_NUMBER, json_into_u32, FIELD (maker) },
    { "maker_start", JSON_NUMBER, json_into_u64, FIELD (maker_start) },
  };
  struct json_place place = { .name = FILE_NAME };
  cleanup_json struct json_node *tree = NULL;
  int r = json_read (FILE_NAME, text, len, &limits, &tree, err);

  if (r == 0)
    r = json_read_object (&place, tree, fields, ARRAY_LEN (fields), record, err);
  if (r == 0 && (record->runtime == NULL || record->profile == NULL || record->bundle == NULL))
    r = error_set (err, -EINVAL, FILE_NAME ": runtime, profile or bundle is missing");
  return r;
}

int record_read_at (int directory, struct record *ret_record, struct error *err)
{
  cleanup_free char *text = NULL;
  cleanup_record struct record record = { 0 };
  size_t len = 0;
  int r = file_read (directory, FILE_NAME, LIMIT_STATE_BYTES, &text, &len, err);

  if (r == 0)
    r = parse_record (text, len, &record, err);
  if (r < 0)
    return r;
  *ret_record = record;
  record = (struct record){ 0 };
  return 0;
}

bool record_is_being_made (const struct record *record)
{
  uint64_t start = 0;

  return record->maker != 0 && process_start ((pid_t) record->maker, &start) && start == record->maker_start;
}

bool record_is_same (const struct record *a, const struct record *b)
{
  return str_equal (a->run, b->run) && str_equal (a->bundle, b->bundle);
}

time_t record_time (int directory)
{
  struct stat st;

  return fstatat (directory, FILE_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mtime : time (NULL);
}

int record_read (const char *state, const struct command *command, struct record *ret_record, bool *ret_found,
                 struct error *err)
{
  cleanup_close int directory = open_directory (state, command, err);
  int r = directory < 0 ? directory : record_read_at (directory, ret_record, err);

  *ret_found = r == 0;
  if (r == -ENOENT) {
    error_clear (err);
    return 0;
  }
  return r < 0 ? error_prefix (err, "what is known of container '%s'", command->id) : 0;
}

void record_remove_at (int parent, const char *key, int directory)
{
  static const char socket_path[] = RENDEZVOUS_NAME "/" RENDEZVOUS_SOCKET;
  static const char *const files[] = { FILE_NAME, CONTAINER_PLAN, "pid", RECORD_CONSOLE, socket_path };
  static const char *const directories[] = { RENDEZVOUS_NAME, STAGE_ROOT, STAGE_NAME };

  for (size_t i = 0; i < ARRAY_LEN (files); i++)
    unlinkat (directory, files[i], 0);
  for (size_t i = 0; i < ARRAY_LEN (directories); i++)
    unlinkat (directory, directories[i], AT_REMOVEDIR);
  unlinkat (parent, key, AT_REMOVEDIR);
}

void record_drop (const char *state, const struct command *command, int lock)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *key = record_key (command);
  cleanup_close int parent = run_state_open (state, DIRECTORY, &ignored);
  struct stat st;

  /* One that is gone already has left its name to another. */
  if (parent >= 0 && key != NULL && fstat (lock, &st) == 0 && st.st_nlink > 0)
    record_remove_at (parent, key, lock);
}

int record_hold (const char *state, const struct command *command, struct record *ret_record, bool *ret_found,
                 struct error *err)
{
  cleanup_close int directory = open_directory (state, command, err);
  struct stat st;
  int r;

  *ret_found = false;
  if (directory < 0)
    return directory;
  if (flock (directory, LOCK_EX) < 0 || fstat (directory, &st) < 0)
    return error_set_errno (err, errno, "take the directory of container '%s'", command->id);
  if (st.st_nlink == 0)
    return error_set (err, -ENOENT, "container '%s' has just been forgotten", command->id);
  r = record_read_at (directory, ret_record, err);
  *ret_found = r == 0;
  if (r < 0 && r != -ENOENT)
    return r;
  error_clear (err);
  return take_fd (&directory);
}
