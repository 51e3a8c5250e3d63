# SPDX-License-Identifier: GPL-2.0-or-later
"""A bill of materials (CycloneDX JSON, to stdout): what is inside what we hand over.

Three kinds of parts: the Python packages of requirements.lock (inside polltrace.pex), the Debian
libraries that are linked into our executables, and SQLite, which is compiled into the lab.
"""

import os
import re
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).parents[1]
# Debian package: the executable it is linked into, its licence.
LINKED = {
    "libbpf-dev": ("polltrace-probe", "LGPL-2.1-only OR BSD-2-Clause"),
    "libelf-dev": ("polltrace-probe", "GPL-2.0-or-later OR LGPL-3.0-or-later"),
    "zlib1g-dev": ("polltrace-probe", "Zlib"),
    "libc6-dev": ("polltrace-probe", "LGPL-2.1-or-later"),
    "libssl-dev": ("oralab", "Apache-2.0"),
}
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def _debian_version(package: str) -> str:
    query = ["dpkg-query", "-W", "-f", "${Version}", package]
    return subprocess.run(query, check=True, capture_output=True, text=True).stdout


def _sqlite_version() -> str:
    header = (ROOT / "scenarios/lab/build/sqlite/sqlite3.h").read_text()
    found = re.search(r'#define SQLITE_VERSION +"([^"]+)"', header)
    if found is None:
        raise SystemExit("sqlite3.h has no SQLITE_VERSION")
    return found[1]


def _python_licence(package: str) -> str | None:
    try:
        said = metadata(package).get_all("License-Expression")
    except PackageNotFoundError:  # pinned for another platform
        return None
    return said[0] if said else None


def _part(kind: str, name: str, version: str, inside: str, licence: str | None) -> Component:
    purl = PackageURL(kind, "debian" if kind == "deb" else None, name, version)
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
        description=f"inside {inside}",
        licenses=[LicenseExpression(licence)] if licence else None,
    )


def parts() -> list[Component]:
    """Every part, with its version on the machine that builds."""
    pins = _PIN.findall((ROOT / "requirements.lock").read_text())
    return [
        *(
            _part("pypi", name, version, "polltrace.pex", _python_licence(name))
            for name, version in pins
        ),
        *(_part("deb", name, _debian_version(name), *about) for name, about in LINKED.items()),
        _part("generic", "sqlite", _sqlite_version(), "oralab", "blessing"),
    ]


def bill() -> Bom:
    """The same bill for the same parts at the same commit: no clock, no chance."""
    components = parts()
    names = " ".join(str(component.purl) for component in components)
    built = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    return Bom(
        components=components,
        serial_number=uuid5(NAMESPACE_URL, names),
        metadata=BomMetaData(timestamp=built),
    )


print(JsonV1Dot6(bill()).output_as_string(indent=2))
