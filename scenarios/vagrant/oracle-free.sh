#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A real Oracle Database Free out of its vendor's package, on Oracle Linux 9, as root. UNTESTED:
# nobody ran it where this is developed. What it relies on is in docs/evidence/vagrant.md.
set -eu
rpm=/tmp/oracle-database-free.rpm

# The vendor's preinstallation package (the oracle user, kernel settings) is its dependency.
dnf -y -q install "$rpm"
configure=$(ls /etc/init.d/oracle-free-*)
if [ ! -e /opt/oracle/oradata/FREE ]; then
    # For SYS, SYSTEM and PDBADMIN; on a network that only the machines of this Vagrantfile reach.
    printf 'Polltrace_1\nPolltrace_1\n' | "$configure" configure
fi

# What an unconfigured server does, in plain words: the vendor's images preset DISABLE_OOB=ON and
# BREAK_POLL_SKIP=1000, which hides what this is about. A server reads it as it starts.
home=$(ls -d /opt/oracle/product/*/dbhomeFree)
printf 'DISABLE_OOB = OFF\nBREAK_POLL_SKIP = 3\n' >"$home/network/admin/sqlnet.ora"
chown oracle:oinstall "$home/network/admin/sqlnet.ora"

# polltrace: its probe is static and was built elsewhere (`make build`); the rest is Python.
dnf -y -q install python3.11
cd /vagrant
[ -x probes/build/polltrace-probe ] || {
    echo "oracle-free: no probe: run 'make build' on the host, then 'vagrant rsync oracle'" >&2
    exit 4
}
[ -d .venv ] || python3.11 -m venv .venv
.venv/bin/pip install -q --require-hashes -r requirements.lock
.venv/bin/pip install -q --no-deps --no-build-isolation -e .
ln -sf "$PWD/.venv/bin/polltrace" /usr/local/bin/polltrace
echo "oracle-free: listening on 192.168.57.20:1521/FREEPDB1, system / Polltrace_1"
echo "oracle-free: sudo /usr/local/bin/polltrace ps"
