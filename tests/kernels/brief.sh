#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# brief.sh PROBE POLLER POLLS: in the guest, without an interpreter that takes long to start there.
# For each variant: POLLS polls counted; then, once killed, what BPF programs are left. Prints the
# probe's own records, after a line {"type": "variant", "name": …}, and before a line
# {"type": "left", "programs": […]}. The host judges.
set -eu
probe=$1 poller=$2 polls=$3
cd "$(mktemp -d)"
mkfifo commands answers
"$poller" <commands >answers &
exec 3>commands 4<answers
read -r _ pid <&4

ask() {
    echo "$1" >&3
    read -r _ answer <&4
}

attach() { # the first record comes when it is attached
    : >frames
    "$probe" -p "$pid" --variant "$1" >frames &
    until [ -s frames ]; do
        kill -0 $! # or it has failed, and reported why
        sleep 0.1
    done
}

ask "open tcp"
fd=$answer
for variant in fentry tp_btf raw_tp kprobe; do
    echo "{\"type\": \"variant\", \"name\": \"$variant\"}"
    attach $variant
    ask "poll $fd $polls 0"
    kill -TERM $!
    wait $!
    cat frames

    attach $variant
    kill -KILL $!
    wait $! || true
    for _ in $(seq 100); do # the kernel frees them a little later
        left=$(bpftool -j prog show)
        [ "$left" != "[]" ] || break
        sleep 0.1
    done
    echo "{\"type\": \"left\", \"programs\": $left}"
done
