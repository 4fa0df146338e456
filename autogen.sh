#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the configure script. People who build from a release tarball do not need it.
set -eu
cd "$(dirname "$0")"
exec autoreconf --force --install --warnings=all,no-obsolete
