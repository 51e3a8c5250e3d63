#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run `make check` as a contributor's first command: as an ordinary user, in a clone of HEAD where
# nothing has been built, with the set-up that CONTRIBUTING.md gives. Needs root, to become nobody.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q --no-local "$top" "$work/polltrace"
chown -R nobody "$work"
cd "$work/polltrace"
# shellcheck disable=SC2016 # expanded by the inner shell
setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$work" TMPDIR="$work" sh -euc '
    "${PYTHON:-/usr/bin/python3}" -m venv .venv
    .venv/bin/pip install -q -e ".[dev]"
    make check'
