# SPDX-License-Identifier: GPL-2.0-or-later
"""What we are permitted: capabilities, ptrace, lockdown, namespaces."""

from __future__ import annotations

from polltrace.doctor.finding import Finding, finding
from polltrace.doctor.host import Host

_CAPABILITIES = {"CAP_SYS_PTRACE": 19, "CAP_SYS_ADMIN": 21, "CAP_PERFMON": 38, "CAP_BPF": 39}
_FIRST_PID_NAMESPACE = "pid:[4026531836]"  # a constant of the kernel (proc_ns.h)
_AS_ROOT = "sudo polltrace …"


def held(host: Host) -> frozenset[str]:
    """Those of our effective capabilities that matter here."""
    text = (host.read("/proc/self/status") or "").partition("\nCapEff:")[2].split()
    bits = int(text[0], 16) if text else 0
    return frozenset(name for name, bit in _CAPABILITIES.items() if bits >> bit & 1)


def may_trace(host: Host) -> bool:
    """Whether a probe may be attached and samples taken."""
    return "CAP_SYS_ADMIN" in held(host) or {"CAP_BPF", "CAP_PERFMON"} <= held(host)


def capabilities(host: Host) -> Finding:
    names = ", ".join(sorted(held(host))) or "none of those that matter"
    enables = "attaching the probe (CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN)"
    return finding("capabilities", may_trace(host), names, enables, _AS_ROOT)


def ptrace_scope(host: Host) -> Finding:
    enables = "stop-at and the strace backend, on processes that we did not start"
    scope = (host.read("/proc/sys/kernel/yama/ptrace_scope") or "0").strip()
    found = f"ptrace_scope {scope}"
    if scope == "3":
        mend = "none: 3 lasts until the next boot (kernel.yama.ptrace_scope in /etc/sysctl.d)"
        return finding("ptrace", False, found, enables, mend)
    if "CAP_SYS_PTRACE" in held(host):
        return finding("ptrace", True, found, enables, "")
    if scope == "0":
        found += ", own processes only"
        return finding("ptrace", True, found, enables, "")
    return finding("ptrace", False, found, enables, _AS_ROOT)


def lockdown(host: Host) -> Finding:
    enables = "reading what is behind a descriptor, from BPF"
    text = host.read("/sys/kernel/security/lockdown")
    if text is None:
        mend = "mount -t securityfs securityfs /sys/kernel/security"
        return finding("lockdown", None, "not to be seen", enables, mend)
    mode = text.partition("[")[2].partition("]")[0]
    mend = "none while the system runs: boot without lockdown=confidentiality"
    return finding("lockdown", mode != "confidentiality", mode or "none", enables, mend)


def pid_namespace(host: Host) -> Finding:
    enables = "seeing the host's processes by the host's PIDs"
    link = host.link("/proc/self/ns/pid")
    if not link:
        mend = "mount -t proc proc /proc"
        return finding("PID namespace", None, "no /proc", enables, mend)
    own = link != _FIRST_PID_NAMESPACE
    mend = "run on the host, or in a container started with --pid=host"
    return finding("PID namespace", not own, "its own" if own else "the host's", enables, mend)
