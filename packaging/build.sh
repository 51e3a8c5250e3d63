#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What polltrace is handed over as, into dist/: a wheel (with the probe, the
# calibration and the lab inside), polltrace.pex (the same and every Python package
# it needs, in one file), a Debian package. Wants `make build` and the tools of
# requirements-packaging.lock on PATH. Two builds of one commit give the same bytes.
set -eu
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf dist build/lib build/bdist.*
mkdir -p dist

# Manual pages and completions, for the wheel (setup.py) and the Debian package alike.
share=build/share
rm -rf "$share"
sphinx-build -q -b man docs "$work/man"
install -D -m 644 "$work/man/polltrace.1" "$share/man/man1/polltrace.1"
install -D -m 644 "$work/man/polltrace-probe.8" "$share/man/man8/polltrace-probe.8"
completion() { # shell, where its files are
    mkdir -p "$share/${2%/*}"
    shtab --shell="$1" polltrace.grammar.build_parser >"$share/$2"
}
completion bash bash-completion/completions/polltrace
completion zsh zsh/site-functions/_polltrace
completion fish fish/vendor_completions.d/polltrace.fish

python -m build --wheel --no-isolation --outdir "$work/wheel" . >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
# Checks which glibc the executables need, and says so in the wheel's name.
auditwheel repair --wheel-dir dist "$work"/wheel/*.whl >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
wheel=$(echo dist/*.whl)

# Without the hashes: pip wants all or none, and the wheel just built has none.
sed 's/ *\\$//; /^ *--hash/d' requirements.lock >"$work/pins"
pex "${wheel}[drivers]" --console-script polltrace --venv prepend --constraints "$work/pins" \
    --python-shebang "/usr/bin/env python3" --no-use-system-time --output-file dist/polltrace.pex

version=$(basename "$wheel" | cut -d- -f2)
mkdir "$work/deb"
cp -r packaging/debian packaging/grafana packaging/prometheus "$wheel" "$work/deb/"
sed 's|/opt/polltrace/bin/|/usr/bin/|' packaging/systemd/polltrace-exporter.service \
    >"$work/deb/debian/polltrace.polltrace-exporter.service"
cat >"$work/deb/debian/changelog" <<END
polltrace ($(echo "$version" | sed 's/\.dev/~dev/')) unstable; urgency=medium

  * See CHANGELOG.md.

 -- polltrace <root@localhost>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
(cd "$work/deb" && dpkg-buildpackage --build=binary --no-sign >"$work/log" 2>&1) ||
    { cat "$work/log" >&2; exit 1; }
cp "$work"/polltrace_*.deb dist/
cp probes/build/polltrace-probe dist/
python packaging/sbom.py >dist/polltrace.cdx.json
ls -l dist
