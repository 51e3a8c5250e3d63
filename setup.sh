#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install the Debian packages that building and testing polltrace needs.
# Says what is missing, installs that and nothing else; does nothing the second time.
set -eu

# What the probe, the lab and the virtual environment are built with.
build="make gcc libc6-dev clang llvm bpftool libbpf-dev libelf-dev zlib1g-dev
    libssl-dev tcl dpkg-dev xz-utils ca-certificates python3 python3-venv"
# What `make lint` runs.
lint="clang-format shellcheck"
# What the tests run beside polltrace: peers, and tools that look from outside.
check="strace procps"

missing=""
for package in $build $lint $check; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "setup: installing Debian packages:$missing"
if [ "$(id -u)" -ne 0 ]; then
    echo "setup: not root; run: sudo ./setup.sh" >&2
    exit 3
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # a list of package names, split on purpose
apt-get install -y -qq --no-install-recommends $missing >/dev/null
echo "setup: done"
