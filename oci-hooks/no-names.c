/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A static program that asks the name service loads shared libraries for it at run time. These
 * stand-ins find no name. */
#include <config.h>

#include <errno.h>
#include <pwd.h>
#include <stddef.h>

int getpwuid_r (uid_t uid, struct passwd *entry, char *buffer, size_t size, struct passwd **result)
{
  (void) uid;
  (void) entry;
  (void) buffer;
  (void) size;
  *result = NULL;
  return ENOENT;
}
