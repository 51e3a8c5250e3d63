# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stat --cross-check` as text or data."""

from __future__ import annotations

from typing import Any

from polltrace.cross_check.readings import OFF_CPU, Reading
from polltrace.cross_check.run import CrossCheck, FigureCheck, ToolCheck
from polltrace.cross_check.tool_process import ToolCost
from polltrace.profiles.losses import losses
from polltrace.profiles.stat_report import stat_data


def cross_check_data(check: CrossCheck) -> dict[str, Any]:
    """The report as JSON-ready data; seconds are since polltrace's probe was attached."""
    origin_s = check.ours[0].latest_s
    return {
        "differs": check.differs,
        "polltrace": {
            **stat_data(check.profile),
            "from_s": 0.0,
            "to_s": check.ours[-1].latest_s - origin_s,
            "cpu_s": check.cpu_s,
            "bpf_s": check.bpf_s,
        },
        "tools": [_tool_data(item, origin_s) for item in check.checks],
        "unused": check.unused,
    }


def cross_check_text(check: CrossCheck) -> str:
    """Polltrace's window and cost, a block for each tool, the tools left out, and the result."""
    origin_s = check.ours[0].latest_s
    bpf = "programs not timed" if check.bpf_s is None else f"programs {check.bpf_s:.3f} s"
    totals = check.ours[-1].totals
    lines = [
        f"polltrace       0.000 to {check.ours[-1].latest_s - origin_s:.3f} s; "
        f"CPU {check.cpu_s:.2f} s, {bpf}",
        *(f"  {figure:<14}{count:>14,}" for figure, count in totals.items()),
    ]
    if phrases := losses(check.profile.lost):
        lines.append(f"  LOST, so counts are too low: {', '.join(phrases)}")
    for item in check.checks:
        lines += ["", *_block(item, origin_s)]
    lines += ["", *(f"{name:<16}left out: {reason}" for name, reason in check.unused.items())]
    return "\n".join([*lines, *([""] if check.unused else []), result_line(check)])


def result_line(check: CrossCheck) -> str:
    """The sentence that ends the report."""
    if not check.checks:
        return "Cannot tell: no other tool counted here."
    differing = [
        f"{item.counts.name} ({figure.figure})"
        for item in check.checks
        for figure in item.figures
        if figure.agrees is False
    ]
    if differing:
        return f"DIFFERENT: {', '.join(differing)}."
    agreeing = [
        item.counts.name for item in check.checks if any(figure.agrees for figure in item.figures)
    ]
    if not agreeing:
        return "Cannot tell: no figure of another tool could be compared."
    return f"Agreement with {', '.join(agreeing)}, within the bounds above."


def _block(item: ToolCheck, origin_s: float) -> list[str]:
    counts = item.counts
    start_s, end_s = counts.start.latest_s - origin_s, counts.end.earliest_s - origin_s
    edge_s = max(_length(counts.start), _length(counts.end))
    return [
        f"{counts.name:<16}{start_s:.3f} to {end_s:.3f} s, edges within {edge_s:.3f} s; "
        f"{_cost(counts.cost)}",
        *(_figure(figure) for figure in item.figures),
    ]


def _figure(check: FigureCheck) -> str:
    row = f"  {check.figure:<14}{check.count:>14,}"
    if check.ours is None:
        return f"{row}   polltrace does not cover these seconds: cannot tell"
    least, most = check.ours.least, check.ours.most
    if check.figure == OFF_CPU and check.agrees is None:
        return f"{row}   polltrace at most {most:,}: not more, without waits at the edges"
    row += f"   polltrace {least:,}" if least == most else f"   polltrace {least:,} to {most:,}"
    if check.agrees:
        if least == most:
            return f"{row}: equal"
        share = f" ({100 * (most - least) / check.count:.2g} %)" if check.count else ""
        return f"{row}: agrees within {most - least:,}{share}"
    excess = check.count - most if check.count > most else least - check.count
    direction = "more" if check.count > most else "fewer"
    return f"{row}: DIFFERENT, at least {excess:,} {direction}"


def _cost(cost: ToolCost) -> str:
    if not cost.runs or not cost.run_ns:
        return f"CPU {cost.cpu_s:.2f} s, added time not measured"
    return (
        f"CPU {cost.cpu_s:.2f} s, programs {cost.run_ns / 1e9:.3f} s "
        f"({cost.run_ns / cost.runs:.0f} ns a run)"
    )


def _length(reading: Reading) -> float:
    return reading.latest_s - reading.earliest_s


def _tool_data(item: ToolCheck, origin_s: float) -> dict[str, Any]:
    counts = item.counts
    return {
        "name": counts.name,
        "from_s": [moment - origin_s for moment in counts.start[:2]],
        "to_s": [moment - origin_s for moment in counts.end[:2]],
        "cpu_s": counts.cost.cpu_s,
        "program_runs": counts.cost.runs,
        "program_ns": counts.cost.run_ns,
        "figures": [
            {
                "figure": figure.figure,
                "count": figure.count,
                "polltrace": figure.ours and [figure.ours.least, figure.ours.most],
                "agrees": figure.agrees,
            }
            for figure in item.figures
        ],
    }
