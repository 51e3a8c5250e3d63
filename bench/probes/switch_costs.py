# SPDX-License-Identifier: GPL-2.0-or-later
"""What following a thread off its CPU adds to a switch: `python -m bench.probes.switch_costs
[ROUNDS]` (root; `make -C probes all build/bench-target` first).

A process and its child pass a byte to and fro on one processor, so in each turn either blocks, is
woken and switched in once; a tool watches the first of them, and neither of a second pair. Each
tool is measured without, with, and without, in a new random order every round. Nanoseconds a turn:
medians of the rounds with their 95 % intervals.
"""

from __future__ import annotations

import random
import shutil
import sys

from bench.probes.probe_costs import (
    Target,
    Tool,
    by_pid,
    cell,
    host,
    ours,
    perf_record,
    start,
    stop,
)

HEADER = '"type":"header"'
TOOLS = [
    Tool("none (A/A)", lambda _: ["sleep", "1000"], None, 0.02),
    Tool("ours: --off-cpu", ours("--off-cpu"), HEADER),
    Tool("ours: --off-cpu, raw_tp", ours("--off-cpu", "--variant", "raw_tp"), HEADER),
    by_pid("libbpf-tools offcputime", "/usr/sbin/offcputime", settle_s=0.3, package="libbpf-tools"),
    by_pid("bcc offcputime", "offcputime-bpfcc", settle_s=0.3, package="bpfcc-tools"),
    perf_record("sched_switch", "-e", "sched:sched_switch"),
]
MS = 150.0


def main(rounds: int) -> None:
    tools = [tool for tool in TOOLS if shutil.which(tool.command(0)[0])]
    for tool in TOOLS:
        if tool not in tools:
            print(f"left out: {tool.name} (apt-get install {tool.package})", file=sys.stderr)
    untraced: list[float] = []
    added: dict[str, list[float]] = {tool.name: [] for tool in tools}
    others: dict[str, list[float]] = {tool.name: [] for tool in tools}
    watched, other = Target(), Target()
    for _ in range(rounds):
        for tool in random.sample(tools, len(tools)):
            before, before_other = (t.measure("switch", MS) for t in (watched, other))
            process = start(tool, watched.process.pid)
            during, during_other = (t.measure("switch", MS) for t in (watched, other))
            stop(tool, process)
            after, after_other = (t.measure("switch", MS) for t in (watched, other))
            untraced.append((before + after) / 2)
            added[tool.name].append(during - untraced[-1])
            others[tool.name].append(during_other - (before_other + after_other) / 2)
    watched.close()
    other.close()
    print(f"{host()}; {rounds} rounds; untraced {cell(untraced)} ns")
    print(f"{'ADDED BY':<30} {'WATCHED ns':>24} {'ANOTHER ns':>24}")
    for tool in tools:
        print(f"{tool.name:<30} {cell(added[tool.name]):>24} {cell(others[tool.name]):>24}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 21)
