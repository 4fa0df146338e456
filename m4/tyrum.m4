dnl SPDX-License-Identifier: LGPL-2.1-or-later
# Macros of this project: features that are yes/no/auto, and flags that are tried before use.

# TYRUM_APPEND(VARIABLE, WORDS)
AC_DEFUN([TYRUM_APPEND], [AS_VAR_APPEND([$1], ["${$1:+ }$2"])])

# TYRUM_ARG_FEATURE(NAME, DEFAULT, HELP)
# --enable-NAME with yes, no or auto, in $enable_NAME.
AC_DEFUN([TYRUM_ARG_FEATURE],
[AC_ARG_ENABLE([$1],
  [AS_HELP_STRING([--enable-$1@<:@=yes|no|auto@:>@], [$3 @<:@$2@:>@])],
  [AS_CASE([$enable_$1], [yes|no|auto], [],
    [AC_MSG_ERROR(['$enable_$1' is not a value of --enable-$1: use yes, no or auto])])],
  [enable_$1=$2])])

# TYRUM_FEATURE_USE(NAME, LOOK, WHY-ABSENT)
# Sets $use_NAME to yes or no. LOOK sets tyrum_there, and runs unless the answer is already no.
AC_DEFUN([TYRUM_FEATURE_USE],
[use_$1=no
AS_IF([test "x$enable_$1" != xno],
  [$2
  AS_IF([test "x$tyrum_there" = xyes], [use_$1=yes],
    [test "x$enable_$1" = xyes], [AC_MSG_ERROR([--enable-$1 was given, but $3])])])])

# The program that flags are tried on: an array on the stack, so that what a flag needs of the
# run-time library is linked in.
m4_define([_TYRUM_PROGRAM],
[AC_LANG_PROGRAM([[#include <stdio.h>]], [[char text[64]; return fgets (text, sizeof text, stdin) == NULL;]])])

# _TYRUM_TRY_FLAG(IF-GOOD, NAME, COMPILER-FLAGS, LINKER-FLAGS)
AC_DEFUN([_TYRUM_TRY_FLAG],
[AS_VAR_PUSHDEF([tyrum_cached], [tyrum_cv_flag_$2])dnl
AC_CACHE_CHECK([whether $CC links with $2], [tyrum_cached],
  [tyrum_save_CFLAGS=$CFLAGS
  tyrum_save_LDFLAGS=$LDFLAGS
  CFLAGS="$CFLAGS -Werror $3"
  LDFLAGS="$LDFLAGS $4"
  AC_LINK_IFELSE([_TYRUM_PROGRAM], [AS_VAR_SET([tyrum_cached], [yes])], [AS_VAR_SET([tyrum_cached], [no])])
  CFLAGS=$tyrum_save_CFLAGS
  LDFLAGS=$tyrum_save_LDFLAGS])
AS_VAR_IF([tyrum_cached], [yes], [$1])
AS_VAR_POPDEF([tyrum_cached])])

# TYRUM_ADD_CFLAGS(VARIABLE, FLAGS)
# Appends each of the flags with which this compiler makes a program without a word.
AC_DEFUN([TYRUM_ADD_CFLAGS], [m4_map_args_w([$2], [_TYRUM_ADD_CFLAG([$1], ], [)])])
AC_DEFUN([_TYRUM_ADD_CFLAG], [_TYRUM_TRY_FLAG([TYRUM_APPEND([$1], [$2])], [$2], [$2], [])
])

# TYRUM_ADD_LDFLAGS(VARIABLE, FLAGS)
AC_DEFUN([TYRUM_ADD_LDFLAGS], [m4_map_args_w([$2], [_TYRUM_ADD_LDFLAG([$1], ], [)])])
AC_DEFUN([_TYRUM_ADD_LDFLAG], [_TYRUM_TRY_FLAG([TYRUM_APPEND([$1], [$2])], [$2], [], [$2])
])

# TYRUM_ADD_PIE(CFLAGS-VARIABLE, LDFLAGS-VARIABLE)
# The two halves are of use only together.
AC_DEFUN([TYRUM_ADD_PIE],
[_TYRUM_TRY_FLAG([TYRUM_APPEND([$1], [-fPIE])
  TYRUM_APPEND([$2], [-pie])], [-pie], [-fPIE], [-pie])])

# TYRUM_REQUIRE_SANITIZERS(LIST, CFLAGS-VARIABLE, LDFLAGS-VARIABLE)
# A finding ends the program, so that no test passes over it.
AC_DEFUN([TYRUM_REQUIRE_SANITIZERS],
[AC_MSG_CHECKING([whether $CC links with -fsanitize=$1])
tyrum_flags="-fsanitize=$1 -fno-sanitize-recover=all"
tyrum_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $tyrum_flags"
AC_LINK_IFELSE([_TYRUM_PROGRAM], [tyrum_there=yes], [tyrum_there=no])
CFLAGS=$tyrum_save_CFLAGS
AC_MSG_RESULT([$tyrum_there])
AS_IF([test "x$tyrum_there" = xno],
  [AC_MSG_ERROR([--enable-sanitizers was given, but $CC cannot link with -fsanitize=$1])])
TYRUM_APPEND([$2], [$tyrum_flags -fno-omit-frame-pointer])
TYRUM_APPEND([$3], [$tyrum_flags])])

# TYRUM_CHECK_LIBFUZZER
# libFuzzer brings a main of its own, so the program that is tried has none. Sets tyrum_there.
AC_DEFUN([TYRUM_CHECK_LIBFUZZER],
[AC_CACHE_CHECK([whether $CC links with -fsanitize=fuzzer], [tyrum_cv_libfuzzer],
  [tyrum_save_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -fsanitize=fuzzer"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size) { return data == NULL && size > 0; }]])],
    [tyrum_cv_libfuzzer=yes], [tyrum_cv_libfuzzer=no])
  CFLAGS=$tyrum_save_CFLAGS])
tyrum_there=$tyrum_cv_libfuzzer])
