# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of counting a check, by the system call of the check: `python -m
bench.probes.check_calls [ROUNDS]` (root; `make -C probes build/bench-target` first).

One target makes a closed loop of poll, select, epoll_wait or recv, without waiting, on the same
connected socket; each is measured without the probe, with it, and without, the calls in a new
random order every round, and poll also by a probe that has no rule for its executable. Nanoseconds:
medians of the rounds, with their 95 % intervals.
"""

from __future__ import annotations

import random
import sys

from bench.probes.probe_costs import LoopTarget, PeerTool, cell, host, ours, start, stop

CALLS = ("poll", "select", "epoll_wait", "recv")
_HEADER = '"type":"header"'
RULED = PeerTool("ours", ours("--check", f"bench-target={','.join(CALLS)}"), _HEADER)
WITHOUT_RULE = PeerTool("ours", ours(), _HEADER)
# The row's name, the call that the target makes, and the tool that counts it.
ROWS = [*((call, call, RULED) for call in CALLS), ("poll, no rule", "poll", WITHOUT_RULE)]
MS = 30.0


def main(rounds: int) -> None:
    untraced: dict[str, list[float]] = {name: [] for name, _, _ in ROWS}
    added: dict[str, list[float]] = {name: [] for name, _, _ in ROWS}
    target = LoopTarget()
    for _ in range(rounds):
        for name, call, tool in random.sample(ROWS, len(ROWS)):
            base_before = target.measure(call, MS)
            probe = start(tool, target.process.pid)
            during = target.measure(call, MS)
            stop(tool, probe)
            base = (base_before + target.measure(call, MS)) / 2
            untraced[name].append(base)
            added[name].append(during - base)
    target.close()
    print(f"{host()}; {rounds} rounds")
    print(f"{'CHECK BY':<14} {'UNTRACED ns':>20} {'COUNTING ADDS ns':>20}")
    for name, _, _ in ROWS:
        print(f"{name:<14} {cell(untraced[name]):>20} {cell(added[name]):>20}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 21)
