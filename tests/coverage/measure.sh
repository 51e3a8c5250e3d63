#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# measure.sh [TEST...]: `make coverage`. Which lines of Python and C these tests run, all of them
# where none is named, put into build/coverage.md. In a copy of the tree, below build/coverage: what
# is built there counts its lines, and what users run stays as it is. As root, for the probe.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
bin=$root/.venv/bin
tree=$root/build/coverage/tree
tests=("$@")
[ $# -gt 0 ] || tests=(tests --ignore=tests/kernels --ignore=tests/vagrant)

rm -rf "$root/build/coverage"
mkdir -p "$tree/lab/build/obj"
git ls-files -z | cpio -0pdm --quiet "$tree"
ln -s "$root/.venv" "$tree/.venv"
ln -s ../stacks ../scenarios "$tree/polltrace/" # as setup.py does
# SQLite as it is built already: its lines are not ours.
cp -rp lab/build/sqlite "$tree/lab/build"
cp -p lab/build/obj/sqlite3.o "$tree/lab/build/obj"
cp -r scenarios/clients/build "$tree/scenarios/clients"
cd "$tree"

gcc -c tests/coverage/at_exit.c -o lab-at_exit.o
gcc -DPROBE -c tests/coverage/at_exit.c -o probe-at_exit.o
counting="gcc --coverage -fprofile-abs-path"
make -s -j"$(nproc)" -C probes CC="$counting" build/polltrace-probe \
    LDLIBS="$PWD/probe-at_exit.o -Wl,--wrap=_exit,--wrap=sandbox_session,--wrap=sandbox_uprobes \
        -lbpf -lelf -lz -lm"
make -s -C probes build/polltrace-calibrate
make -s -j"$(nproc)" -C lab CC="$counting" \
    LDLIBS="$PWD/lab-at_exit.o -Wl,--wrap=_exit,--wrap=kill,--wrap=prctl \
        -Wl,--exclude-libs,ALL -l:libcrypto.a -lm"

# A test that fails here may be one that needs what was changed: the report is of the lines.
PYTHONPATH=$tree "$bin/coverage" run -m pytest -q -p no:cacheprovider "${tests[@]}" || true
"$bin/coverage" combine -q
"$bin/coverage" json -q -o python.json
"$bin/gcovr" --json-summary c.json --filter probes/ --filter lab/ \
    --exclude '.*/build/' --exclude '.*/tests/' --gcov-ignore-parse-errors=all .
"$bin/python" -P "$root/tests/coverage/report.py" python.json c.json "${tests[*]}" \
    >"$root/build/coverage.md"
