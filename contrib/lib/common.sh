# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the scripts in contrib/. To be sourced by bash, with the working directory anywhere.
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=$(nproc)

die () {
  echo "${0##*/}: $*" >&2
  exit 1
}

# as_root COMMAND...: runs it as root, with sudo if needed.
as_root () {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "root is needed for '$*', and there is no sudo: run this as root"
  fi
}

# install_packages NAME...: installs the missing ones; without network access when none is missing.
install_packages () {
  local name missing=()

  command -v dpkg-query >/dev/null \
    || die "this host has no dpkg: install what README.md lists by hand, then use configure and make"
  for name; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  if [ "${#missing[@]}" -eq 0 ]; then
    return
  fi
  echo "installing: ${missing[*]}"
  as_root apt-get -q update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}"
}

# unpack_package DIRECTORY COMMAND...: unpacks a package into DIRECTORY/tree, without installing it. COMMAND prints the
# package's name. It is called again after an update of apt's lists, because a newer kernel's package has another name.
unpack_package () {
  local directory=$1 download=(apt-get -qq -o "APT::Sandbox::User=$(id -un)" download)
  shift

  mkdir -p "$directory/package"
  (cd "$directory/package" && { "${download[@]}" "$("$@")" || { as_root apt-get -q update && "${download[@]}" "$("$@")"; }; })
  dpkg-deb -x "$directory"/package/*.deb "$directory/tree"
}

# Makes the configure script if one of its sources is newer.
ensure_configure () {
  if [ -e "$top/config.status" ]; then
    die "'$top' holds a build of its own, which hides others: run 'make distclean' there"
  fi
  if [ ! -e "$top/configure" ] || [ ! -e "$top/Makefile.in" ] \
    || [ -n "$(find "$top" -path "$top/build*" -prune -o -name autom4te.cache -prune -o \
      \( -name '*.am' -o -name '*.ac' -o -path '*/m4/*.m4' \) -newer "$top/Makefile.in" -print -quit)" ]; then
    "$top/autogen.sh"
  fi
}

# build_in DIRECTORY [CONFIGURE-ARGUMENT...]: builds; configures once, and again when the arguments change.
build_in () {
  local directory=$1
  shift
  local arguments="$*"

  ensure_configure
  mkdir -p "$directory"
  if [ ! -e "$directory/config.status" ] || [ "$(cat "$directory/configure-arguments" 2>/dev/null)" != "$arguments" ]; then
    (cd "$directory" && "$top/configure" -q "$@")
    echo "$arguments" >"$directory/configure-arguments"
  fi
  make -C "$directory" -s -j "$jobs"
}

# The second build: clang with sanitizers. Tests, lint tools and fuzzers use it.
build_clang () {
  build_in "$top/build-clang" CC=clang --enable-werror --enable-tests --enable-sanitizers --enable-fuzzing --enable-daemon \
    CFLAGS='-O1 -g'
}
