dnl SPDX-License-Identifier: LGPL-2.1-or-later
# libcurl: only its headers are needed here. The library is loaded when an engine is called, and not before.

# TYRUM_ARG_LIBCURL
# --with-libcurl with yes, no or auto, in $with_libcurl.
AC_DEFUN([TYRUM_ARG_LIBCURL],
[AC_ARG_WITH([libcurl],
  [AS_HELP_STRING([--with-libcurl@<:@=yes|no|auto@:>@], [launch through Docker and Podman @<:@auto@:>@])],
  [AS_CASE([$with_libcurl], [yes|no|auto], [],
    [AC_MSG_ERROR(['$with_libcurl' is not a value of --with-libcurl: use yes, no or auto])])],
  [with_libcurl=auto])])

# TYRUM_CHECK_LIBCURL
# Sets $use_libcurl to yes or no, and $libcurl_version; HAVE_LIBCURL is 1 or 0.
AC_DEFUN([TYRUM_CHECK_LIBCURL],
[use_libcurl=no
libcurl_version=
AS_IF([test "x$with_libcurl" != xno],
  [PKG_CHECK_MODULES([LIBCURL], [libcurl >= 7.68],
    [use_libcurl=yes
    libcurl_version=`$PKG_CONFIG --modversion libcurl 2>/dev/null || echo unknown`
    AC_SEARCH_LIBS([dlopen], [dl])],
    [AS_IF([test "x$with_libcurl" = xyes],
      [AC_MSG_ERROR([--with-libcurl was given, but $PKG_CONFIG does not find libcurl 7.68 or newer])])])])
AS_IF([test "x$use_libcurl" = xyes], [have_libcurl=1], [have_libcurl=0])
AC_DEFINE_UNQUOTED([HAVE_LIBCURL], [$have_libcurl], [1 when engines can be called, else 0.])])
