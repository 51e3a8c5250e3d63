# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of permissions: capabilities, ptrace, lockdown, namespaces."""

from __future__ import annotations

from polltrace.containers import FIRST_PID_NAMESPACE
from polltrace.doctor.host import ExaminedHost
from polltrace.doctor.prerequisite import Prerequisite, prerequisite
from polltrace.privileges import STAYS_ROOT, invoking_user

_CAPABILITIES = {"CAP_SETGID": 6, "CAP_SETUID": 7, "CAP_SETPCAP": 8, "CAP_SYS_PTRACE": 19}
_CAPABILITIES |= {"CAP_SYS_ADMIN": 21, "CAP_PERFMON": 38, "CAP_BPF": 39}
_AS_ROOT = "sudo polltrace …"
_BY_SUDO = "sudo polltrace …, from an account of your own"
_TO_CHANGE_USER = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")


def held(host: ExaminedHost) -> frozenset[str]:
    """The effective capabilities of this process that polltrace uses."""
    text = (host.read("/proc/self/status") or "").partition("\nCapEff:")[2].split()
    bits = int(text[0], 16) if text else 0
    return frozenset(name for name, bit in _CAPABILITIES.items() if bits >> bit & 1)


def may_trace(host: ExaminedHost) -> bool:
    """True if a probe may be attached and samples taken."""
    return "CAP_SYS_ADMIN" in held(host) or {"CAP_BPF", "CAP_PERFMON"} <= held(host)


def capabilities(host: ExaminedHost) -> Prerequisite:
    names = ", ".join(sorted(held(host))) or "none that polltrace uses"
    enables = "attaching the probe (CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN)"
    return prerequisite("capabilities", may_trace(host), names, enables, _AS_ROOT)


def after_sudo(host: ExaminedHost) -> Prerequisite:
    """The check that commands give up root, with those that cannot."""
    enables = "observing without root's write access, as the user who called sudo"
    status = host.read("/proc/self/status") or ""
    if status.partition("\nUid:\t")[2].split()[:1] != ["0"]:
        return prerequisite("root given up", True, "not root", enables, "")
    user = invoking_user({"SUDO_UID": host.variable("SUDO_UID")})
    if user is None:
        detail = "root, but not by sudo: every command keeps root"
        return prerequisite("root given up", None, detail, enables, _BY_SUDO)
    lacking = [capability for capability in _TO_CHANGE_USER if capability not in held(host)]
    if lacking:
        detail = f"without {', '.join(lacking)} every command keeps root"
        return prerequisite("root given up", False, detail, enables, "grant these to the container")
    detail = (
        f"to {user.name}; kept by: {'; '.join(f'{k} ({why})' for k, why in STAYS_ROOT.items())}"
    )
    return prerequisite("root given up", True, detail, enables, "")


def ptrace_scope(host: ExaminedHost) -> Prerequisite:
    enables = "stop-at and the ptrace backend, on processes that polltrace did not start"
    scope = (host.read("/proc/sys/kernel/yama/ptrace_scope") or "0").strip()
    detail = f"ptrace_scope {scope}"
    if scope == "3":
        fix = "none: 3 lasts until the next boot (kernel.yama.ptrace_scope in /etc/sysctl.d)"
        return prerequisite("ptrace", False, detail, enables, fix)
    if "CAP_SYS_PTRACE" in held(host):
        return prerequisite("ptrace", True, detail, enables, "")
    if scope == "0":
        detail += ", own processes only"
        return prerequisite("ptrace", True, detail, enables, "")
    return prerequisite("ptrace", False, detail, enables, _AS_ROOT)


def lockdown(host: ExaminedHost) -> Prerequisite:
    enables = "reading the file behind a descriptor, from BPF"
    text = host.read("/sys/kernel/security/lockdown")
    if text is None:
        fix = "mount -t securityfs securityfs /sys/kernel/security"
        return prerequisite("lockdown", None, "not visible", enables, fix)
    mode = text.partition("[")[2].partition("]")[0]
    fix = "none while the system runs: boot without lockdown=confidentiality"
    return prerequisite("lockdown", mode != "confidentiality", mode or "none", enables, fix)


def pid_namespace(host: ExaminedHost) -> Prerequisite:
    enables = "seeing the host's processes by the host's PIDs"
    link = host.link("/proc/self/ns/pid")
    if not link:
        fix = "mount -t proc proc /proc"
        return prerequisite("PID namespace", None, "no /proc", enables, fix)
    is_own = link != FIRST_PID_NAMESPACE
    fix = "run on the host, or in a container started with --pid=host"
    return prerequisite(
        "PID namespace", not is_own, "its own" if is_own else "the host's", enables, fix
    )
