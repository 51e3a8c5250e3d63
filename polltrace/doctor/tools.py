# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of the programs that polltrace starts: its own, and bcc's prerequisites."""

from __future__ import annotations

import os

from polltrace.doctor.host import ExaminedHost
from polltrace.doctor.prerequisite import Prerequisite, prerequisite
from polltrace.errors import HostError
from polltrace.executables import SYSTEM_PYTHON, find_executable

_BUILD = "make build"


def bcc(host: ExaminedHost) -> Prerequisite:
    """bcc's module for the system's Python, and the headers of the running kernel."""
    enables = "stat --backend bcc, for kernels without type information"
    release = os.uname().release
    deb = host.which("apt-get") is not None
    if host.output(SYSTEM_PYTHON, "-I", "-c", "import bcc")[0] != 0:
        package = "python3-bpfcc" if deb else "python3-bcc"
        return prerequisite(
            "bcc", False, f"no module for {SYSTEM_PYTHON}", enables, _install(host, package)
        )
    headers = [f"/lib/modules/{release}/build", "/sys/kernel/kheaders.tar.xz"]
    path = next((path for path in headers if host.exists(path)), None)
    kernel = "kernel-uek" if "uek" in release else "kernel"  # Oracle's own, by its release
    package = f"linux-headers-{release}" if deb else f"{kernel}-devel-{release}"
    detail = path or f"no headers: no {headers[0]}"
    return prerequisite("bcc", path is not None, detail, enables, _install(host, package))


def _install(host: ExaminedHost, package: str) -> str:
    for manager in ("apt-get", "dnf", "yum", "zypper", "apk"):
        if host.which(manager):
            action = "add" if manager == "apk" else "install"
            return f"{manager} {action} {package}"
    return f"install the package {package}"


def probe_path() -> str | None:
    """The probe, None where it is not built."""
    return _find("polltrace-probe")


def built(name: str, path: str | None, enables: str) -> Prerequisite:
    """The check of an executable of polltrace; `path` is None where it is not built."""
    return prerequisite(name, path is not None, path or "not built", enables, _BUILD)


def ours() -> list[Prerequisite]:
    """Every executable of polltrace's."""
    return [
        built("polltrace-probe", probe_path(), "every command that observes a process"),
        built(
            "polltrace-calibrate",
            _find("polltrace-calibrate"),
            "advise: the cost per poll on this host",
        ),
        built("lab", _find("oralab"), "demo and lab"),
    ]


def _find(name: str) -> str | None:
    try:
        return find_executable(name)
    except HostError:
        return None
