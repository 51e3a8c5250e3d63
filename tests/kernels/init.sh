#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The first process of the guest, in busybox's shell: make the host's root file system ours,
# writable in memory, then run the script of /command there. Its output goes to the second serial line, the last
# line of it being "exit CODE"; the first line is the console's.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root TERM=dumb

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
stty -F /dev/ttyS1 raw -echo

# What the serial line still holds when the power goes is lost.
finish() {
    echo "exit $1" >/dev/ttyS1
    sleep 1
    poweroff -f
}

while read -r module; do
    insmod "/modules/$module" || echo "cannot load $module"
done </modules.list
mount -t virtiofs -o ro host /host || finish 120
mount -t tmpfs tmpfs /memory
mkdir /memory/upper /memory/work
mount -t overlay -o lowerdir=/host,upperdir=/memory/upper,workdir=/memory/work none /root \
    || finish 121

cd /root || finish 122
mount -t proc proc proc
mount -t sysfs sys sys
mount -t devtmpfs dev dev
mkdir -p dev/pts dev/shm lib/modules usr/src
mount -t devpts devpts dev/pts
mount -t tmpfs tmpfs dev/shm
case $(cat /kernel.root) in
    /tmp/*) ;; # where the checkout is: what is written there stays in memory all the same
    *) mount -t tmpfs tmpfs tmp ;;
esac
mount -t tmpfs tmpfs run
mount -t tracefs tracefs sys/kernel/tracing
mount -t bpf bpf sys/fs/bpf
mount -t cgroup2 cgroup2 sys/fs/cgroup
# The kernel's own modules and headers, which lie somewhere in the host's file system.
mount -o bind "/root$(cat /kernel.root)/lib/modules" lib/modules
[ ! -d "/root$(cat /kernel.root)/usr/src" ] \
    || mount -o bind "/root$(cat /kernel.root)/usr/src" usr/src
ip link set lo up
hostname guest

cp /command run/command
chroot /root /bin/sh /run/command <dev/null >/dev/ttyS1 2>/dev/ttyS0
finish $?
