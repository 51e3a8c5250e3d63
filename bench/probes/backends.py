#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Comparison of all backends and the usual tools on the same target, in one run: `make overhead`.

Measures the time that each adds to a poll of the watched process and to a system call of another,
as probe_costs.py does; and whether its count is right: in a run of its own, of exactly COUNTED
polls, a prime. Tools that stop the process are given the target's own CPU, their best case.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.probes.probe_costs import (
    PROBE,
    TARGET_CPU,
    LoopTarget,
    PeerTool,
    ProbeCost,
    bpftrace,
    cell,
    host,
    measure_round,
    median,
    ours,
    start,
)

COUNTED = 5_003
POLLTRACE = str(Path(sys.executable).with_name("polltrace"))


@dataclass(frozen=True)
class Peer:
    """A `tool`, and `count`, a pattern of the poll count in its output (several are added up)."""

    tool: PeerTool
    count: str = ""


def on_target_cpu(*command: str) -> Callable[[int], list[str]]:
    words = ["taskset", "-c", str(TARGET_CPU), *command]
    return lambda pid: [word.replace("PID", str(pid)) for word in words]


def stat(backend: str) -> Callable[[int], list[str]]:
    return lambda pid: [POLLTRACE, "stat", "--json", "--backend", backend, "-p", str(pid)]


def again_and_again(command: str) -> Callable[[int], list[str]]:
    loop = "trap 'exit 0' INT; while :; do {} >/dev/null 2>&1; done"
    return lambda pid: ["sh", "-c", loop.format(command.replace("PID", str(pid)))]


def peers() -> list[Peer]:
    break_polls = r'"break_polls": ?(\d+)'
    poll_row = r"^\s*poll\s+(\d+)"
    return [
        Peer(PeerTool("nothing (A/A)", lambda _: ["sleep", "1000"], None, 0.02)),
        Peer(PeerTool("polltrace stat", stat("ebpf"), "attached"), break_polls),
        Peer(
            PeerTool("polltrace stacks, default rate", ours("--stacks", "auto"), '"type":"header"'),
            r'"final":true.*?"break_polls":(\d+)',
        ),
        Peer(PeerTool("polltrace top, advise (windows)", ours("--watch"), '"type":"header"')),
        Peer(PeerTool("polltrace stat --backend bcc", stat("bcc"), "attached"), break_polls),
        Peer(
            PeerTool(
                "polltrace stat --backend ptrace",
                on_target_cpu(*stat("ptrace")(0)[:-1], "PID"),
                "attached",
                with_target=True,
            ),
            break_polls,
        ),
        Peer(
            PeerTool(
                "strace -c",
                on_target_cpu("strace", "-c", "-p", "PID"),
                "attached",
                with_target=True,
            ),
            r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+poll$",
        ),
        Peer(
            PeerTool(
                "perf trace -s",
                on_target_cpu("perf", "trace", "-s", "-p", "PID"),
                None,
                1.0,
                with_target=True,
            ),
            poll_row,
        ),
        Peer(
            PeerTool(
                "perf stat -e syscalls:sys_enter_poll",
                lambda pid: ["perf", "stat", "-e", "syscalls:sys_enter_poll", "-p", str(pid)],
                None,
                0.5,
            ),
            r"([\d,]+)\s+syscalls:sys_enter_poll",
        ),
        Peer(
            PeerTool(
                "perf record -g -e syscalls:sys_enter_poll",
                lambda pid: [
                    *("perf", "record", "-q", "-g", "-e", "syscalls:sys_enter_poll"),
                    *("-o", "/dev/null", "-p", str(pid)),
                ],
                None,
                1.5,
            )
        ),
        Peer(
            PeerTool(
                "bpftrace, count",
                bpftrace("tracepoint:syscalls:sys_enter_poll /pid == PID/ { @ = count(); }"),
                "Attaching",
                1.0,
            ),
            r"^@: (\d+)",
        ),
        Peer(
            PeerTool(
                "bpftrace, count by ustack",
                bpftrace("tracepoint:syscalls:sys_enter_poll /pid == PID/ { @[ustack]=count(); }"),
                "Attaching",
                1.0,
            ),
            r"^\]: (\d+)",
        ),
        Peer(
            PeerTool(
                "libbpf-tools syscount",
                lambda pid: ["/usr/sbin/syscount", "-p", str(pid)],
                None,
                0.5,
            ),
            poll_row,
        ),
        Peer(PeerTool("gdb backtraces", again_and_again("gdb --batch -p PID -ex bt"), None, 0.5)),
        Peer(PeerTool("eu-stack", again_and_again("eu-stack -p PID"), None, 0.5)),
    ]


def here(peer: Peer) -> bool:
    command = peer.tool.command(0)
    program = next(word for word in command if word not in ("taskset", "-c", str(TARGET_CPU)))
    if program == "sh":
        program = command[-1].split("do ")[1].split()[0]
    if shutil.which(program) is None:
        print(f"left out: {peer.tool.name} ({program} is not installed)", file=sys.stderr)
        return False
    if "bcc" in peer.tool.name:
        script = Path(__file__).parents[2] / "polltrace" / "backends" / "bcc_probe.py"
        check = ["/usr/bin/python3", "-I", str(script), "--check"]
        if subprocess.run(check, capture_output=True, check=False).returncode:
            print(f"left out: {peer.tool.name} (no headers of this kernel)", file=sys.stderr)
            return False
    return True


def verdict(peer: Peer, target: LoopTarget) -> str:
    """The correctness of the tool's count of a known number of polls."""
    if not peer.count:
        return "does not count"
    process = start(peer.tool, target.process.pid)
    target.measure("count", COUNTED)
    time.sleep(0.3)
    process.send_signal(2)
    printed = process.communicate(timeout=30)[0]
    counts = re.findall(peer.count, printed, re.MULTILINE | re.DOTALL)
    counted = sum(int(text.replace(",", "")) for text in counts)
    return "right" if counted == COUNTED else f"wrong: {counted:,} of {COUNTED:,}"


def table(
    rows: dict[str, ProbeCost], verdicts: dict[str, str], bases: list[tuple[float, ...]]
) -> str:
    poll, other_call = (median([base[i] for base in bases])[0] for i in (0, 1))
    lines = [
        f"Untraced, a poll takes {poll:.0f} ns in this closed loop, `getppid` {other_call:.0f} ns.",
        "",
        "| tool | added to a poll, ns | times as long | added to `getppid` of an unwatched "
        "process, ns | its count |",
        "|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        times = 1 + median(row.poll)[0] / poll
        lines.append(
            f"| {name} | {cell(row.poll)} | {times:,.2f} "
            f"| {cell(row.other_call)} | {verdicts[name]} |"
        )
    return "\n".join(lines)


def page(text: str, rounds: int, on: str) -> str:
    return f"""# Overhead

The cost of each tool: it is attached to a process that only polls one socket, which is the worst
case. {on}; {rounds} rounds, each with the tools in a new random order. A tool adds the time
with it minus the mean of the times before and after. Medians, with
their 95 % intervals; the row "nothing" shows the machine's own noise.

    make overhead

{text}

A server that works between its polls loses the same nanoseconds of a longer time, so a smaller
share. But counting a poll costs about as much as the poll itself, so polling costs about double
while every poll is counted. polltrace therefore never measures the cost of a poll while it counts,
and `top` and `advise` count in short windows only. strace and perf trace cost orders of magnitude
more. gdb and eu-stack stop the process now and then: most samples miss the stop, so a median does
not show its cost. Unwatched processes are slowed as well: a BPF program on the entry of system
calls runs for every process, if only to find that it is not watched.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ms", type=float, default=200)
    parser.add_argument("--only", default="", help="part of the names of the tools to measure")
    parser.add_argument("--write", type=Path, help="a page of documentation to make")
    options = parser.parse_args()
    if not Path(PROBE).exists():
        sys.exit("make build first")
    chosen = [p for p in peers() if options.only in p.tool.name or "A/A" in p.tool.name]
    chosen = [peer for peer in chosen if here(peer)]
    rows = {peer.tool.name: ProbeCost() for peer in chosen}
    bases: list[tuple[float, float, float]] = []
    on = host()
    watched, unwatched = LoopTarget(), LoopTarget()
    try:
        verdicts = {peer.tool.name: verdict(peer, watched) for peer in chosen}
        arms = [peer.tool for peer in chosen]
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            bases += measure_round(arms, rows, watched, unwatched, options.ms)
    finally:
        watched.close()
        unwatched.close()
    text = table(rows, verdicts, list(bases))
    print(text)
    if options.write:
        options.write.write_text(page(text, options.rounds, on))
    return 0


if __name__ == "__main__":
    sys.exit(main())
