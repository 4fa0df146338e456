dnl SPDX-License-Identifier: LGPL-2.1-or-later
# libarchive: only its headers are needed here. The library is loaded when an image is unpacked, and not before.

# TYRUM_ARG_LIBARCHIVE
# --with-libarchive with yes, no or auto, in $with_libarchive.
AC_DEFUN([TYRUM_ARG_LIBARCHIVE],
[AC_ARG_WITH([libarchive],
  [AS_HELP_STRING([--with-libarchive@<:@=yes|no|auto@:>@], [unpack OCI images @<:@auto@:>@])],
  [AS_CASE([$with_libarchive], [yes|no|auto], [],
    [AC_MSG_ERROR(['$with_libarchive' is not a value of --with-libarchive: use yes, no or auto])])],
  [with_libarchive=auto])])

# TYRUM_CHECK_LIBARCHIVE
# Sets $use_libarchive to yes or no, and $libarchive_version; HAVE_LIBARCHIVE is 1 or 0.
AC_DEFUN([TYRUM_CHECK_LIBARCHIVE],
[use_libarchive=no
libarchive_version=
AS_IF([test "x$with_libarchive" != xno],
  [PKG_CHECK_MODULES([LIBARCHIVE], [libarchive >= 3.3.3],
    [use_libarchive=yes
    libarchive_version=`$PKG_CONFIG --modversion libarchive 2>/dev/null || echo unknown`
    AC_SEARCH_LIBS([dlopen], [dl])],
    [AS_IF([test "x$with_libarchive" = xyes],
      [AC_MSG_ERROR([--with-libarchive was given, but $PKG_CONFIG does not find libarchive 3.3.3 or newer])])])])
AS_IF([test "x$use_libarchive" = xyes], [have_libarchive=1], [have_libarchive=0])
AC_DEFINE_UNQUOTED([HAVE_LIBARCHIVE], [$have_libarchive], [1 when images can be unpacked, else 0.])])
