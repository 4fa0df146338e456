dnl SPDX-License-Identifier: LGPL-2.1-or-later
# tyrum-oci-hook: a static program of everything else's compiler and libraries.

# TYRUM_CHECK_HOOK
# Sets HOOK_LDFLAGS, HOOK_LIBS, the condition BUILD_HOOK, and hook_summary. Sanitizers need a dynamic linker: with
# them, and where a static library is missing, the hook is built only as far as tests need it, or not at all.
AC_DEFUN([TYRUM_CHECK_HOOK],
[HOOK_LDFLAGS= HOOK_LIBS=
AC_MSG_CHECKING([how a static program is linked with yajl and libseccomp])
AS_IF([test "x$enable_sanitizers" = xno && test "x$use_fuzzing" != xyes], [
  tyrum_save_CFLAGS=$CFLAGS
  tyrum_save_LDFLAGS=$LDFLAGS
  tyrum_save_LIBS=$LIBS
  for tyrum_static in -static-pie -static; do
    for tyrum_yajl in -lyajl_s -lyajl; do
      AS_IF([test -z "$HOOK_LDFLAGS"], [
        AS_IF([test "x$tyrum_static" = x-static-pie], [CFLAGS="$tyrum_save_CFLAGS -fPIE"], [CFLAGS=$tyrum_save_CFLAGS])
        LDFLAGS="$tyrum_save_LDFLAGS $HARDENING_LDFLAGS $tyrum_static"
        LIBS="$tyrum_yajl -lseccomp"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <seccomp.h>
#include <yajl/yajl_parse.h>]], [[return yajl_alloc (0, 0, 0) == 0 && seccomp_version () == 0;]])],
          [HOOK_LDFLAGS="$tyrum_static"; HOOK_LIBS="$LIBS"])])
    done
  done
  CFLAGS=$tyrum_save_CFLAGS
  LDFLAGS=$tyrum_save_LDFLAGS
  LIBS=$tyrum_save_LIBS])
AC_MSG_RESULT([${HOOK_LDFLAGS:-not at all}])
AS_IF([test -n "$HOOK_LDFLAGS"], [hook_summary="yes ($HOOK_LDFLAGS)"], [hook_summary="not built"])
AC_SUBST([HOOK_LDFLAGS])
AC_SUBST([HOOK_LIBS])
AM_CONDITIONAL([BUILD_HOOK], [test -n "$HOOK_LDFLAGS"])])
