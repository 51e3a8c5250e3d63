# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel offers: type information, probes of each kind, samples, uprobes."""

from __future__ import annotations

from polltrace.doctor.finding import Finding, State, finding
from polltrace.doctor.host import Host
from polltrace.doctor.permissions import held, may_trace

_BACKEND = "polltrace stat --backend strace -p PID (counts, no price)"
_VARIANTS = {
    "fentry": "counting at no cost to other processes",
    "tp_btf": "counting, exactly",
    "raw_tp": "counting, exactly, a little dearer than tp_btf",
    "tracepoint": "counting, exactly, dearer still",
}


def type_information(host: Host) -> Finding:
    path = "/sys/kernel/btf/vmlinux"
    there = host.exists(path)
    mend = f"a kernel with CONFIG_DEBUG_INFO_BTF=y; until then {_BACKEND}"
    return finding("BTF", there, path if there else f"no {path}", "every eBPF probe", mend)


def variants(host: Host, probe: str | None) -> list[Finding]:
    """Each variant of the probe, tried for real by the probe itself."""
    if probe is None:
        mend = "make build"
        return [
            finding(f"probe {name}", None, "the probe is not built", what, mend)
            for name, what in _VARIANTS.items()
        ]
    code, text = host.output(probe, "--variants")
    answers = dict(line.split(maxsplit=1) for line in text.splitlines() if len(line.split()) > 1)
    found = []
    for name, what in _VARIANTS.items():
        answer = answers.get(name, "").strip()
        if code != 0 or not answer:
            said = text.strip().splitlines()[0] if text.strip() else f"exit code {code}"
            found.append(finding(f"probe {name}", None, said, what, "sudo polltrace doctor"))
        else:
            others = [n for n in _VARIANTS if answers.get(n, "").strip() == "yes"]
            mend = f"not needed: {others[0]} is used instead" if others else _BACKEND
            found.append(finding(f"probe {name}", answer == "yes", answer, what, mend))
    return found


def works(found: list[Finding]) -> bool:
    """Whether the default backend does: one variant is enough."""
    return any(each.state is State.OK for each in found)


def sampling(host: Host) -> Finding:
    enables = "stacks --at cpu, advise: what the check costs in all"
    paranoid = host.read("/proc/sys/kernel/perf_event_paranoid")
    if paranoid is None:
        mend = "a kernel with CONFIG_PERF_EVENTS=y"
        return finding("perf sampling", False, "no perf_event_paranoid", enables, mend)
    found = f"perf_event_paranoid {paranoid.strip()}"
    if may_trace(host) and "CAP_SYS_ADMIN" not in held(host) and int(paranoid) > 2:
        # A patch of Debian's; other kernels take it for 2.
        found += ": CAP_SYS_ADMIN is needed too on Debian's kernels"
        mend = "sudo polltrace …, or sudo sysctl kernel.perf_event_paranoid=2"
        return finding("perf sampling", None, found, enables, mend)
    return finding("perf sampling", may_trace(host), found, enables, "sudo polltrace …")


def uprobes(host: Host) -> Finding:
    path = "/sys/bus/event_source/devices/uprobe"
    there = host.exists(path)
    mend = "a kernel with CONFIG_UPROBE_EVENTS=y; until then the skip is read from sqlnet.ora"
    enables = "advise, record: counting checks, which tells the skip in force"
    return finding("uprobes", there, path if there else f"no {path}", enables, mend)
