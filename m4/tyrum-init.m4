dnl SPDX-License-Identifier: LGPL-2.1-or-later
# The compiler of tyrum-oci-init and of tyrum-oci itself, which are static and small, so that it is not the one of everything else.

# The program that is tried must have run without a dynamic linker: AT_BASE is where that was loaded.
m4_define([_TYRUM_INIT_PROGRAM],
[AC_LANG_PROGRAM([[#include <sys/auxv.h>
#include <unistd.h>]], [[char text[64]; return getauxval (AT_BASE) != 0 || read (-1, text, sizeof text) >= 0;]])])

# _TYRUM_INIT_TRY(IF-GOOD, COMPILER-FLAGS, LINKER-FLAGS)
# With $tyrum_init_try as the compiler. When cross-compiling the program is linked, and not run.
AC_DEFUN([_TYRUM_INIT_TRY],
[tyrum_save_CC=$CC
tyrum_save_CFLAGS=$CFLAGS
tyrum_save_LDFLAGS=$LDFLAGS
CC=$tyrum_init_try
CFLAGS="-Werror $2 $CFLAGS"
LDFLAGS="$3 $LDFLAGS"
AC_RUN_IFELSE([_TYRUM_INIT_PROGRAM], [tyrum_good=yes], [tyrum_good=no],
  [AC_LINK_IFELSE([_TYRUM_INIT_PROGRAM], [tyrum_good=yes], [tyrum_good=no])])
CC=$tyrum_save_CC
CFLAGS=$tyrum_save_CFLAGS
LDFLAGS=$tyrum_save_LDFLAGS
AS_IF([test "x$tyrum_good" = xyes], [$1])])

# _TYRUM_INIT_START_FILES
# Debian's musl-gcc does not know -static-pie: whatever it is told, it links the start file of programs that have a
# dynamic linker. The right one is in the same directory, which the linker's trace shows. Sets tyrum_start.
AC_DEFUN([_TYRUM_INIT_START_FILES],
[echo 'int main (void) { return 0; }' >conftest.c
tyrum_directory=`$tyrum_init_try -static -Wl,--trace conftest.c -o conftest$EXEEXT 2>/dev/null \
  | $SED -n 's,^\(/.*\)/@<:@Scrt1@:>@*\.o$,\1,p' | $SED 1q`
rm -f conftest.c conftest$EXEEXT
tyrum_start=
AS_IF([test -n "$tyrum_directory" && test -r "$tyrum_directory/rcrt1.o"],
  [tyrum_start="-nostartfiles $tyrum_directory/rcrt1.o $tyrum_directory/crti.o $tyrum_directory/crtn.o"])])

# _TYRUM_INIT_STATIC
# How $tyrum_init_try makes a static program, position independent if it can. Sets INIT_CC when it can at all.
AC_DEFUN([_TYRUM_INIT_STATIC],
[AS_IF([test "x$use_hardening" = xyes && test "x$cross_compiling" != xyes],
  [_TYRUM_INIT_TRY([INIT_CC=$tyrum_init_try INIT_CFLAGS=-fPIE INIT_LDFLAGS=-static-pie], [-fPIE], [-static-pie])
  AS_IF([test -z "$INIT_CC"],
    [_TYRUM_INIT_START_FILES
    tyrum_flags="-static -Wl,-pie,--no-dynamic-linker,-z,text $tyrum_start"
    AS_IF([test -n "$tyrum_start"],
      [_TYRUM_INIT_TRY([INIT_CC=$tyrum_init_try INIT_CFLAGS=-fPIE INIT_LDFLAGS=$tyrum_flags],
        [-fPIE], [$tyrum_flags])])])])
AS_IF([test -z "$INIT_CC"],
  [_TYRUM_INIT_TRY([INIT_CC=$tyrum_init_try INIT_CFLAGS=-fno-pie INIT_LDFLAGS=-static], [-fno-pie], [-static])])])

# _TYRUM_INIT_HARDEN
# Each protection that this compiler knows.
AC_DEFUN([_TYRUM_INIT_HARDEN],
[tyrum_init_try=$INIT_CC
for tyrum_flag in -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard; do
  _TYRUM_INIT_TRY([TYRUM_APPEND([INIT_CFLAGS], [$tyrum_flag])], [$INIT_CFLAGS $tyrum_flag], [$INIT_LDFLAGS])
done
for tyrum_flag in -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack; do
  _TYRUM_INIT_TRY([TYRUM_APPEND([INIT_LDFLAGS], [$tyrum_flag])], [$INIT_CFLAGS], [$INIT_LDFLAGS $tyrum_flag])
done])

# TYRUM_INIT_CC
# --with-init-cc. Sets INIT_CC, INIT_CFLAGS, INIT_LDFLAGS, the condition BUILD_INIT, and init_summary. "auto" never
# stops the configuration: the rest of the project is of use without init, and tyrum-oci is then built as everything else is.
AC_DEFUN([TYRUM_INIT_CC],
[AC_REQUIRE([AC_PROG_SED])
AC_ARG_WITH([init-cc],
  [AS_HELP_STRING([--with-init-cc=auto|no|PROGRAM],
    [compiler of tyrum-oci and tyrum-oci-init, static programs; auto is musl-gcc, else $CC @<:@auto@:>@])],
  [], [with_init_cc=auto])
INIT_CC= INIT_CFLAGS= INIT_LDFLAGS=
AC_MSG_CHECKING([for a compiler that makes static programs])
AS_CASE([$with_init_cc],
  [no], [],
  [auto|yes], [for tyrum_init_try in musl-gcc "$CC"; do
    AS_IF([test -z "$INIT_CC"], [_TYRUM_INIT_STATIC])
  done],
  [tyrum_init_try=$with_init_cc
  _TYRUM_INIT_STATIC])
AS_IF([test -n "$INIT_CC" && test "x$use_hardening" = xyes], [_TYRUM_INIT_HARDEN])
AC_MSG_RESULT([${INIT_CC:-none}])
AS_IF([test "x$enable_werror" = xyes], [TYRUM_APPEND([INIT_CFLAGS], [-Werror])])
AS_CASE([$INIT_LDFLAGS], [*-pie*], [tyrum_kind=static-pie], [tyrum_kind=static])
AS_IF([test -n "$INIT_CC"], [init_summary="$INIT_CC ($tyrum_kind)"],
  [test "x$with_init_cc" = xno], [init_summary="not built (--without-init-cc): nothing can be run"],
  [test "x$with_init_cc" = xauto], [init_summary="not built, nothing can be run: install musl-tools"],
  [AC_MSG_ERROR([--with-init-cc=$with_init_cc was given, but it makes no static program that runs])])
AC_SUBST([INIT_CC])
AC_SUBST([INIT_CFLAGS])
AC_SUBST([INIT_LDFLAGS])
AM_CONDITIONAL([BUILD_INIT], [test -n "$INIT_CC"])])
