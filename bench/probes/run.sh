#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The peers need tracefs; it is mounted for them alone, in a mount namespace.
set -eu
here=$(dirname "$0")
if [ "${1-}" != --mounted ]; then
    exec unshare --mount --propagation private "$0" --mounted "$@"
fi
shift
[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
cd "$here/../.." && exec python3 -m bench.probes.probe_costs "$@"
