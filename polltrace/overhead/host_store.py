# SPDX-License-Identifier: GPL-2.0-or-later
"""The factors of this host on disk, by kernel and processor, as `calibrate` stores them."""

from __future__ import annotations

import contextlib
import json
import os
import platform
from functools import cache
from pathlib import Path

from polltrace.errors import FileError
from polltrace.overhead.host_factors import HostFactors

FORMAT, VERSION = "polltrace-host", 1
# The factors are valid for every user of the host, so root's file is read first.
SYSTEM_FILE = Path("/var/lib/polltrace/host.json")
_LARGEST_FILE = 1 << 20
_MOST_HOSTS = 64


def host_key() -> str:
    """The kernel's release and the processor's model, to which the factors belong."""
    return f"{platform.release()}, {processor()}"


def processor() -> str:
    """The processor's model by /proc/cpuinfo, or the architecture where that has none."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def store_files() -> list[Path]:
    """The files that may have factors, in the order of reading."""
    if override := os.environ.get("POLLTRACE_HOST_FILE"):
        return [Path(override)]
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return [SYSTEM_FILE, state / "polltrace" / "host.json"]


@cache
def this_host() -> HostFactors | None:
    """The factors of this host; None where they were not measured, or no file can be read."""
    for path in store_files():
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RuntimeError):
            if factors := _hosts(path).get(host_key()):
                return HostFactors.of(factors)
    return None


def store(factors: HostFactors) -> Path:
    """Keep the factors of this host, in the file of the system for root, else in the user's own.

    Raises FileError.
    """
    path = store_files()[0 if os.geteuid() == 0 else -1]
    try:
        hosts = _hosts(path)
    except (OSError, ValueError, RecursionError):
        hosts = {}
    hosts.pop(host_key(), None)
    newest = [*hosts.items()][-_MOST_HOSTS + 1 :]
    data = {"format": FORMAT, "version": VERSION}
    text = json.dumps({**data, "hosts": dict([*newest, (host_key(), factors.data())])}, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".new")
        temporary.write_text(text + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}") from None
    this_host.cache_clear()
    return path


def _hosts(path: Path) -> dict[str, dict[str, object]]:
    """Raises OSError or ValueError for a file that has no such factors."""
    with path.open("rb") as file:
        text = file.read(_LARGEST_FILE + 1)
    data = json.loads(text)
    if len(text) > _LARGEST_FILE or not isinstance(data, dict):
        raise ValueError("not factors of hosts")
    hosts = data.get("hosts")
    if (data.get("format"), data.get("version")) != (FORMAT, VERSION) or not isinstance(
        hosts, dict
    ):
        raise ValueError("not factors of hosts")
    return hosts
