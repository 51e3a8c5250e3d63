#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of tracing to the traced process and to others: `make -C probes bench`.

Two targets run all the time, each timing its own closed loop of a system call: one is watched, the
other is not. A measurement is base, attach, with, detach, base; the tool adds `with` less the mean
of the two bases. Tools take turns in a new random order every round, those that cost microseconds
in every third. The table gives medians over the rounds with their intervals, and the cost of
counting in multiples of an empty program that is attached the same way. Nanoseconds throughout.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import platform
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "probes" / "build"
PROBE = str(BUILD / "polltrace-probe")
TARGET_CPU = 1 if (os.cpu_count() or 1) > 1 else 0
TOOL_CPU = 0
# The targets of descriptors in /proc/PID/fd of a tool that is attached.
_ATTACHMENTS = ("bpf_link", "bpf-raw-tracepoint", "perf_event")
_ATTACHED_WITHIN_S = 60.0


@dataclass(frozen=True)
class PeerTool:
    """A tool whose effect on the target is measured.

    - `name`: in the table; `package`: the Debian package that it needs
    - `command`: from the target's PID to the command
    - `ready`: a text on stdout or stderr which shows that it is attached; None: for a packaged
    tool, wait until it has an event or a link of a BPF program; then for `settle_s`
    - `stop_by_eof`: it ends with its stdin, instead of with SIGINT
    - `with_target`: it runs on the target's CPU, the best case of a tool that stops it
    - `floor`: the name of a tool that is attached the same way and does nothing
    - `every`: it is measured once in this many rounds (slow tools need less precision)
    """

    name: str
    command: Callable[[int], list[str]]
    ready: str | None = None
    settle_s: float = 0.0
    stop_by_eof: bool = False
    package: str = ""
    with_target: bool = False
    floor: str = ""
    every: int = 1


@dataclass
class ProbeCost:
    """Nanoseconds that a call takes, one value per round: a `poll` and an `other_call` of the
    watched process, and an `other_poll` of a process that is not watched.
    """

    poll: list[float] = field(default_factory=list)
    other_call: list[float] = field(default_factory=list)
    other_poll: list[float] = field(default_factory=list)


class LoopTarget:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [str(BUILD / "bench-target")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        os.sched_setaffinity(self.process.pid, {TARGET_CPU})
        self._read()

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def measure(self, call: str, ms: float) -> float:
        assert self.process.stdin is not None
        print(call, ms, file=self.process.stdin, flush=True)
        return float(self._read())

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def ours(*options: str) -> Callable[[int], list[str]]:
    return lambda pid: [PROBE, "-p", str(pid), *options]


def empty(*programs: str) -> Callable[[int], list[str]]:
    return lambda _: [str(BUILD / "bench-empty"), *programs]


def bpftrace(script: str) -> Callable[[int], list[str]]:
    return lambda pid: ["bpftrace", "-e", script.replace("PID", str(pid))]


def by_pid(name: str, *command: str, settle_s: float, package: str, every: int = 1) -> PeerTool:
    """A tool that takes the target's PID at the end."""
    return PeerTool(
        name,
        lambda pid: [*command, "-p", str(pid)],
        None,
        settle_s,
        package=package,
        every=every,
    )


def perf_record(event: str, *options: str, every: int = 1) -> PeerTool:
    """perf, with stacks, writing to /dev/null."""
    return by_pid(
        f"perf record -g {event}",
        *("perf", "record", "-q", "-g", *options, "-o", "/dev/null"),
        settle_s=1.5,
        package="linux-perf",
        every=every,
    )


def tools(variants: list[str]) -> list[PeerTool]:
    header = '"type":"header"'
    first = variants[0]  # the probe's own choice
    pair = f"two empty programs, entry and exit, {first}"
    counting = [
        PeerTool(f"ours: count, {v}", ours("--variant", v), header, floor=f"an empty program, {v}")
        for v in variants
    ]
    nothing = [
        PeerTool(f"an empty program, {v}", empty(v), "ready", stop_by_eof=True) for v in variants
    ]
    nothing.append(PeerTool(pair, empty(first, f"{first}_exit"), "ready", stop_by_eof=True))
    return [
        PeerTool("none (A/A)", lambda _: ["sleep", "1000"], None, 0.02),
        *nothing,
        *counting,
        PeerTool("ours: count, stacks 1/64", ours("--stacks", "64"), header),
        PeerTool("ours: count, stacks auto", ours("--stacks", "auto"), header),
        PeerTool("ours: watch", ours("--watch"), header),
        PeerTool("ours: watch, 1999 Hz, as advise", ours("--watch", "--hz", "1999"), header),
        PeerTool("ours: time", ours("--latency"), header, floor=pair),
        PeerTool("ours: syscalls", ours("-c"), header, floor=pair),
        by_pid(
            "perf stat sys_enter_poll",
            *("perf", "stat", "-e", "syscalls:sys_enter_poll"),
            settle_s=0.3,
            package="linux-perf",
        ),
        PeerTool(
            "bpftrace @=count()",
            bpftrace("tracepoint:syscalls:sys_enter_poll /pid == PID/ { @ = count(); }"),
            None,
            0.7,
            package="bpftrace",
        ),
        PeerTool(
            "bpftrace @[ustack]=count()",
            bpftrace("tracepoint:syscalls:sys_enter_poll /pid == PID/ { @[ustack] = count(); }"),
            None,
            0.7,
            package="bpftrace",
            every=3,
        ),
        perf_record("sys_enter_poll", "-e", "syscalls:sys_enter_poll", every=3),
        perf_record("-F 99", "-F", "99", every=3),
        by_pid("libbpf-tools syscount", "/usr/sbin/syscount", settle_s=0.3, package="libbpf-tools"),
        by_pid(
            "libbpf-tools syscount -L",
            *("/usr/sbin/syscount", "-L"),
            settle_s=0.3,
            package="libbpf-tools",
        ),
        by_pid("perf trace -s", "perf", "trace", "-s", settle_s=0.5, package="linux-perf", every=3),
        PeerTool(
            "strace -c",
            lambda pid: ["taskset", "-c", str(TARGET_CPU), "strace", "-c", "-p", str(pid)],
            "attached",
            package="strace",
            with_target=True,
            every=3,
        ),
    ]


def start(tool: PeerTool, pid: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        tool.command(pid),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A shell's background jobs ignore SIGINT, which is how tools are ended here.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    if not tool.with_target:
        os.sched_setaffinity(process.pid, {TOOL_CPU})
    if tool.ready:
        assert process.stdout is not None
        for line in process.stdout:
            if tool.ready in line:
                break
        else:
            raise RuntimeError(f"{tool.name} did not start")
    elif tool.package:
        _until_attached(tool, process)
    time.sleep(tool.settle_s)
    if process.poll() is not None:
        raise RuntimeError(f"{tool.name} ended")
    return process


def _until_attached(tool: PeerTool, process: subprocess.Popen[str]) -> None:
    """Wait until the tool has attached; its own messages may stay in a buffer, and the time depends
    on the host.
    """
    end = time.monotonic() + _ATTACHED_WITHIN_S
    while not _is_attached(process.pid):
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{tool.name} did not attach")
        time.sleep(0.01)


def _is_attached(pid: int) -> bool:
    targets = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            targets.add(os.readlink(descriptor))
    return any(kind in target for target in targets for kind in _ATTACHMENTS)


def stop(tool: PeerTool, process: subprocess.Popen[str]) -> None:
    if not tool.stop_by_eof:  # communicate() closes its input
        process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def sample(watched: LoopTarget, unwatched: LoopTarget, ms: float) -> tuple[float, float, float]:
    return (
        watched.measure("poll", ms),
        unwatched.measure("getppid", ms / 2),
        unwatched.measure("poll", ms / 2),
    )


def measure_round(
    arms: list[PeerTool],
    rows: dict[str, ProbeCost],
    watched: LoopTarget,
    unwatched: LoopTarget,
    ms: float,
) -> list[tuple[float, float, float]]:
    bases = []
    random.shuffle(arms)
    base_before = sample(watched, unwatched, ms)
    for tool in arms:
        process = start(tool, watched.process.pid)
        during = sample(watched, unwatched, ms)
        stop(tool, process)
        base_after = sample(watched, unwatched, ms)
        row = rows[tool.name]
        added = [w - (b + a) / 2 for b, w, a in zip(base_before, during, base_after, strict=True)]
        row.poll.append(added[0])
        row.other_call.append(added[1])
        row.other_poll.append(added[2])
        bases.append(base_after)
        base_before = base_after
    return bases


def median(values: list[float]) -> tuple[float, float, float]:
    """The median and its 95 % interval: two order statistics, whatever the distribution."""
    ordered, n = sorted(values), len(values)
    tail, cut = 0.0, 0
    while cut < n // 2:
        tail += math.comb(n, cut) / 2**n
        if 2 * tail > 0.05:
            break
        cut += 1
    cut = max(cut - 1, 0)
    return statistics.median(ordered), ordered[cut], ordered[n - 1 - cut]


def cell(values: list[float]) -> str:
    middle, low, high = median(values)
    return f"{middle:.0f} ({low:.0f}..{high:.0f})"


def times_floor(row: ProbeCost, floor: ProbeCost) -> str:
    """The cost in multiples of the floor's, of the medians; 95 % by resampling rounds."""
    pairs = list(zip(row.poll, floor.poll, strict=True))

    def ratio(drawn: list[tuple[float, float]]) -> float:
        ours, empty = (statistics.median(side) for side in zip(*drawn, strict=True))
        return ours / empty if empty > 0 else math.inf

    draws = sorted(ratio(random.choices(pairs, k=len(pairs))) for _ in range(2000))
    return f"{ratio(pairs):.2f} x ({draws[49]:.2f}..{draws[1949]:.2f})"


def host() -> str:
    """The conditions that the figures depend on."""
    text = Path("/proc/cpuinfo").read_text()
    model = next((m for m in re.findall(r"model name\s*: (.*)", text)), platform.machine())
    virtual = ", a virtual machine" if " hypervisor" in text else ""
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} CPUs {model.strip()}{virtual}; Linux {platform.release()}; "
        f"load {load:.1f} before the run; {time.strftime('%Y-%m-%d', time.gmtime())}"
    )


NO_KPROBE = (
    "Not measured: `kprobe`, which this kernel lacks. How it compares with the others on an "
    "emulated 6.1, in instructions, is on the page about [kernels](kernels.md)."
)


def loadable_variants() -> list[str]:
    completed = subprocess.run([PROBE, "--variants"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in completed.stdout.splitlines() if line.endswith("yes")]


def table(
    rows: dict[str, ProbeCost], tools: list[PeerTool], bases: list[tuple[float, ...]], on: str
) -> str:
    """The table in Markdown."""
    base = [statistics.median(b[i] for b in bases) for i in range(3)]
    rounds = len(next(iter(rows.values())).poll)
    lines = [
        "# The cost of observing",
        "",
        "Made by `make -C probes bench DOC=../docs/evidence/probe-costs.md`; do not edit.",
        "",
        f"Host: {on}.",
        "",
        f"Nanoseconds added to a poll of the traced process, a closed loop of "
        f"`poll(fd, 1, 0)` on a TCP socket ({base[0]:.0f} ns untraced), and to a `getppid` "
        f"({base[1]:.0f} ns) and a poll of a process that is not traced. Medians of "
        f"{rounds} rounds, in which all tools take turns in a new random order, with their 95 % "
        "intervals; the row `none` shows the machine's own noise. Tools that cost "
        "microseconds took part in every third round. Counting is also given in multiples of an "
        "empty program that is attached the same way, of two where it is attached to entry and "
        "exit.",
        "",
        "| tool | poll | poll takes | of the empty | getppid of another | poll of another |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for tool in tools:
        row = rows[tool.name]
        times = 1 + median(row.poll)[0] / base[0]
        floor = times_floor(row, rows[tool.floor]) if tool.floor in rows else ""
        lines.append(
            f"| {tool.name} | {cell(row.poll)} | {times:.2f} x | {floor} "
            f"| {cell(row.other_call)} | {cell(row.other_poll)} |"
        )
    if "ours: count, kprobe" not in rows:
        lines += ["", NO_KPROBE]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=33)
    parser.add_argument("--ms", type=float, default=30)
    parser.add_argument("--only", default="", help="a pattern: the tools to measure")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--doc", type=Path, help="write the table there, too")
    options = parser.parse_args()
    on = host()
    arms = [
        t for t in tools(loadable_variants()) if re.search(options.only, t.name) or "A/A" in t.name
    ]
    for tool in list(arms):
        if shutil.which(tool.command(0)[0]) is None:
            print(f"left out: {tool.name} (apt-get install {tool.package})", file=sys.stderr)
            arms.remove(tool)
    rows = {tool.name: ProbeCost() for tool in arms}
    bases: list[tuple[float, float, float]] = []
    watched, unwatched = LoopTarget(), LoopTarget()
    try:
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            taking_part = [tool for tool in arms if number % tool.every == 0]
            bases += measure_round(taking_part, rows, watched, unwatched, options.ms)
    finally:
        watched.close()
        unwatched.close()
    text = table(rows, arms, list(bases), on)
    print(text, end="")
    if options.doc:
        options.doc.write_text(text)
    if options.json:
        options.json.write_text(json.dumps({n: vars(r) for n, r in rows.items()}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
