dnl SPDX-License-Identifier: LGPL-2.1-or-later
# libcrun: Debian has the library and no headers; contrib/libcrun-headers gets those, and docs/libcrun.md says why.

# TYRUM_ARG_LIBCRUN
# --with-libcrun with yes, no or auto, in $with_libcrun, and where the headers are, in $LIBCRUN_HEADERS.
AC_DEFUN([TYRUM_ARG_LIBCRUN],
[AC_ARG_WITH([libcrun],
  [AS_HELP_STRING([--with-libcrun@<:@=yes|no|auto@:>@], [build tyrum-oci-libcrun-helper, which links libcrun @<:@auto@:>@])],
  [AS_CASE([$with_libcrun], [yes|no|auto], [],
    [AC_MSG_ERROR(['$with_libcrun' is not a value of --with-libcrun: use yes, no or auto])])],
  [with_libcrun=auto])
AC_ARG_WITH([libcrun-headers],
  [AS_HELP_STRING([--with-libcrun-headers=DIR],
    [what contrib/libcrun-headers made @<:@build/libcrun in the source tree@:>@])],
  [LIBCRUN_HEADERS=$with_libcrun_headers], [LIBCRUN_HEADERS=$srcdir/build/libcrun])
AC_ARG_VAR([LIBCRUN_LIBS], [what to link for libcrun, when it is not the distribution's libcrun.a])
AC_SUBST([LIBCRUN_HEADERS])
AC_SUBST([LIBCRUN_CPPFLAGS])])

# TYRUM_CHECK_LIBCRUN
# Sets $use_libcrun to yes or no, $libcrun_why when it is no, and $libcrun_version. Each step runs if those before it
# found what they looked for.
AC_DEFUN([TYRUM_CHECK_LIBCRUN],
[use_libcrun=no
libcrun_version=unknown
libcrun_why='--without-libcrun was given'
AS_IF([test "x$with_libcrun" != xno],
  [libcrun_why=
  tyrum_save_CPPFLAGS=$CPPFLAGS
  tyrum_save_LIBS=$LIBS
  _TYRUM_LIBCRUN_HEADERS
  AS_IF([test "x$libcrun_why" = x], [_TYRUM_LIBCRUN_ARCHIVE])
  AS_IF([test "x$libcrun_why" = x], [_TYRUM_LIBCRUN_VERSIONS])
  AS_IF([test "x$libcrun_why" = x], [_TYRUM_LIBCRUN_INTERFACE])
  AS_IF([test "x$libcrun_why" = x], [_TYRUM_LIBCRUN_PROBE])
  CPPFLAGS=$tyrum_save_CPPFLAGS
  LIBS=$tyrum_save_LIBS
  rm -rf conftest.libcrun
  AS_IF([test "x$libcrun_why" = x], [use_libcrun=yes],
    [test "x$with_libcrun" = xyes], [AC_MSG_ERROR([--with-libcrun was given, but $libcrun_why])],
    [AC_MSG_NOTICE([tyrum-oci-libcrun-helper is not built: $libcrun_why])])])
AS_IF([test "x$use_libcrun" = xyes],
  [AC_DEFINE_UNQUOTED([LIBCRUN_VERSION], ["$libcrun_version"], [The libcrun that tyrum-oci-libcrun-helper is linked with.])])
AM_CONDITIONAL([HAVE_LIBCRUN], [test "x$use_libcrun" = xyes])])

# The headers include <config.h>, which is not there yet; what it will hold is in confdefs.h.
AC_DEFUN([_TYRUM_LIBCRUN_HEADERS],
[AC_MSG_CHECKING([for libcrun's headers])
AS_IF([test -r "$LIBCRUN_HEADERS/version" && test -r "$LIBCRUN_HEADERS/include/libcrun/container.h"],
  [LIBCRUN_HEADERS=`cd "$LIBCRUN_HEADERS" && pwd`
  libcrun_version=`cat "$LIBCRUN_HEADERS/version"`
  LIBCRUN_CPPFLAGS="-isystem $LIBCRUN_HEADERS/include"
  AC_MSG_RESULT([$libcrun_version])
  rm -rf conftest.libcrun
  mkdir conftest.libcrun
  printf '#pragma GCC system_header\n#include "../confdefs.h"\n' >conftest.libcrun/config.h
  CPPFLAGS="$CPPFLAGS -Iconftest.libcrun -I$srcdir/src/base -I$srcdir/src/wire -I$srcdir/src/libcrun-helper $LIBCRUN_CPPFLAGS"],
  [AC_MSG_RESULT([no])
  libcrun_why="libcrun's headers are not in '$LIBCRUN_HEADERS': run contrib/libcrun-headers, then configure again"])])

# libcrun.a says nothing of what it needs. All that a version of it is known to need and that is here is offered
# to the linker, which keeps what is used.
AC_DEFUN([_TYRUM_LIBCRUN_ARCHIVE],
[AS_IF([test "x$LIBCRUN_LIBS" != x], [libcrun_is_packaged=no],
  [libcrun_is_packaged=yes
  AC_MSG_CHECKING([for libcrun.a])
  libcrun_archive=`$CC -print-file-name=libcrun.a 2>/dev/null`
  AS_CASE([$libcrun_archive],
    [/*], [AC_MSG_RESULT([$libcrun_archive])
    LIBCRUN_LIBS="$libcrun_archive -Wl,--as-needed"
    for tyrum_lib in cap seccomp systemd yajl json-c blake3 m dl; do
      LIBS="-l$tyrum_lib"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [TYRUM_APPEND([LIBCRUN_LIBS], [-l$tyrum_lib])])
    done],
    [AC_MSG_RESULT([no])
    libcrun_why="libcrun.a was not found: install the package crun, then run contrib/libcrun-headers"])])])

# The layout of what is passed to libcrun changes between versions without a change of any name, so nothing but
# the very same version will do. The program crun comes from the same package as the library.
AC_DEFUN([_TYRUM_LIBCRUN_VERSIONS],
[AS_IF([test "x$libcrun_is_packaged" = xyes],
  [AC_CHECK_PROGS([DPKG_QUERY], [dpkg-query])
  AC_CHECK_PROGS([CRUN], [crun])
  AC_MSG_CHECKING([whether libcrun.a is of the same version as the headers])
  libcrun_package=
  libcrun_program=
  AS_IF([test "x$DPKG_QUERY" != x],
    [libcrun_package=`$DPKG_QUERY -W -f '${source:Version}' crun 2>/dev/null`])
  AS_IF([test "x$CRUN" != x], [libcrun_program=`$CRUN --version 2>/dev/null | sed -n 's/^crun version //p'`])
  libcrun_strip='s/^@<:@0-9@:>@*://; s/-@<:@^-@:>@*$//; s/+.*//'
  libcrun_upstream=`echo "$libcrun_version" | sed "$libcrun_strip"`
  # Headers from a source tree do not know the package's revision.
  AS_CASE([$libcrun_version], [*-*], [], [libcrun_package=`echo "$libcrun_package" | sed "$libcrun_strip"`])
  AS_IF([test "x$libcrun_package" != x && test "$libcrun_package" != "$libcrun_version"],
      [libcrun_why="the headers in '$LIBCRUN_HEADERS' are of crun $libcrun_version, and the installed one is $libcrun_package"],
    [test "x$libcrun_program" != x && test "$libcrun_program" != "$libcrun_upstream"],
      [libcrun_why="the headers in '$LIBCRUN_HEADERS' are of crun $libcrun_upstream, and '$CRUN' is $libcrun_program"],
    [test "x$libcrun_package$libcrun_program" = x],
      [libcrun_why="nothing tells which version libcrun.a is: neither dpkg nor the program crun is there"])
  AS_IF([test "x$libcrun_why" = x], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
    libcrun_why="$libcrun_why: run contrib/libcrun-headers"])])])

# _TYRUM_LIBCRUN_TRY(CODE, IF-GOOD, IF-BAD)
AC_DEFUN([_TYRUM_LIBCRUN_TRY],
[AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#define LIBCRUN_PUBLIC
#undef HAVE_ERROR_H
#define HAVE_ERROR_H 1
#include <libcrun/container.h>]], [[$1]])], [$2], [$3])])

# What src/libcrun-helper/compat.c has to know.
AC_DEFUN([_TYRUM_LIBCRUN_INTERFACE],
[AC_MSG_CHECKING([whether libcrun's delete takes the spec])
_TYRUM_LIBCRUN_TRY([], [], [libcrun_why="the headers in '$LIBCRUN_HEADERS' cannot be compiled (see config.log)"])
libcrun_delete=0
_TYRUM_LIBCRUN_TRY([libcrun_container_delete (NULL, NULL, "", true, NULL);], [libcrun_delete=1])
AC_DEFINE_UNQUOTED([LIBCRUN_DELETE_TAKES_SPEC], [$libcrun_delete],
  [Define to 1 if libcrun_container_delete takes the parsed spec.])
AC_MSG_RESULT([$libcrun_delete])])

# A program that calls with text that is no JSON, with a spec without its main part, and for a container that is not
# there. Each must fail in its own way, which shows that the members of the context are where libcrun looks for them.
# Nothing is made.
m4_define([_TYRUM_LIBCRUN_PROGRAM], [AC_LANG_SOURCE([[#include <config.h>
#include <string.h>
#include <unistd.h>
#include "libcrun-helper-compat.h"

static int fails (int r, struct error *err, const char *word)
{
  int good = r < 0 && err->message != NULL && strstr (err->message, word) != NULL;
  error_clear (err);
  return good;
}

int main (void)
{
  struct error err = { 0 };
  struct helper_request request = { .id = "conftest-id", .bundle = "/" };
  char state[4096];

  if (getcwd (state, sizeof (state) - 32) == NULL)
    return 1;
  strcat (state, "/conftest.libcrun");
  request.state = state;
  return !(fails (helper_create (&request, "nonsense", "/dev/null", &err), &err, "config.json")
           && fails (helper_create (&request, "{\"ociVersion\": \"1.0.0\"}", "/dev/null", &err), &err, "linux")
           && fails (helper_start (&request, &err), &err, "conftest.libcrun/conftest-id"));
}
]])])

# Links the very file that is to call libcrun.
AC_DEFUN([_TYRUM_LIBCRUN_PROBE],
[AC_MSG_CHECKING([whether libcrun can be linked and called])
LIBS="$srcdir/src/libcrun-helper/compat.c $srcdir/src/libcrun-helper/guard.c $srcdir/src/libcrun-helper/no-systemd.c dnl
$srcdir/src/base/error.c $srcdir/src/base/sealed.c $srcdir/src/base/str.c $LIBCRUN_LIBS"
AC_RUN_IFELSE([_TYRUM_LIBCRUN_PROGRAM],
  [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no])
  libcrun_why="a program with libcrun $libcrun_version cannot be linked or fails (see config.log): are the development files of libcap, libseccomp, libsystemd and yajl or json-c installed"],
  [AC_LINK_IFELSE([_TYRUM_LIBCRUN_PROGRAM], [AC_MSG_RESULT([linked, not called])],
    [AC_MSG_RESULT([no])
    libcrun_why="a program with libcrun $libcrun_version cannot be linked (see config.log)"])])])
