# SPDX-License-Identifier: GPL-2.0-or-later
"""What counting adds to a check by each call that an engine may check by: `python -m
bench.probes.check_calls [ROUNDS]` (root; `make -C probes build/bench-target` first).

One target makes a closed loop of poll, select, epoll_wait or recv, without waiting, on the same
connected socket; each is measured without the probe, with it, and without, the calls in a new
random order every round. Nanoseconds: medians of the rounds, with their 95 % intervals.
"""

from __future__ import annotations

import random
import sys

from bench.probes.probe_costs import Target, Tool, cell, host, ours, start, stop

CALLS = ("poll", "select", "epoll_wait", "recv")
COUNTING = Tool("ours", ours("--check", f"bench-target={','.join(CALLS)}"), '"type":"header"')
MS = 30.0


def main(rounds: int) -> None:
    untraced: dict[str, list[float]] = {call: [] for call in CALLS}
    added: dict[str, list[float]] = {call: [] for call in CALLS}
    target = Target()
    for _ in range(rounds):
        for call in random.sample(CALLS, len(CALLS)):
            before = target.measure(call, MS)
            probe = start(COUNTING, target.process.pid)
            during = target.measure(call, MS)
            stop(COUNTING, probe)
            base = (before + target.measure(call, MS)) / 2
            untraced[call].append(base)
            added[call].append(during - base)
    target.close()
    print(f"{host()}; {rounds} rounds")
    print(f"{'CHECK BY':<12} {'UNTRACED ns':>20} {'COUNTING ADDS ns':>20}")
    for call in CALLS:
        print(f"{call:<12} {cell(untraced[call]):>20} {cell(added[call]):>20}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 21)
