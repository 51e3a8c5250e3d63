# SPDX-License-Identifier: GPL-2.0-or-later
"""A file about this host's kernel, for those who make polltrace work on kernels that they lack.

It has the kernel's release, configuration and type information, its settings that limit BPF, and
the state of each check. It has no name of the host, a user, a process or a database, and no path.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from polltrace import __version__
from polltrace.doctor.host import ExaminedHost
from polltrace.doctor.prerequisite import Prerequisite
from polltrace.errors import FileError

BTF = Path("/sys/kernel/btf/vmlinux")
_SETTINGS = (
    "/proc/sys/kernel/unprivileged_bpf_disabled",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/kernel/kptr_restrict",
    "/proc/sys/kernel/yama/ptrace_scope",
    "/proc/sys/net/core/bpf_jit_enable",
    "/proc/sys/net/core/bpf_jit_harden",
    "/sys/kernel/security/lockdown",
    "/sys/kernel/security/lsm",
    "/sys/devices/system/cpu/possible",
    "/proc/filesystems",
)
# Of /etc/os-release: the distribution alone; other fields may name an organization.
_DISTRIBUTION = ("ID", "VERSION_ID", "ID_LIKE")


def write_bundle(
    path: Path, host: ExaminedHost, prerequisites: Sequence[Prerequisite], variants: str
) -> list[str]:
    """Write the bundle, a gzip-compressed tar file that only its owner may read; the names of its
    members. `variants` is the probe's own account of the ways to attach it.

    Raises FileError where it cannot be written, or something is there already.
    """
    members = dict(_members(host, prerequisites, variants))
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members.items():
            # Neither times nor owners: a default member has none.
            member = tarfile.TarInfo(f"polltrace-kernel/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}") from None
    try:
        with open(descriptor, "wb") as file:
            file.write(packed.getvalue())
    except OSError as error:
        path.unlink(missing_ok=True)  # part of an archive is none
        raise FileError(f"cannot write {path}: {error.strerror}") from None
    return list(members)


def _members(
    host: ExaminedHost, prerequisites: Sequence[Prerequisite], variants: str
) -> Iterator[tuple[str, bytes]]:
    system = os.uname()
    about = {
        "polltrace": __version__,
        "release": system.release,
        "version": system.version,
        "machine": system.machine,
        "distribution": _distribution(host.read("/etc/os-release") or ""),
        "settings": {path: host.read(path) for path in _SETTINGS},
        "checks": {check.name: check.state.value for check in prerequisites},
        "variants": variants.splitlines(),
    }
    yield "about.json", json.dumps(about, indent=1).encode()
    if (config := _config(host, system.release)) is not None:
        yield "config", config
    with contextlib.suppress(OSError):  # the check of BTF states that there is none
        yield "vmlinux.btf", BTF.read_bytes()


def _distribution(os_release: str) -> dict[str, str]:
    lines = (line.partition("=") for line in os_release.splitlines())
    return {name: value.strip('"') for name, _, value in lines if name in _DISTRIBUTION}


def _config(host: ExaminedHost, release: str) -> bytes | None:
    """The kernel's configuration, None where it is nowhere."""
    try:
        return gzip.decompress(Path("/proc/config.gz").read_bytes())
    except (OSError, EOFError):
        text = host.read(f"/boot/config-{release}") or host.read(f"/lib/modules/{release}/config")
        return None if text is None else text.encode()
