#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the network between clients and database does to their packets; run as root on the router.
set -eu

usage() {
    cat >&2 <<'HELP'
usage: wire show
       wire delay TIME|off       each way, on every link of this machine (e.g. 5ms)
       wire urgent pass          leave urgent data alone
       wire urgent strip         let it through as ordinary data, as some firewalls do:
                                 out-of-band breaks arrive in-band
       wire urgent drop          drop every packet that carries it, as others do
       wire clear                no delay, urgent data passes
HELP
    exit 2
}

# The links that packets are forwarded between: all but the loopback, and the one that the default
# route takes, by which the machine is reached itself.
links() {
    outward=$(ip -o route show default | sed -n 's/.* dev \([^ ]*\).*/\1/p;q')
    ip -o link show up | sed -n 's/^[0-9]*: \([^@:]*\).*/\1/p' | grep -vx -e lo -e "${outward:-lo}"
}

delay() {
    for link in $(links); do
        tc qdisc del dev "$link" root 2>/dev/null || true
        [ "$1" = off ] || tc qdisc add dev "$link" root netem delay "$1"
    done
}

urgent() {
    nft 'add table ip wire; delete table ip wire'
    case $1 in
    pass) return ;;
    drop) rules='tcp flags & urg == urg counter drop' ;;
    strip)
        rules='tcp flags == urg | ack counter tcp urgptr set 0 tcp flags set ack
               tcp flags == urg | psh | ack counter tcp urgptr set 0 tcp flags set psh | ack'
        ;;
    esac
    nft -f - <<TABLE
table ip wire {
    chain forward {
        type filter hook forward priority filter
        $rules
    }
}
TABLE
}

case "${1:-} ${2:-}" in
"show ")
    for link in $(links); do tc qdisc show dev "$link"; done
    nft list table ip wire 2>/dev/null || echo "urgent data passes"
    ;;
"delay "?*) delay "$2" ;;
"urgent pass" | "urgent strip" | "urgent drop") urgent "$2" ;;
"clear ")
    delay off
    urgent pass
    ;;
*) usage ;;
esac
