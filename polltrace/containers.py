# SPDX-License-Identifier: GPL-2.0-or-later
"""The limits that a container sets to polltrace inside of it, and the options that lift them.

Sources: namespaces(7), pid_namespaces(7), user_namespaces(7), proc(5) (hidepid), seccomp(2),
capabilities(7); the options are those of docker-run(1), podman-run(1) and Kubernetes' Pod API.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

FIRST_PID_NAMESPACE = "pid:[4026531836]"  # a constant of the kernel (proc_ns.h)
_ALL_USERS = ["0", "0", "4294967295"]  # the map of the first user namespace
_CAP_SYS_PTRACE, _CAP_SYS_ADMIN, _CAP_PERFMON, _CAP_BPF = 19, 21, 38, 39
_FILTERED = "2"  # Seccomp: in /proc/PID/status
# Left by Docker and by Podman in each of their containers.
_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a container.

    - `reason`: the clause that names it
    - `option`: of docker run and podman run
    - `kubernetes`: the field of a Pod, with its value
    """

    reason: str
    option: str
    kubernetes: str

    def __str__(self) -> str:
        return f"{self.reason}: start it with {self.option} (Kubernetes: {self.kubernetes})"


OWN_PIDS = Limit(
    "polltrace is in a PID namespace of its own, as in a container, and sees no process outside",
    "--pid=host",
    "hostPID: true",
)
HIDEPID = Limit(
    "/proc is mounted with hidepid, which hides other users' processes from whoever lacks "
    "CAP_SYS_PTRACE (run polltrace as root)",
    "--cap-add=SYS_PTRACE",
    "securityContext: {capabilities: {add: [SYS_PTRACE]}}",
)
USER_NAMESPACE = Limit(
    "polltrace is root of a user namespace only, as in a rootless container, and the kernel gives "
    "BPF to root of the host alone",
    "sudo podman run or a rootful Docker daemon",
    "hostUsers: true",
)
CAPABILITIES = Limit(
    "polltrace is root already, but without these capabilities, as in a container",
    "--cap-add=BPF --cap-add=PERFMON --cap-add=SYS_PTRACE --cap-add=SYS_RESOURCE",
    "securityContext: {capabilities: {add: [BPF, PERFMON, SYS_PTRACE, SYS_RESOURCE]}}",
)
SECCOMP = Limit(
    "a system-call filter is in force, as in a container, and may be what refuses",
    "--security-opt seccomp=unconfined",
    "securityContext: {seccompProfile: {type: Unconfined}}",
)
NO_BTF = Limit(
    "polltrace is in a container, where the kernel's type information may just not be visible",
    "-v /sys/kernel/btf:/sys/kernel/btf:ro",
    "a hostPath volume of /sys/kernel/btf",
)


def hidden_processes() -> str:
    """The reason for which polltrace cannot see all processes of the host, with the way out; empty
    where it sees all.
    """
    status = _status()
    if not status:
        return (
            "there is no /proc here for polltrace's own process: mount it (mount -t proc proc "
            "/proc; docker run does by itself)"
        )
    reasons = []
    if _link("/proc/self/ns/pid") not in ("", FIRST_PID_NAMESPACE) and _sees_own_pids(status):
        reasons.append(str(OWN_PIDS))
    if hides_processes(_text("/proc/self/mountinfo")) and not _holds(status, _CAP_SYS_PTRACE):
        reasons.append(str(HIDEPID))
    return "; ".join(reasons)


def refused_probe() -> str:
    """The reason, in root's container, for which the kernel refuses the probe, with the way out;
    empty where polltrace is not root, or no container is to blame.
    """
    status = _status()
    if os.geteuid() != 0 or not status:
        return ""
    if _text("/proc/self/uid_map").split() != _ALL_USERS:
        return str(USER_NAMESPACE)
    may_probe = _holds(status, _CAP_SYS_ADMIN) or (
        _holds(status, _CAP_BPF) and _holds(status, _CAP_PERFMON)
    )
    if not may_probe:
        return str(CAPABILITIES)
    return str(SECCOMP) if status.get("Seccomp") == _FILTERED else ""


def hidden_btf() -> str:
    """The reason for which the kernel's type information may be hidden, with the way out; empty
    outside of containers.
    """
    return str(NO_BTF) if in_container() else ""


def in_container() -> bool:
    """True in a container of Docker or Podman, or in a PID or user namespace of another kind."""
    return (
        any(mark.exists() for mark in _MARKS)
        or _link("/proc/self/ns/pid") not in ("", FIRST_PID_NAMESPACE)
        or _text("/proc/self/uid_map").split() not in ([], _ALL_USERS)
    )


def hides_processes(mountinfo: str) -> bool:
    """True if the /proc of this `mountinfo` (proc(5)) hides other users' processes."""
    of_proc = [line for line in mountinfo.splitlines() if re.match(r"\S+ \S+ \S+ \S+ /proc ", line)]
    # The last mount at a place covers those before it.
    options = of_proc[-1].partition(" - ")[2] if of_proc else ""
    hidden = re.search(r"\bhidepid=([^,\s]+)", options)
    return hidden is not None and hidden[1] not in ("0", "off")


def _sees_own_pids(status: dict[str, str]) -> bool:
    """True if /proc is that of the innermost PID namespace, and not of one around it."""
    return len(status.get("NSpid", "").split()) <= 1


def _holds(status: dict[str, str], capability: int) -> bool:
    return bool(int(status.get("CapEff", "0"), 16) >> capability & 1)


def _status() -> dict[str, str]:
    """The fields of /proc/self/status; empty where there is none."""
    lines = (line.partition(":") for line in _text("/proc/self/status").splitlines())
    return {name: value.strip() for name, _, value in lines}


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
