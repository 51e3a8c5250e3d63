# SPDX-License-Identifier: GPL-2.0-or-later
"""The time that following a thread off its CPU adds to a switch: `python -m
bench.probes.switch_costs`.

As root on a quiet machine, about three minutes; `make -C probes all build/bench-target` first.
--write puts the table into docs/tasks/stacks.md.

A process and its child pass a byte to and fro on one processor, so in each turn either blocks, is
woken and switched in once; a tool watches the first of them, and neither of a second pair. Each
tool is measured without, with, and without, in a new random order every round. Nanoseconds a turn:
medians of the rounds with their 95 % intervals.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from pathlib import Path

from bench.probes.probe_costs import (
    LoopTarget,
    PeerTool,
    by_pid,
    cell,
    host,
    ours,
    perf_record,
    start,
    stop,
)
from tests.marked_page import replace_part

PAGE = Path(__file__).parents[2] / "docs/tasks/stacks.md"
HEADER = '"type":"header"'
TOOLS = [
    PeerTool("none (A/A)", lambda _: ["sleep", "1000"], None, 0.02),
    PeerTool("ours: --off-cpu", ours("--off-cpu"), HEADER),
    PeerTool("ours: --off-cpu, raw_tp", ours("--off-cpu", "--variant", "raw_tp"), HEADER),
    by_pid("libbpf-tools offcputime", "/usr/sbin/offcputime", settle_s=0.3, package="libbpf-tools"),
    by_pid("bcc offcputime", "offcputime-bpfcc", settle_s=0.3, package="bpfcc-tools"),
    perf_record("sched_switch", "-e", "sched:sched_switch"),
]
MS = 150.0


Costs = dict[str, list[float]]


def working() -> list[PeerTool]:
    """The tools that are installed and run on this kernel."""
    runnable, target = [], LoopTarget()
    for tool in TOOLS:
        if shutil.which(tool.command(0)[0]) is None:
            print(f"left out: {tool.name} (apt-get install {tool.package})", file=sys.stderr)
            continue
        try:
            stop(tool, start(tool, target.process.pid))
            runnable.append(tool)
        except RuntimeError as error:
            print(f"left out: {error}", file=sys.stderr)
    target.close()
    return runnable


def measure(tools: list[PeerTool], rounds: int) -> tuple[list[float], Costs, Costs]:
    """Nanoseconds of an untraced turn, the time that each tool adds to a turn of the watched
    process, and to one of another; one value per round.
    """
    untraced: list[float] = []
    added: Costs = {tool.name: [] for tool in tools}
    other_added: Costs = {tool.name: [] for tool in tools}
    watched, unwatched = LoopTarget(), LoopTarget()
    try:
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
            for tool in random.sample(tools, len(tools)):
                watched_before, before_other = (
                    t.measure("switch", MS) for t in (watched, unwatched)
                )
                process = start(tool, watched.process.pid)
                during, during_other = (t.measure("switch", MS) for t in (watched, unwatched))
                stop(tool, process)
                watched_after, after_other = (t.measure("switch", MS) for t in (watched, unwatched))
                untraced.append((watched_before + watched_after) / 2)
                added[tool.name].append(during - untraced[-1])
                other_added[tool.name].append(during_other - (before_other + after_other) / 2)
    finally:
        watched.close()
        unwatched.close()
    return untraced, added, other_added


def table(
    tools: list[PeerTool], on: str, untraced: list[float], added: Costs, other_added: Costs
) -> str:
    """The table in Markdown."""
    lines = [
        f"Host: {on}. Nanoseconds that a tool adds to a turn, in which a process blocks, its child "
        "answers it on the same processor, and it is switched in again, a closed loop "
        f"({cell(untraced)} ns untraced); and to that of another pair, which is not watched. "
        f"Medians of {len(added[tools[0].name])} rounds, each with the tools in a new random "
        "order, with their 95 % intervals; the row `none` shows the machine's own noise.",
        "",
        "| tool | watched | another |",
        "|---|---:|---:|",
    ]
    for tool in tools:
        lines.append(f"| {tool.name} | {cell(added[tool.name])} | {cell(other_added[tool.name])} |")
    left_out = [tool.name for tool in TOOLS if tool not in tools]
    if left_out:
        lines += [
            "",
            f"Not measured, because a package or a requirement is missing: {', '.join(left_out)}.",
        ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    options = parser.parse_args()
    on, tools = host(), working()
    text = table(tools, on, *measure(tools, options.rounds))
    print(text)
    if options.write:
        replace_part(PAGE, "python -m bench.probes.switch_costs --write", text)


if __name__ == "__main__":
    main()
