#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# own-namespaces.sh [--host-pids] COMMAND...: run it where it sees no process, mount or socket of
# anybody else on this host (with --host-pids: no mount or socket). Its processes end with it.
# Needs root; without, it runs the command as it is.
set -eu
pids="--pid --fork --kill-child --mount-proc"
if [ "$1" = --host-pids ]; then
    pids=
    shift
fi
[ "$(id -u)" -eq 0 ] || exec "$@"
if ! mountpoint -q /; then
    echo "$0: / is not a mount point in this chroot; before chroot DIR: mount --bind DIR DIR" >&2
    exit 3
fi
# shellcheck disable=SC2016,SC2086 # expanded inside; a list of options
exec unshare $pids --mount --net --ipc --propagation private sh -euc '
    ip link set lo up
    [ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
    "$@"' sh "$@"
