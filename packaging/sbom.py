# SPDX-License-Identifier: GPL-2.0-or-later
"""A bill of materials (CycloneDX JSON, to stdout): the contents of the packages.

Three kinds of parts: the Python packages inside dist/polltrace.pex, the Debian libraries that are
linked into our executables, and SQLite, which is compiled into the lab.
docs/learn/install.md names them all, and tests/packages compares.
"""

import os
import platform
import re
import subprocess
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.spdx import is_supported_id
from packageurl import PackageURL

ROOT = Path(__file__).parents[1]
# Debian package: the executable it is linked into, its licence. libssl-dev has libcrypto, too.
LINKED = {
    "libbpf-dev": ("polltrace-probe", "LGPL-2.1-only OR BSD-2-Clause"),
    "libelf-dev": ("polltrace-probe", "GPL-2.0-or-later OR LGPL-3.0-or-later"),
    "zlib1g-dev": ("polltrace-probe", "Zlib"),
    "libc6-dev": ("polltrace-probe", "LGPL-2.1-or-later"),
    "libssl-dev": ("oralab", "Apache-2.0"),
}
PEX = ROOT / "dist/polltrace.pex"
_METADATA = re.compile(r"\.deps/[^/]+/[^/]+\.dist-info/METADATA")
# Of packages that say no licence expression yet. The GPL's classifier names no version:
# python-ptrace, which has it, brings the text of version 2.
_CLASSIFIED = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: GNU General Public License (GPL)": "GPL-2.0-only",
}


def _debian_part(package: str, inside: str, licence: str) -> Component:
    """A Debian package as a component, with the source package and release that advisories name."""
    query = ["dpkg-query", "-W", "-f", "${Version} ${source:Package}", package]
    answer = subprocess.run(query, check=True, capture_output=True, text=True).stdout
    version, source = answer.split()
    release = platform.freedesktop_os_release()
    distro = f"{release['ID']}-{release.get('VERSION_ID', 'sid')}"
    purl = PackageURL("deb", "debian", package, version, {"distro": distro, "upstream": source})
    return _part(purl, inside, licence)


def _sqlite_version() -> str:
    header = (ROOT / "lab/build/sqlite/sqlite3.h").read_text()
    match = re.search(r'#define SQLITE_VERSION +"([^"]+)"', header)
    if match is None:
        raise SystemExit("sqlite3.h has no SQLITE_VERSION")
    return match[1]


def _python_parts() -> Iterator[Component]:
    """The packages in polltrace.pex by their own metadata, without polltrace."""
    with zipfile.ZipFile(PEX) as pex:
        for name in sorted(filter(_METADATA.fullmatch, pex.namelist())):
            metadata = message_from_bytes(pex.read(name))
            if metadata["Name"] == "polltrace":
                continue
            classified = (
                _CLASSIFIED.get(classifier) for classifier in metadata.get_all("Classifier", [])
            )
            valid_licence = (
                metadata["License"] if is_supported_id(metadata["License"] or "") else None
            )
            licence = (
                metadata["License-Expression"]
                or valid_licence
                or next(filter(None, classified), None)
            )
            if licence is None:
                raise SystemExit(f"{metadata['Name']} does not say its licence")
            project = metadata["Name"].lower().replace("_", "-")
            yield _part(
                PackageURL("pypi", None, project, metadata["Version"]), "polltrace.pex", licence
            )


def _part(purl: PackageURL, inside: str, licence: str, cpe: str | None = None) -> Component:
    return Component(
        type=ComponentType.LIBRARY,
        name=purl.name,
        version=purl.version,
        purl=purl,
        cpe=cpe,
        bom_ref=str(purl),
        description=f"inside {inside}",
        licenses=[LicenseExpression(licence)],
    )


def parts() -> list[Component]:
    """Every part, with its version on the machine that builds."""
    sqlite = _sqlite_version()
    cpe = f"cpe:2.3:a:sqlite:sqlite:{sqlite}:*:*:*:*:*:*:*"
    return [
        *_python_parts(),
        *(_debian_part(name, *about) for name, about in LINKED.items()),
        _part(PackageURL("generic", None, "sqlite", sqlite), "oralab", "blessing", cpe),
    ]


def bill() -> Bom:
    """The bill of materials, reproducible: it has no time and no random number."""
    components = parts()
    names = " ".join(str(component.purl) for component in components)
    built = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    return Bom(
        components=components,
        serial_number=uuid5(NAMESPACE_URL, names),
        metadata=BomMetaData(timestamp=built),
    )


print(JsonV1Dot6(bill()).output_as_string(indent=2))
