#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install the Debian packages that polltrace needs: to build and run, or, with
# --tests, to lint and test as well; with --packages to make packages of it; with
# --client, only what a scenario's client needs; with --bench, what `make
# bench` and `make overhead` measure against; with --programs, servers that `make
# test-programs` looks at; with --spark, what Spark runs on; with --vagrant, what
# `make vagrant-test` does beyond --tests. Says what is missing, installs that and
# nothing else; does nothing the second time.
set -eu

client="make ca-certificates python3 python3-venv"
# iproute2 is for the network paths of scenarios.
packages="$client gcc libc6-dev clang bpftool libbpf-dev libelf-dev zlib1g-dev
    libssl-dev tcl patch xz-utils iproute2"
# The fuzzer's run time; tools that look at processes and programs from outside; a browser for the
# flame graphs, a terminal for the live view; a Prometheus that scrapes, a remote host to watch; an
# emulator for other kernels; bcc for its backend; perf, bpftrace and libbpf-tools, to count as
# well; a database that checks its clients by a timer, one that reads a clock, one that never
# does, a server of none; a locale without UTF-8.
# The linters come from PyPI.
tests="libclang-rt-14-dev strace procps binutils chromium tmux prometheus openssh-server systemd
    qemu-system-x86 kmod busybox-static cpio nftables python3-bpfcc postgresql
    clickhouse-server clickhouse-client mariadb-server-core mariadb-client-core
    redis-tools linux-perf bpftrace libbpf-tools locales g++ valgrind"
# What the benches measure against.
bench="ripgrep mawk perl strace postgresql elfutils gdb bpftrace libbpf-tools linux-perf python3-bpfcc"
programs="redis-tools nginx-light haproxy"
vagrant="vagrant vagrant-libvirt mmdebstrap rsync qemu-utils e2fsprogs fdisk grub-common grub-pc-bin dnsmasq-base
    iptables libvirt-clients libvirt-daemon-system libvirt-daemon-system-sysv"
case "${1:-}" in
--tests) packages="$packages $tests" ;;
--packages) packages="$packages binutils debhelper dh-python git lintian mmdebstrap" ;;
--client) packages=$client ;;
--programs) packages=$programs ;;
--spark) packages="$packages openjdk-17-jre-headless" ;;
--vagrant) packages="$packages $tests $vagrant" ;;
esac

if [ "${1:-}" = --bench ]; then
    packages="$packages $bench"
fi
if [ "${1:-}" = --bench ] || [ "${1:-}" = --tests ]; then
    # Tests and benches make clusters of their own; the package shall make none.
    if [ "$(id -u)" -eq 0 ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
        mkdir -p /etc/postgresql-common
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    fi
fi

# shellcheck disable=SC2086 # a list of package names, split on purpose
there=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' $packages 2>/dev/null || true)"
missing=""
for package in $packages; do
    case "$there" in
        *" installed:$package "*) ;;
        *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

echo "setup: installing Debian packages:$missing"
if [ "$(id -u)" -ne 0 ]; then
    echo "setup: not root; run: sudo ./setup.sh $*" >&2
    exit 3
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# Nothing that is installed here is to serve: the tests start their own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
fi
# shellcheck disable=SC2086 # a list of package names, split on purpose
apt-get install -y -qq --no-install-recommends $missing >/dev/null
for package in $missing; do
    case "$package" in
        prometheus) systemctl disable -q prometheus.service 2>/dev/null || true ;;
        openssh-server) systemctl disable -q ssh.service 2>/dev/null || true ;;
    esac
done
echo "setup: done"
