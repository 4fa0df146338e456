#include <config.h>

#include "cli-scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-str.h"

#define WALK_FILES 16

int scratch_make (struct scratch *scratch, struct error *err)
{
  const char *base = secure_getenv ("TMPDIR");
  cleanup_free char *given =
      str_format ("%s/tyrum-oci-XXXXXX", base != NULL && base[0] == '/' ? base : "/tmp");

  if (given == NULL)
    return error_oom (err);
  if (mkdtemp (given) == NULL)
    return error_set_errno (err, errno, "make a folder for a while ('%s')", given);
  /* Without links, as mounts want it. */
  scratch->path = realpath (given, NULL);
  return scratch->path ? 0 : error_set_errno (err, errno, "find '%s'", given);
}

int scratch_folder (const struct scratch *scratch, const char *name, char **ret_path, struct error *err)
{
  cleanup_free char *path = str_format ("%s/%s", scratch->path, name);

  if (path == NULL)
    return error_oom (err);
  if (mkdir (path, 0755) < 0)
    return error_set_errno (err, errno, "make '%s'", path);
  *ret_path = take_ptr (path);
  return 0;
}

int scratch_file (const struct scratch *scratch, const char *name, const char *text, mode_t mode,
                  char **ret_path, struct error *err)
{
  cleanup_free char *path = str_format ("%s/%s", scratch->path, name);
  int r;

  if (path == NULL)
    return error_oom (err);
  r = file_write_atomic (AT_FDCWD, path, text, strlen (text), mode, err);
  if (r == 0)
    *ret_path = take_ptr (path);
  return r;
}

static int remove_one (const char *path, const struct stat *st, int type, struct FTW *at)
{
  (void) st;
  (void) type;
  (void) at;
  /* What cannot be removed stays; the rest goes. */
  if (remove (path) < 0)
    errno = 0;
  return 0;
}

void scratch_clear (struct scratch *scratch)
{
  if (scratch->path != NULL)
    nftw (scratch->path, remove_one, WALK_FILES, FTW_DEPTH | FTW_PHYS);
  free (scratch->path);
  scratch->path = NULL;
}
