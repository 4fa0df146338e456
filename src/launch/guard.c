/* Runs before everything else in the program, libcrun's own constructor included.
 *
 * A container that gets at its runtime's executable through /proc can overwrite it (CVE-2019-5736). libcrun
 * guards against that: before main it makes sure that the program runs from a file that nobody can write to,
 * and executes a copy if not. As root its way to the copy is a mount on a file in /tmp, which takes several
 * milliseconds, is seen by the whole host, and stays there when the program is killed in between. So this
 * file does it first, from a sealed memory file, which libcrun looks for and accepts.
 *
 * Must never: get in the way. Whatever fails here is left to libcrun, whose check stays in place.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base-cleanup.h"

/* Exactly these: libcrun compares for equality. */
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* Linux 6.3 */
#endif

/* True also when it cannot be told, as then there is nothing to copy either. */
static bool nobody_can_write (int program)
{
  struct statvfs fs;
  int seals = fcntl (program, F_GET_SEALS);

  /* Any further seal is fine here, which rules out a program that executes itself for ever. */
  if (seals >= 0)
    return (seals & SEALS) == SEALS;
  return fstatvfs (program, &fs) < 0 || (fs.f_flag & ST_RDONLY) != 0;
}

static int memory_file (void)
{
  int fd = memfd_create ("tyrum-oci-launch", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

  if (fd < 0 && errno == EINVAL)
    fd = memfd_create ("tyrum-oci-launch", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return fd;
}

static bool copy (int from, int to)
{
  struct stat st;
  off_t done = 0;

  if (fstat (from, &st) < 0)
    return false;
  while (done < st.st_size) {
    ssize_t n = sendfile (to, from, NULL, (size_t) (st.st_size - done));

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += n;
  }
  return true;
}

/* The C library hands the arguments of main to constructors; those with a number run before those without. */
__attribute__ ((constructor (101))) static void run_from_sealed_copy (int argc, char **argv, char **envp)
{
  cleanup_close int program = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  cleanup_close int sealed = -1;

  (void) argc;
  if (program < 0 || nobody_can_write (program))
    return;
  sealed = memory_file ();
  if (sealed < 0 || !copy (program, sealed) || fcntl (sealed, F_ADD_SEALS, SEALS) < 0)
    return;
  fexecve (sealed, argv, envp);
}
