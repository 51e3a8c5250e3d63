# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts one process with every tool of this host at once, and compares the counts."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from polltrace.cross_check.bpftrace import Bpftrace
from polltrace.cross_check.libbpf_tools import Offcputime, Syscount
from polltrace.cross_check.our_counts import OurCounts, call_totals, off_cpu_totals
from polltrace.cross_check.perf_stat import PerfStat
from polltrace.cross_check.readings import BREAK_POLLS, Bounds, Reading, bounds
from polltrace.cross_check.tool import Tool, ToolCounts
from polltrace.errors import HostError
from polltrace.profiles.profile import Profile

FIRST_PID_NAMESPACE = "pid:[4026531836]"  # a constant of the kernel (proc_ns.h)


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool that can be used: its command, its Debian package, and the function that attaches it.

    `by_host_pid`: it selects a process by its PID in the first namespace.
    """

    name: str
    command: str
    package: str
    attach: Callable[[str, int], Tool]
    by_host_pid: bool = True


# In the order of attaching: those that cannot be told when to begin count longest.
TOOLS = (
    KnownTool("perf stat", "perf", "linux-perf", lambda _, pid: PerfStat(pid), by_host_pid=False),
    KnownTool("bpftrace", "bpftrace", "bpftrace", lambda _, pid: Bpftrace(pid)),
    KnownTool(
        "bcc syscount",
        "syscount-bpfcc",
        "bpfcc-tools",
        lambda path, pid: Syscount("bcc syscount", path, pid),
    ),
    KnownTool(
        "offcputime",
        "offcputime",
        "libbpf-tools",
        lambda path, pid: Offcputime("offcputime", path, pid),
    ),
    KnownTool(
        "syscount", "syscount", "libbpf-tools", lambda path, pid: Syscount("syscount", path, pid)
    ),
)


@dataclass(frozen=True, slots=True)
class FigureCheck:
    """The count of a figure by a tool, and the bounds of ours in the tool's window.

    `ours` is None where our readings do not enclose the window. `agrees` is None where the count
    neither confirms nor contradicts ours.
    """

    figure: str
    count: int
    ours: Bounds | None
    agrees: bool | None


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """A tool's measurement with the checks of its figures."""

    counts: ToolCounts
    figures: tuple[FigureCheck, ...]


@dataclass
class CrossCheck:
    """The result: our profile and readings, a check for each tool, and the tools that are left out
    with the reasons."""

    profile: Profile
    ours: list[Reading]
    cpu_s: float
    bpf_s: float | None
    checks: list[ToolCheck] = field(default_factory=list)
    unused: dict[str, str] = field(default_factory=dict)

    @property
    def differs(self) -> bool:
        return any(figure.agrees is False for item in self.checks for figure in item.figures)


def cross_check(
    pid: int, duration_s: float, stop: threading.Event, attached: Callable[[], None]
) -> CrossCheck:
    """Count `pid` for `duration_s`, until it ends or `stop` is set; `attached` is called when all
    tools count. Raises the probe's errors; those of other tools are in the result."""
    unused: dict[str, str] = {}
    results: list[ToolCounts] = []
    with contextlib.ExitStack() as stack:
        calls = OurCounts(pid, off_cpu=False, figures=call_totals)
        stack.callback(calls.close)
        switches = OurCounts(pid, off_cpu=True, figures=off_cpu_totals)
        stack.callback(switches.close)
        tools: list[Tool] = []
        for known in TOOLS:
            try:
                tools.append(stack.enter_context(_attached(known, pid)))
            except HostError as error:
                unused[known.name] = str(error)
        for tool in [*tools]:
            try:
                tool.begin()
            except HostError as error:
                unused[tool.name] = str(error)
                tools.remove(tool)
        attached()
        _wait(duration_s, stop, calls.ended)
        for tool in tools:
            try:
                results.append(tool.end())
            except HostError as error:
                unused[tool.name] = str(error)
        last_s = max([0.0, *(counts.end.latest_s for counts in results)])
        profile = calls.stop_behind(last_s)
        switches.stop_behind(last_s)
    result = CrossCheck(profile, calls.readings, calls.cpu_s, calls.bpf_s, unused=unused)
    enclosing = {True: calls.with_end(), False: switches.with_end()}
    result.checks += [_checked(counts, enclosing[counts.is_complete]) for counts in results]
    return result


def _attached(known: KnownTool, pid: int) -> Tool:
    path = shutil.which(known.command, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if path is None:
        raise HostError(f"not installed (Debian: apt-get install {known.package})")
    if known.by_host_pid and os.readlink("/proc/self/ns/pid") != FIRST_PID_NAMESPACE:
        raise HostError("takes the host's PIDs, and this is a PID namespace of its own")
    return known.attach(path, pid)


def _wait(duration_s: float, stop: threading.Event, ended: threading.Event) -> None:
    """Until one of the events is set, or the time is over."""
    over = threading.Event()
    timer = threading.Timer(duration_s, over.set)
    timer.start()
    while not (over.is_set() or stop.is_set() or ended.is_set()):
        over.wait(0.05)
    timer.cancel()


def _checked(counts: ToolCounts, ours: list[Reading]) -> ToolCheck:
    return ToolCheck(
        counts,
        tuple(
            compared(counts, figure, bounds(ours, counts.start, counts.end, figure))
            for figure in counts.end.totals
        ),
    )


def compared(counts: ToolCounts, figure: str, ours: Bounds | None) -> FigureCheck:
    """The check of one figure: a count within the bounds, widened by the tool's slack, agrees."""
    count = counts.end.totals[figure]
    if ours is None:
        return FigureCheck(figure, count, None, None)
    if not counts.is_complete:  # it cannot count more, but any amount less
        return FigureCheck(figure, count, ours, None if count <= ours.most else False)
    slack = 0 if figure == BREAK_POLLS else counts.slack
    widened = Bounds(max(0, ours.least - slack), ours.most + slack)
    return FigureCheck(figure, count, widened, widened.least <= count <= widened.most)
