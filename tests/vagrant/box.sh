#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# box.sh OUT.box: a Vagrant box for libvirt out of this machine's own package sources, for
# machines that reach nothing else. On a bare Debian 12 it runs what provisioning will run again,
# setup.sh and `make build`, so that only changes are left to do in the (emulated) guest.
# Needs no loop device and no mount: the file system is made from the tree, the loader put before it.
# shellcheck disable=SC2016 # apt and mmdebstrap expand what is theirs
set -eu
out=$(realpath -m "$1")
tree=$(cd "$(dirname "$0")/../.." && pwd)
suite=bookworm
keys=/usr/share/keyrings/debian-archive-keyring.gpg
kernel=linux-image-amd64
size_mb=6144
vagrant_key=$(find /usr/share -path '*/vagrant-*/keys/vagrant.pub' | head -1)
packages=systemd-sysv,udev,dbus,openssh-server,sudo,rsync,ifupdown,isc-dhcp-client,iproute2
packages+=,iputils-ping,procps,kmod,initramfs-tools,zstd,ca-certificates,nftables,python3-bpfcc
packages+=,$kernel,linux-headers-amd64
# Whom pip trusts here; the new system does so while it is made.
authorities=${PIP_CERT:-${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}}

work=$(mktemp -d "$(dirname "$out")/box.XXXXXX")
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
root=$work/root

# First the bare system with what setup.sh installs, kept for the next time: the longest part.
base=$(dirname "$out")/base.tar
for source in "$tree/setup.sh" "$tree/tests/vagrant/box.sh"; do
    [ "$base" -nt "$source" ] || rm -f "$base"
done
if [ ! -f "$base" ]; then
    # The machine's own sources for that suite, one line each, whatever their format.
    apt-get indextargets --format '$(CREATED_BY) $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        | awk -v suite=$suite -v keys=$keys '$1 == "Packages" && $3 ~ "^" suite {
            print "deb [signed-by=" keys "]", $2, $3, $4 }' \
        | sort -u >"$work/sources.list"
    mmdebstrap --quiet --variant=minbase --include="$packages" \
        --customize-hook="cp $tree/setup.sh \"\$1/root/\"" \
        --customize-hook='chroot "$1" /root/setup.sh' \
        $suite "$work/base.tar" "$work/sources.list"
    mv "$work/base.tar" "$base"
fi

# Then this tree, made there as on any bare host.
mkdir "$root"
tar -x --numeric-owner -C "$root" -f "$base"
rsync -a --delete --exclude=.git --exclude=.vagrant --exclude=.venv --exclude=build \
    --exclude='*.egg-info' --exclude=__pycache__ "$tree/" "$root/vagrant/"
cp "$authorities" "$root/root/authorities.crt"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# A process namespace, so that nothing that is started in there stays.
env -i PATH="$PATH" PIP_CERT=/root/authorities.crt \
    unshare --pid --fork --kill-child --mount sh -eu -c '
        mount -t proc proc "$1/proc"
        chroot "$1" make -s -C /vagrant build' sh "$root"
rm "$root/root/authorities.crt"
: >"$root/etc/resolv.conf"

in_root() { chroot "$root" "$@"; }
in_root useradd -m -s /bin/bash vagrant
echo 'vagrant ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/vagrant"
install -d -m 700 "$root/home/vagrant/.ssh"
install -m 600 "$vagrant_key" "$root/home/vagrant/.ssh/authorized_keys"
in_root chown -R vagrant:vagrant /home/vagrant/.ssh
echo 'UseDNS no' >>"$root/etc/ssh/sshd_config"
echo debian12 >"$root/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 debian12\n' >"$root/etc/hosts"
echo 'LABEL=rootfs / ext4 defaults 0 1' >"$root/etc/fstab"
mkdir -p "$root/etc/network/interfaces.d"
cat >"$root/etc/network/interfaces" <<'INTERFACES'
source-directory /etc/network/interfaces.d
auto lo
iface lo inet loopback
allow-hotplug eth0
iface eth0 inet dhcp
INTERFACES
for unit in systemd-timesyncd.service apt-daily.timer apt-daily-upgrade.timer \
    e2scrub_reap.service fstrim.timer dpkg-db-backup.timer man-db.timer; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
: >"$root/etc/machine-id"
release=$(basename "$root"/lib/modules/*)
mkdir -p "$root/boot/grub"
cat >"$root/boot/grub/grub.cfg" <<GRUB
set timeout=0
menuentry Debian {
    linux /boot/vmlinuz-$release root=LABEL=rootfs ro net.ifnames=0 console=ttyS0
    initrd /boot/initrd.img-$release
}
GRUB

# One partition from 1 MiB on; GRUB's two parts in the master boot record and behind it.
disk=$work/disk.raw
grub=/usr/lib/grub/i386-pc
truncate -s ${size_mb}M "$disk"
echo '2048,,L,*' | sfdisk -q "$disk"
mke2fs -q -t ext4 -F -L rootfs -d "$root" -E offset=1048576 "$disk" $((size_mb - 1))M
grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o "$work/core.img" \
    biosdisk part_msdos ext2 normal linux search search_label boot
dd if=$grub/boot.img of="$disk" bs=440 count=1 conv=notrunc status=none
dd if="$work/core.img" of="$disk" bs=512 seek=1 conv=notrunc status=none

qemu-img convert -O qcow2 "$disk" "$work/box.img"
printf '{"provider": "libvirt", "format": "qcow2", "virtual_size": %d}\n' \
    $(((size_mb + 1023) / 1024)) >"$work/metadata.json"
echo 'Vagrant.configure("2") { |config| }' >"$work/Vagrantfile"
tar -C "$work" -cf "$out" metadata.json Vagrantfile box.img
