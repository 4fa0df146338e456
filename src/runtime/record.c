#include <config.h>

#include "runtime-record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-handshake.h"
#include "base-json-object.h"
#include "base-json-write.h"
#include "base-limits.h"
#include "base-sha256.h"
#include "base-str.h"
#include "run-dir.h"

#define FOLDER     "containers"
#define FILE_NAME  "record.json"
#define STAGE_NAME "stage"
/* runc changes into the root by its path whenever a process joins, also from where there is no stage. */
#define STAGE_ROOT STAGE_NAME "/rootfs"
/* Shown inside, where init calls start from. */
#define DOOR_NAME  "door"
#define ROOT_BYTES 16
#define SWEEP_MAX  256u

void record_clear (struct record *record)
{
  free (record->runtime);
  free (record->profile);
  free (record->annotated);
  free (record->bundle);
  free (record->pid_file);
  *record = (struct record){ 0 };
}

static char *key_of (const struct command *command)
{
  const char *root = command->root.text ? command->root.text : "";
  char digest[SHA256_HEX];

  sha256_hex (root, strlen (root), digest);
  return str_format ("%.*s-%s", ROOT_BYTES, digest, command->id);
}

char *record_folder (const char *state, const struct command *command)
{
  cleanup_free char *key = key_of (command);

  return key ? str_format ("%s/" FOLDER "/%s", state, key) : NULL;
}

static int open_folder (const char *state, const struct command *command, struct error *err)
{
  cleanup_free char *key = key_of (command);
  cleanup_close int parent = -1;
  int fd;

  if (key == NULL)
    return error_oom (err);
  parent = run_state_open (state, FOLDER, err);
  if (parent < 0)
    return parent;
  fd = openat (parent, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return fd < 0 ? error_set_errno (err, errno, "open what is known of container '%s'", command->id) : fd;
}

/* Others pass through the folders, as ids in a user namespace have to, and read nothing in them. */
int record_make (const char *state, const struct command *command, struct error *err)
{
  cleanup_free char *key = key_of (command);
  cleanup_close int parent = -1, folder = -1;

  if (key == NULL)
    return error_oom (err);
  parent = run_state_make (state, FOLDER, 0711, err);
  if (parent < 0)
    return parent;
  if (mkdirat (parent, key, 0711) < 0 && errno != EEXIST)
    return error_set_errno (err, errno, "make a folder for container '%s'", command->id);
  folder = open_folder (state, command, err);
  if (folder < 0)
    return folder;
  if (fchmod (folder, 0711) < 0 || (mkdirat (folder, STAGE_NAME, 0711) < 0 && errno != EEXIST)
      || fchmodat (folder, STAGE_NAME, 0711, 0) < 0
      || (mkdirat (folder, STAGE_ROOT, 0711) < 0 && errno != EEXIST)
      || (mkdirat (folder, DOOR_NAME, 0711) < 0 && errno != EEXIST)
      || fchmodat (folder, DOOR_NAME, 0711, 0) < 0)
    return error_set_errno (err, errno, "make a stage for container '%s'", command->id);
  return 0;
}

int record_write (const char *state, const struct command *command, const struct record *record,
                  struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;
  cleanup_close int folder = open_folder (state, command, err);
  int r;

  if (folder < 0)
    return folder;
  json_object_begin (&w, NULL);
  json_string (&w, "runtime", record->runtime);
  json_string (&w, "profile", record->profile);
  if (record->annotated != NULL)
    json_string (&w, "annotated", record->annotated);
  json_string (&w, "bundle", record->bundle);
  if (record->pid_file != NULL)
    json_string (&w, "pid_file", record->pid_file);
  json_bool (&w, "no_network", record->no_network);
  json_bool (&w, "proof", record->proof);
  json_number (&w, "slot", record->slot);
  json_object_end (&w);
  r = json_finish (&w, &text, err);
  return r < 0 ? r : file_write_atomic (folder, FILE_NAME, text, strlen (text), 0600, err);
}

#define FIELD(name) offsetof (struct record, name)

static int parse_record (const char *text, size_t len, struct record *record, struct error *err)
{
  static const struct json_limits limits = { LIMIT_STATE_BYTES, 4, 64, .comments = false };
  static const struct json_field fields[] = {
    { "runtime", JSON_STRING, json_into_text, FIELD (runtime) },
    { "profile", JSON_STRING, json_into_text, FIELD (profile) },
    { "annotated", JSON_STRING, json_into_text, FIELD (annotated) },
    { "bundle", JSON_STRING, json_into_text, FIELD (bundle) },
    { "pid_file", JSON_STRING, json_into_text, FIELD (pid_file) },
    { "no_network", JSON_BOOL, json_into_bool, FIELD (no_network) },
    { "proof", JSON_BOOL, json_into_bool, FIELD (proof) },
    { "slot", JSON_NUMBER, json_into_u32, FIELD (slot) },
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

int record_read (const char *state, const struct command *command, struct record *ret_record, bool *ret_found,
                 struct error *err)
{
  cleanup_free char *text = NULL;
  cleanup_record struct record record = { 0 };
  cleanup_close int folder = -1;
  size_t len = 0;
  int r;

  *ret_found = false;
  folder = open_folder (state, command, err);
  r = folder < 0 ? folder : file_read (folder, FILE_NAME, LIMIT_STATE_BYTES, &text, &len, err);
  if (r == -ENOENT) {
    error_clear (err);
    return 0;
  }
  if (r == 0)
    r = parse_record (text, len, &record, err);
  if (r < 0)
    return error_prefix (err, "what is known of container '%s'", command->id);
  *ret_record = record;
  record = (struct record){ 0 };
  *ret_found = true;
  return 0;
}

static void remove_folder (int parent, const char *key)
{
  cleanup_close int folder = openat (parent, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  if (folder < 0)
    return;
  unlinkat (folder, FILE_NAME, 0);
  unlinkat (folder, "pid", 0);
  unlinkat (folder, DOOR_NAME "/" DOOR_SOCKET, 0);
  unlinkat (folder, DOOR_NAME, AT_REMOVEDIR);
  unlinkat (folder, STAGE_ROOT, AT_REMOVEDIR);
  unlinkat (folder, STAGE_NAME, AT_REMOVEDIR);
  unlinkat (parent, key, AT_REMOVEDIR);
}

void record_remove (const char *state, const struct command *command)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *key = key_of (command);
  cleanup_close int parent = run_state_open (state, FOLDER, &ignored);

  if (parent >= 0 && key != NULL)
    remove_folder (parent, key);
}

static void sweep_one (const char *state, int parent, const char *key)
{
  cleanup_free char *path = str_format ("%s/" FILE_NAME, key), *text = NULL;
  cleanup_record struct record record = { 0 };
  cleanup_error struct error ignored = { 0 };
  size_t len = 0;

  if (path == NULL || file_read (parent, path, LIMIT_STATE_BYTES, &text, &len, &ignored) < 0
      || parse_record (text, len, &record, &ignored) < 0)
    return;
  if (access (record.bundle, F_OK) == 0 || errno != ENOENT)
    return;
  record_give_slot (state, record.slot);
  remove_folder (parent, key);
}

void record_sweep (const char *state)
{
  cleanup_error struct error ignored = { 0 };
  int parent = run_state_open (state, FOLDER, &ignored);
  DIR *dir = parent >= 0 ? fdopendir (parent) : NULL;
  const struct dirent *entry;

  for (size_t i = 0; dir != NULL && i < SWEEP_MAX && (entry = readdir (dir)) != NULL; i++)
    if (entry->d_name[0] != '.')
      sweep_one (state, dirfd (dir), entry->d_name);
  if (dir != NULL)
    closedir (dir);
}

int record_take_slot (const char *state, const struct command *command, unsigned slots, uint32_t *ret_slot,
                      struct error *err)
{
  cleanup_free char *key = key_of (command);
  cleanup_close int fd = -1;
  unsigned slot = 0;
  int r;

  if (key == NULL)
    return error_oom (err);
  r = run_slot_take (state, slots, &slot, &fd, err);
  if (r < 0)
    return r;
  if (write (fd, key, strlen (key)) != (ssize_t) strlen (key))
    return error_set_errno (err, errno, "write down who has a range of ids");
  *ret_slot = slot + 1;
  return 0;
}

void record_give_slot (const char *state, uint32_t slot)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_close int folder = slot > 0 ? run_state_open (state, "ids", &ignored) : -1;
  cleanup_free char *name = str_format ("%u", slot - 1);

  if (folder >= 0 && name != NULL)
    unlinkat (folder, name, 0);
}
