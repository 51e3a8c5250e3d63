#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Set up one machine of the Vagrantfile, as root: provision.sh db|client|client-inband|router [TREE].
# The work is done by what sets up any other host: setup.sh and the Makefile. Run again at will.
set -eu
role=$1
cd "${2:-/vagrant}"
here=scenarios/vagrant

has() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
need() {
    for package in "$@"; do
        has "$package" || DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "$package" >/dev/null
    done
}

# sudo's PATH has /usr/local/bin.
command_of_the_tree() { ln -sf "$PWD/$1" "/usr/local/bin/$2"; }

case $role in
db)
    ./setup.sh
    need "linux-headers-$(uname -r)" python3-bpfcc # for the bcc backend
    make -s build
    command_of_the_tree .venv/bin/polltrace polltrace
    # The lab for the other machines; `polltrace run` and `demo` start one of their own. Its
    # servers read this file as they start. What an unconfigured server does, in plain words:
    install -d /etc/polltrace-lab
    [ -f /etc/polltrace-lab/sqlnet.ora ] \
        || printf 'DISABLE_OOB = OFF\nBREAK_POLL_SKIP = 3\n' >/etc/polltrace-lab/sqlnet.ora
    install -m 644 $here/polltrace-lab.service /etc/systemd/system/
    systemctl daemon-reload
    systemctl enable -q polltrace-lab
    systemctl restart polltrace-lab
    ;;
client | client-inband)
    ./setup.sh --client
    make -s SETUP=--client .venv/installed
    command_of_the_tree $here/batch batch
    install -d /etc/polltrace-lab
    oob=$([ "$role" = client ] && echo OFF || echo ON)
    echo "DISABLE_OOB=$oob" >/etc/polltrace-lab/client.env
    ;;
router)
    need nftables
    echo net.ipv4.ip_forward=1 >/etc/sysctl.d/90-router.conf
    sysctl -q -p /etc/sysctl.d/90-router.conf
    install -m 755 $here/wire.sh /usr/local/sbin/wire
    ;;
*)
    echo "provision: unknown role '$role'" >&2
    exit 2
    ;;
esac
