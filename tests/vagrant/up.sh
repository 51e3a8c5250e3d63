#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# up.sh: `make vagrant-test`. Brings the Vagrantfile up under software emulation, from a box made
# of this machine's package sources, and tries on it what docs/evidence/vagrant.md promises. Where all the
# expected output was seen, puts the output into that page. Everything lives in namespaces of its
# own and ends with this script, however that ends: libvirtd, the machines, their networks. As
# root. About half an hour.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/vagrant
box=$work/deb12.box
export VAGRANT_HOME=$work/home VAGRANT_DOTFILE_PATH=$work/dot VAGRANT_CHECKPOINT_DISABLE=1
export VAGRANT_DEFAULT_PROVIDER=libvirt VAGRANT_NO_COLOR=1
export POLLTRACE_EMULATED=1 POLLTRACE_BOX=polltrace/test

if [ "${1:-}" != inside ]; then
    mkdir -p "$work"
    # Later changes are made by the machines themselves; new packages they cannot get.
    for source in setup.sh requirements.lock tests/vagrant/box.sh; do
        [ "$box" -nt "$source" ] || rm -f "$box"
    done
    [ -f "$box" ] || tests/vagrant/box.sh "$box"
    exec unshare --net --mount --pid --fork --mount-proc --kill-child "$0" inside
fi

# The first process of a namespace gets no signal that it does not ask for.
trap 'exit 130' INT TERM

log() { printf '[%4d s] %s\n' $SECONDS "$*"; }

# libvirt's files, ours for this while: its configuration and its state.
rm -rf "${work:?}"/{etc,var,dot,log}
mkdir -p "$work"/{etc,var,log}
cp -a /etc/libvirt/. "$work/etc"
mount --bind "$work/etc" /etc/libvirt
mount --bind "$work/var" /var/lib/libvirt
mount --bind "$work/log" /var/log/libvirt
mount -t tmpfs tmpfs /run
mount -t sysfs sysfs /sys # of the new network namespace
mkdir -p /var/lib/libvirt/images
cat >/etc/libvirt/qemu.conf <<'CONF'
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
security_driver = "none"
namespaces = []
cgroup_controllers = []
stdio_handler = "file"
CONF
cat >/etc/libvirt/libvirtd.conf <<'CONF'
auth_unix_ro = "none"
auth_unix_rw = "none"
unix_sock_group = "root"
CONF
ip link set lo up
/usr/sbin/libvirtd -d >"$work/log/start" 2>&1
for _ in $(seq 300); do
    virsh -q -c qemu:///system version >/dev/null 2>&1 && break
    sleep 0.2
done
log "libvirtd answers"

vagrant box add --force --name "$POLLTRACE_BOX" --provider libvirt "$box" >/dev/null
log "vagrant validate: $(vagrant validate)"
if ! vagrant up >"$work/up.log" 2>&1; then
    tr '\r' '\n' <"$work/up.log" | grep -v Progress: | tail -40
    exit 1
fi
log "vagrant up: done"

transcript=$work/transcript shown=$work/shown
: >"$transcript"
unseen=()
on() { vagrant ssh "$1" -c "$2" -- -q 2>&1 | tr -d '\r'; }
show() {
    local machine=$1 command=$2
    {
        echo "\$ vagrant ssh $machine -c '$command'"
        on "$machine" "$command" || echo "(exit code $?)"
        echo
    } | tee "$shown"
    cat "$shown" >>"$transcript"
}
expect() { # the output shown last has a line that matches
    grep -Eq -e "$1" "$shown" || unseen+=("$1")
}

# shellcheck source=/dev/null
. tests/vagrant/story.sh
log "story.sh: done"

vagrant destroy -f >"$work/destroy.log" 2>&1
rm -rf "${work:?}/home" /var/lib/libvirt/images/*
log "vagrant destroy: done"
if [ ${#unseen[@]} -gt 0 ]; then
    printf 'vagrant-test: expected, and not seen: %s\n' "${unseen[@]}"
    exit 1
fi
.venv/bin/python -m tests.marked_page docs/evidence/vagrant.md "make vagrant-test" "$transcript"
