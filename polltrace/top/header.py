# SPDX-License-Identifier: GPL-2.0-or-later
"""The header: what the host loses, what a poll costs, what we cost, what we missed."""

from __future__ import annotations

from rich.text import Text

from polltrace.breaks.break_mode import BreakMode
from polltrace.watch.snapshot import OwnCost, Prices, Snapshot


def header(snapshot: Snapshot, width: int) -> list[Text]:
    """Four lines."""
    who = Text(f"polltrace top  {snapshot.host}  ", style="bold")
    who.append(f"{len(snapshot.rows):,} servers: {_modes(snapshot)}", "not bold")
    right = snapshot.clock
    who.truncate(max(0, width - len(right) - 1), pad=True)
    who.append(f" {right}")
    lines = [who, _lost(snapshot), Text(price_line(snapshot.prices)), Text(_cost(snapshot))]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _modes(snapshot: Snapshot) -> str:
    counts = dict(snapshot.totals.sessions)
    said = [f"{counts.pop(BreakMode.IN_BAND):,} in-band"]
    return ", ".join(said + [f"{count:,} {mode.value}" for mode, count in counts.items() if count])


def _lost(snapshot: Snapshot) -> Text:
    totals = snapshot.totals
    lost, used = totals.lost_cores, totals.used_cores
    if lost is None:
        return Text("Lost to break polling: not known yet")
    line = Text("Lost to break polling: ")
    line.append(f"{lost:.3f} CPUs", style="bold red" if lost >= 0.01 * used and lost else "bold")
    line.append(f" of {used:.2f} in use")
    if used:
        line.append(f" ({100 * lost / used:.1f} %)")
    if totals.lost_s:
        line.append(f"; {totals.lost_s:,.1f} s so far")
    if totals.unpriced:
        line.append(f", without {totals.unpriced} not priced yet")
    return line


def price_line(prices: Prices) -> str:
    """What a poll costs and how that is known."""
    if not prices.by_pace_us:
        if prices.failed:
            return f"A poll's price is not known: {prices.failed}"
        return (
            "A poll's price is being measured …"
            if prices.waiting
            else "No poll is priced: no server has polled"
        )
    paces = sorted(prices.by_pace_us)
    values = [1e9 * prices.by_pace_us[pace].value for pace in paces]
    if len(paces) == 1:
        said = f"{values[0]:.0f} ns a poll, at one in {paces[0]} us of CPU"
    else:
        said = (
            f"{min(values):.0f} to {max(values):.0f} ns a poll,"
            f" at one in {paces[0]} to {paces[-1]} us of CPU"
        )
    return f"{said} (measured here, untraced)"


def _cost(snapshot: Snapshot) -> str:
    lost = ", ".join(f"{count:,} {kind}" for kind, count in snapshot.lost.items() if count)
    return f"{_own(snapshot.cost)}; lost: {lost or 'nothing'}"


def _own(cost: OwnCost | None) -> str:
    if cost is None:
        return "polltrace's own cost: not known"
    bpf = "not known" if cost.bpf_pct is None else f"{cost.bpf_pct:.2f}"
    return (
        f"polltrace takes {cost.probe_pct + cost.screen_pct:.1f} % of a CPU (probe"
        f" {cost.probe_pct:.1f}, screen {cost.screen_pct:.1f}), BPF {bpf}"
    )
