# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that we start: our own, strace, and what bcc needs."""

from __future__ import annotations

import os
import re

from polltrace.doctor.finding import Finding, finding
from polltrace.doctor.host import Host
from polltrace.errors import HostError
from polltrace.executables import SYSTEM_PYTHON, find_executable

_BUILD = "make build"


def strace(host: Host) -> Finding:
    enables = "stat and stacks --backend strace, where no eBPF is to be had"
    path = host.which("strace")
    if path is None:
        return finding("strace", False, "not installed", enables, _install(host, "strace"))
    said = host.output(path, "-V")[1]
    version = re.search(r"version ([\w.]+)", said)
    if version is None:
        return finding("strace", None, f"{path} says no version", enables, "strace -V")
    # "stack-trace=libunwind" or libdw, plain "stack-unwind" before 4.21; before 4.13 no such line.
    unwinder = re.search(r"stack-(?:trace=(\w+)|unwind)", said)
    by = f" ({unwinder[1]})" if unwinder and unwinder[1] else ""
    stacks = f"with stacks{by}" if unwinder else "without stacks (no -k)"
    return finding("strace", True, f"{path}, version {version[1]}, {stacks}", enables, "")


def bcc(host: Host) -> Finding:
    """Its module for the system's Python, and the headers of the kernel that runs."""
    enables = "stat --backend bcc, for kernels without type information"
    release = os.uname().release
    deb = host.which("apt-get") is not None
    if host.output(SYSTEM_PYTHON, "-I", "-c", "import bcc")[0] != 0:
        package = "python3-bpfcc" if deb else "python3-bcc"
        return finding(
            "bcc", False, f"no module for {SYSTEM_PYTHON}", enables, _install(host, package)
        )
    headers = [f"/lib/modules/{release}/build", "/sys/kernel/kheaders.tar.xz"]
    there = next((path for path in headers if host.exists(path)), None)
    package = f"linux-headers-{release}" if deb else f"kernel-devel-{release}"
    found = there or f"no headers: no {headers[0]}"
    return finding("bcc", there is not None, found, enables, _install(host, package))


def _install(host: Host, package: str) -> str:
    for manager in ("apt-get", "dnf", "yum", "zypper", "apk"):
        if host.which(manager):
            verb = "add" if manager == "apk" else "install"
            return f"{manager} {verb} {package}"
    return f"install the package {package}"


def probe_path() -> str | None:
    """The probe, None where it is not built."""
    return _find("polltrace-probe")


def built(name: str, path: str | None, enables: str) -> Finding:
    """One of our executables, found at `path` or not."""
    return finding(name, path is not None, path or "not built", enables, _BUILD)


def ours() -> list[Finding]:
    """Every executable of ours."""
    return [
        built("polltrace-probe", probe_path(), "everything that watches a process"),
        built(
            "polltrace-price", _find("polltrace-price"), "advise: what a poll costs on this host"
        ),
        built("lab", _find("oralab"), "demo and lab"),
    ]


def _find(name: str) -> str | None:
    try:
        return str(find_executable(name))
    except HostError:
        return None
