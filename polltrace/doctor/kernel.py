# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of the kernel: type information, each kind of probe, sampling, uprobes."""

from __future__ import annotations

from polltrace.doctor.host import ExaminedHost
from polltrace.doctor.permissions import held, may_trace
from polltrace.doctor.prerequisite import Prerequisite, State, prerequisite

_BACKEND = "polltrace stat --backend ptrace -p PID (counts, but slows the process)"
_VARIANTS = {
    "fentry": "counting at no cost to other processes",
    "tp_btf": "counting, exactly",
    "raw_tp": "counting, exactly, at slightly more cost than tp_btf",
    "kprobe": "counting, exactly, where the kernel preempts the programs of the others",
}


def type_information(host: ExaminedHost) -> Prerequisite:
    path = "/sys/kernel/btf/vmlinux"
    present = host.exists(path)
    fix = f"a kernel with CONFIG_DEBUG_INFO_BTF=y; until then {_BACKEND}"
    return prerequisite("BTF", present, path if present else f"no {path}", "every eBPF probe", fix)


def variants(host: ExaminedHost, probe: str | None) -> list[Prerequisite]:
    """Each variant of the probe, which the probe itself tries to attach."""
    if probe is None:
        fix = "make build"
        return [
            prerequisite(f"probe {name}", None, "the probe is not built", enables, fix)
            for name, enables in _VARIANTS.items()
        ]
    code, text = host.output(probe, "--variants")
    answers = dict(line.split(maxsplit=1) for line in text.splitlines() if len(line.split()) > 1)
    results = []
    for name, enables in _VARIANTS.items():
        answer = answers.get(name, "").strip()
        if code != 0 or not answer:
            first = text.strip().splitlines()[0] if text.strip() else f"exit code {code}"
            results.append(
                prerequisite(f"probe {name}", None, first, enables, "sudo polltrace doctor")
            )
        else:
            results.append(
                prerequisite(f"probe {name}", answer == "yes", answer, enables, _BACKEND)
            )
    return results


def works(results: list[Prerequisite]) -> bool:
    """True if the default backend works, for which one variant is enough."""
    return any(result.state is State.OK for result in results)


def sampling(host: ExaminedHost) -> Prerequisite:
    enables = "stacks --at cpu, advise: the whole cost of the check"
    paranoid = host.read("/proc/sys/kernel/perf_event_paranoid")
    if paranoid is None:
        fix = "a kernel with CONFIG_PERF_EVENTS=y"
        return prerequisite("perf sampling", False, "no perf_event_paranoid", enables, fix)
    detail = f"perf_event_paranoid {paranoid.strip()}"
    if may_trace(host) and "CAP_SYS_ADMIN" not in held(host) and int(paranoid) > 2:
        # A patch of Debian's; other kernels take it for 2.
        detail += ": CAP_SYS_ADMIN is needed too on Debian's kernels"
        fix = "sudo polltrace …, or sudo sysctl kernel.perf_event_paranoid=2"
        return prerequisite("perf sampling", None, detail, enables, fix)
    return prerequisite("perf sampling", may_trace(host), detail, enables, "sudo polltrace …")


def uprobes(host: ExaminedHost) -> Prerequisite:
    path = "/sys/bus/event_source/devices/uprobe"
    present = host.exists(path)
    fix = "a kernel with CONFIG_UPROBE_EVENTS=y; until then the skip is read from the server's file"
    enables = "advise, record: counting checks, which measures the skip in force"
    return prerequisite("uprobes", present, path if present else f"no {path}", enables, fix)
