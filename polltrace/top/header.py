# SPDX-License-Identifier: GPL-2.0-or-later
"""The header: CPUs lost on the host, cost per poll, polltrace's own cost, and lost counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.text import Text

from polltrace.breaks.break_mode import BreakMode
from polltrace.engines import CheckKind
from polltrace.intervals import Estimate
from polltrace.overhead.poll_cost import Knot, in_order
from polltrace.profiles.losses import losses
from polltrace.watch.snapshot import OwnCost, PollCosts, Snapshot


def header(snapshot: Snapshot, width: int) -> list[Text]:
    """Four lines."""
    who = Text(f"polltrace top  {snapshot.host}  ", style="bold")
    modes = _modes(snapshot)
    who.append(f"{len(snapshot.rows):,} servers{': ' if modes else ''}{modes}", "not bold")
    right = snapshot.clock
    who.truncate(max(0, width - len(right) - 1), pad=True)
    who.append(f" {right}")
    lines = [who, _lost(snapshot), Text(poll_cost_line(snapshot.costs)), Text(_cost(snapshot))]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _modes(snapshot: Snapshot) -> str:
    counts = dict(snapshot.totals.sessions)
    counts = {BreakMode.IN_BAND: counts.pop(BreakMode.IN_BAND), **counts}
    return ", ".join(f"{count:,} {mode.value}" for mode, count in counts.items() if count)


def _lost(snapshot: Snapshot) -> Text:
    totals = snapshot.totals
    lost, used = totals.lost_cores, totals.used_cores
    if lost is None:
        return Text("Lost to break polling: not known yet")
    line = Text("Lost to break polling: ")
    much = lost.value and lost.value >= 0.01 * used
    line.append(f"{lost.value:.3f} CPUs", style="bold red" if much else "bold")
    line.append(f" [{lost.low:.3f}, {lost.high:.3f}] of {used:.2f} in use")
    if used:
        line.append(f" ({100 * lost.value / used:.1f} %)")
    if totals.lost_s:
        line.append(f"; {totals.lost_s:,.1f} s so far")
    if totals.without_cost:
        line.append(f", without {totals.without_cost} whose cost is not known yet")
    return line


def poll_cost_line(costs: PollCosts) -> str:
    """The cost per poll and how it is known."""
    if not costs.by_knot:
        if costs.failed:
            return f"A poll's cost is not known: {costs.failed}"
        return (
            "A poll's cost is being measured …"
            if costs.waiting
            else "No cost per poll yet: no server has polled"
        )
    parts = [
        _cost_of(kind, list(costs_of_kind))
        for kind, costs_of_kind in groupby(in_order(costs.by_knot), lambda entry: entry[0].kind)
    ]
    how = "while others had the CPU" if costs.disturbed else "untraced"
    return f"{'; '.join(parts)} (measured here, {how})"


def _cost_of(kind: CheckKind, knot_costs: Sequence[tuple[Knot, Estimate]]) -> str:
    name, unit, scale = ("a poll", "ns", 1e9) if kind.is_break_poll else ("a check", "us", 1e6)
    if kind.by_signal:
        name = "a timer's check"
    intervals = [knot.interval_us for knot, _ in knot_costs]
    costs = [cost.scaled(scale) for _, cost in knot_costs]
    values = [cost.value for cost in costs]
    within = f"[{min(cost.low for cost in costs):.0f}, {max(cost.high for cost in costs):.0f}]"
    if len(intervals) == 1:
        return f"{values[0]:.0f} {unit} {within} {name}, at one in {intervals[0]} us of CPU"
    return (
        f"{min(values):.0f} to {max(values):.0f} {unit} {within} {name},"
        f" at one in {intervals[0]} to {intervals[-1]} us of CPU"
    )


def _cost(snapshot: Snapshot) -> str:
    return f"{_own(snapshot.cost)}; lost: {', '.join(losses(snapshot.lost)) or 'nothing'}"


def _own(cost: OwnCost | None) -> str:
    if cost is None:
        return "polltrace's own cost: not known"
    bpf = "not known" if cost.bpf_pct is None else f"{cost.bpf_pct:.2f}"
    return (
        f"polltrace takes {cost.probe_pct + cost.screen_pct:.1f} % of a CPU (probe"
        f" {cost.probe_pct:.1f}, screen {cost.screen_pct:.1f}), BPF {bpf}"
    )
