#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Puts sqlite3.c, sqlite3.h and the parser generator Lemon (lemon.c, lempar.c),
# which is part of its source, into build/sqlite/. The lab compiles SQLite
# itself because a stack seen at a break poll has to be walkable out to main,
# and the distribution's library has no frame pointers. The source is the
# distribution's own source package, so that it comes from wherever this
# machine gets its packages and is checked with the same keys.
#
# Needs: apt, patch, xz-utils, gcc, make, tcl. Runs as any user. What dpkg-source
# would do is done by hand: it would bring all of Perl.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=$here/build/sqlite
if [[ -s $out/sqlite3.c && -s $out/sqlite3.h && -s $out/lempar.c ]]; then
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" \
    "$work/parts" "$out"
chmod 755 "$work" "$work"/*

# The machine's own package sources, turned into source-package sources.
etc=${APT_ETC:-/etc/apt}
n=0
for f in "$etc/sources.list" "$etc"/sources.list.d/*.list; do
    [[ -s $f ]] || continue
    n=$((n + 1))
    sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$f" \
        >"$work/parts/$n.list"
done
for f in "$etc"/sources.list.d/*.sources; do
    [[ -s $f ]] || continue
    n=$((n + 1))
    sed 's/^[Tt]ypes:.*/Types: deb-src/' "$f" >"$work/parts/$n.sources"
done

apt_options=(
    -q
    -o "Dir::Etc::sourcelist=/dev/null"
    -o "Dir::Etc::sourceparts=$work/parts"
    -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache"
    -o "APT::Sandbox::User=$(id -un)"
    -o "Acquire::Languages=none"
    -o "Acquire::Retries=3"
)
log=$work/log
fail() {
    echo "get-sqlite: $1" >&2
    tail -n 5 "$log" >&2
    exit 1
}
apt-get "${apt_options[@]}" update >"$log" 2>&1 ||
    fail "cannot read the index of source packages"
(cd "$work" && apt-get "${apt_options[@]}" source --download-only sqlite3) \
    >"$log" 2>&1 || fail "cannot download the sqlite3 source package"
unpack() {
    mkdir "$work/source" &&
        tar -xf "$work"/sqlite3_*.orig.tar.* -C "$work/source" --strip-components=1 &&
        tar -xf "$work"/sqlite3_*.debian.tar.* -C "$work/source" &&
        cd "$work/source/debian/patches" &&
        grep -Ev '^[[:space:]]*(#|$)' series | xargs cat |
        patch -p1 --fuzz=0 -d "$work/source"
}
(unpack) >"$log" 2>&1 || fail "cannot unpack the sqlite3 source package"
cp "$work/source/tool/lemon.c" "$work/source/tool/lempar.c" "$out/"
if [[ -s $out/sqlite3.c && -s $out/sqlite3.h ]]; then
    exit 0
fi
(cd "$work/source" && ./configure && make sqlite3.c) >"$log" 2>&1 ||
    fail "cannot make sqlite3.c"
cp "$work/source/sqlite3.h" "$out/"
dsc=$(basename "$work"/sqlite3_*.dsc .dsc)
echo "${dsc#sqlite3_}" >"$out/version"
cp "$work/source/sqlite3.c" "$out/sqlite3.c.new"
mv "$out/sqlite3.c.new" "$out/sqlite3.c"
