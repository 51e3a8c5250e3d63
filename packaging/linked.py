# SPDX-License-Identifier: GPL-2.0-or-later
"""List Debian's later fixes in the libraries that our executables contain.

Each library of the bill of materials is compared with the newest version that apt knows: run
`apt-get update` first. For an older one the newer package is downloaded, and the CVEs that its
changelog names since are printed. Exit code 1: something is to be rebuilt. Problems that
Debian has not fixed yet are not listed; its security tracker has them.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BILL = ROOT / "dist/polltrace.cdx.json"
# Its source is compiled in; the library's binary package has the same version and changelog.
SQLITE, SQLITE_PACKAGE = ROOT / "lab/build/sqlite/version", "libsqlite3-0"
_ENTRY = re.compile(r"^\S+ \(([^)]+)\)")
_CVE = re.compile(r"CVE-\d{4}-\d{4,}")


def built_in() -> Iterator[tuple[str, str]]:
    """Debian package and version of each library."""
    if not BILL.exists():
        raise SystemExit(f"linked: there is no {BILL.relative_to(ROOT)}: run 'make packages'")
    for part in json.loads(BILL.read_text())["components"]:
        if part["purl"].startswith("pkg:deb/"):
            yield part["name"], part["version"]
    if not SQLITE.exists():
        raise SystemExit(
            "linked: the version of SQLite was not kept: remove lab/build/sqlite and "
            "run 'make packages'"
        )
    yield SQLITE_PACKAGE, SQLITE.read_text().strip()


def _output(*command: str, folder: str | None = None) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def newest(package: str) -> str:
    candidate = re.search(r"Candidate: (\S+)", _output("apt-cache", "policy", package))
    if candidate is None:
        raise SystemExit(f"linked: apt knows no {package}")
    return candidate[1]


def is_newer(version: str, reference: str) -> bool:
    return (
        subprocess.run(
            ["dpkg", "--compare-versions", version, "gt", reference], check=False
        ).returncode
        == 0
    )


def changelog(package: str) -> str:
    """The changelog of the package's newest version, which is downloaded, not installed."""
    with tempfile.TemporaryDirectory() as room:
        _output("apt-get", "download", "-q", package, folder=room)
        (deb,) = Path(room).glob("*.deb")
        _output("dpkg-deb", "-x", str(deb), f"{room}/tree")
        path = Path(room, f"tree/usr/share/doc/{package}/changelog.Debian.gz")
        return gzip.decompress(path.read_bytes()).decode(errors="replace")


def fixed_since(text: str, version: str) -> list[str]:
    """CVEs in the entries of a Debian changelog that are newer than this version."""
    cves: set[str] = set()
    newer = False
    for line in text.splitlines():
        if entry := _ENTRY.match(line):
            newer = is_newer(entry[1], version)
        if newer:
            cves.update(_CVE.findall(line))
    return sorted(cves)


def main() -> int:
    old = 0
    for package, version in built_in():
        available = newest(package)
        if not is_newer(available, version):
            print(f"newest  {package} {version}")
            continue
        old += 1
        fixed = fixed_since(changelog(package), version)
        print(
            f"OLD     {package} {version}, Debian has {available}: {', '.join(fixed) or 'no CVE'}"
        )
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
