#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# two-commands.sh [TARGET...]: how long `make demo` takes on a bare Debian 12, then once more, or
# the targets named instead (`two-commands.sh demo test`), each line of output with the second it
# came in. An argument with a space in it is a command for a shell in the clone. The machine is a
# chroot with make and certificates and a clone of the last commit; what leads to the network
# (package indexes, certificates of a proxy) is this host's. As root, with mmdebstrap; all that is
# made lies in one temporary folder, in a mount namespace of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- demo demo
if [ "${UNSHARED:-}" != yes ]; then
    UNSHARED=yes exec unshare --mount --propagation private "$0" "$@"
fi

work=$(mktemp -d /var/tmp/two-commands.XXXXXX)
root=$work/root
trap 'cd /; umount -lR "$root" 2>/dev/null || true
      rm -rf --one-file-system "$work"' EXIT
trap 'exit 143' INT TERM
mmdebstrap --quiet --variant=minbase --include=make,ca-certificates bookworm "$root"
mount --bind "$root" "$root" # so that / is a mount point there, as tests/own-namespaces.sh needs it
git clone -q --no-hardlinks . "$root/root/polltrace"
for each in proc sys dev; do
    mount --rbind "/$each" "$root/$each"
done
cp --dereference /etc/resolv.conf "$root/etc/"
cp --dereference /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"

mapfile -t kept < <(env | grep -E '^(PIP_(CERT|INDEX_URL|EXTRA_INDEX_URL|PROXY)|SSL_|REQUESTS_|CURL_|NODE_EXTRA_|https?_|HTTPS?_|no_proxy|NO_PROXY|GOPROXY)')
for target; do
    case "$target" in
    *" "*) words=(sh -c "cd /root/polltrace && $target") ;;
    *) words=(make -C /root/polltrace --no-print-directory "$target") ;;
    esac
    started=$SECONDS
    code=0
    env -i "${kept[@]}" HOME=/root LANG=C.UTF-8 TERM=dumb \
        PATH=/root/polltrace/.venv/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        chroot "$root" "${words[@]}" 2>&1 |
        while IFS= read -r line; do
            printf '[%4d s] %s\n' $((SECONDS - started)) "$line"
        done || code=$?
    printf '%s: %d s, exit code %d; load %s\n' "$target" $((SECONDS - started)) "$code" \
        "$(cut -d' ' -f1-3 /proc/loadavg)"
    [ "$code" -eq 0 ] || exit "$code"
done
