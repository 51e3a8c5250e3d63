# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace diff`: two recordings as text, as data, and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from polltrace import __version__
from polltrace.engines.drawing import layers_of, searched
from polltrace.intervals import Estimate
from polltrace.profiles.sampled import AT_POLL, OFF_CPU, ON_CPU
from polltrace.recording.difference import Change, Difference
from polltrace.recording.stacks import folded_stacks, waiting_functions
from polltrace.recording_report.html import flame_frame, shell, table
from polltrace.recording_report.plots import text
from polltrace.recording_report.sentences import about, quality, torn
from polltrace.stacks.compare import FunctionChange, compare
from polltrace.stacks.folded import Folded
from polltrace.stacks.picture import NANOSECONDS, Picture, Side
from polltrace.stacks.text import printable

_MOST_FUNCTIONS = 12


def diff_text(found: Difference) -> str:
    """Verdict, figures, break modes and skips, functions."""
    lines = [*_sides(found), "", *verdict(found), ""]
    rows = _rows(found)
    wide = max(28, *(len(row[0]) for row in rows))
    lines.append(f"{'':<{wide}} {'BEFORE':>26} {'AFTER':>26} {'CHANGE [95 %]':>30}")
    lines += [f"{name:<{wide}} {a:>26} {b:>26} {change:>30}" for name, a, b, change in rows]
    kind, before, after = folded_pair(found)
    lines += _functions_lines(_KINDS[kind], before, after)
    lines += _functions_lines("the time off CPU", *waiting_pair(found))
    return "\n".join(lines)


def _functions_lines(what: str, before: Folded, after: Folded) -> Iterator[str]:
    if before or after:
        yield ""
        yield f"Functions, own share of {what}, largest change first:"
        yield from (f"  {_points(c)}  {printable(c.name)}" for c in functions(before, after))


def diff_data(found: Difference) -> dict[str, Any]:
    """Estimates as [value, low, high]; null is unknown."""
    kind, before, after = folded_pair(found)
    return {
        "before": str(found.before.recording.path),
        "after": str(found.after.recording.path),
        "changes": _changes_data(found.changes),
        "off_cpu": _changes_data(found.waits),
        "sessions_by_break_mode": {mode: list(counts) for mode, counts in found.modes.items()},
        "sessions_by_skip": {str(skip): list(counts) for skip, counts in found.skips.items()},
        "stacks": kind,
        "functions": _functions_data(before, after),
        "functions_off_cpu": _functions_data(*waiting_pair(found)),
    }


def _changes_data(changes: Iterable[Change]) -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "unit": each.unit or None,
            "before": _list(each.before),
            "after": _list(each.after),
            "change": _list(each.change),
            "certain": each.change.excludes_zero if each.change and each.has_interval else None,
        }
        for each in changes
    ]


def _functions_data(before: Folded, after: Folded) -> list[dict[str, Any]]:
    return [
        {
            "name": c.name,
            "own_before": c.self_before,
            "own_after": c.self_after,
            "with_callees_before": c.total_before,
            "with_callees_after": c.total_after,
        }
        for c in compare(before, after)
    ]


def diff_page(found: Difference) -> str:
    """One page, the flame graphs showing what grew and what shrank."""
    kind, before, after = folded_pair(found)
    title = "On-CPU stacks" if kind == ON_CPU else "Stacks at break polls"
    graphs = _graph(found, "Where the time goes, and went", title, "samples", before, after)
    if found.waits:
        off_cpu = [folded_stacks(side.recording, OFF_CPU) for side in (found.before, found.after)]
        heading = "What is waited for, and was"
        graphs += _graph(found, heading, "Off-CPU stacks", NANOSECONDS, *off_cpu)
    body = [
        "<header><h1>Break polling, before and after</h1>",
        *(f'<p class="about">{text(each)}</p>' for each in _sides(found)),
        "</header>",
        f'<section class="verdict"><p>{text(" ".join(verdict(found)))}</p></section>',
        table(["", "Before", "After", "Change [95 %]"], _rows(found), left=[0]),
        graphs,
        "<h2>How good this is</h2>",
        *(
            f"<h3>{name}</h3><ul>{''.join(f'<li>{text(e)}</li>' for e in quality(side))}</ul>"
            for name, side in (("Before", found.before), ("After", found.after))
        ),
    ]
    return shell("Break polling, before and after", "\n".join(body), has_graph=bool(graphs))


def _graph(  # noqa: PLR0913, PLR0917
    found: Difference, heading: str, title: str, unit: str, before: Folded, after: Folded
) -> str:
    """A differential flame graph; nothing without stacks."""
    if not before and not after:
        return ""
    engines = found.before.engines | found.after.engines
    return f"<h2>{heading}</h2>" + flame_frame(
        Picture(
            title=title,
            side=Side("after", after),
            before=Side("before", before),
            layers=layers_of(engines),
            unit=unit,
            find=searched(engines),
            exporter=f"polltrace {__version__}",
        )
    )


def verdict(found: Difference) -> list[str]:
    """Whether more or less is lost, or why that is not known."""
    lost = next((each for each in reversed(found.changes[3:]) if each.change), None)
    by_model = found.changes[3]
    chosen = by_model if by_model.change else lost
    if chosen is None or chosen.change is None or chosen.before is None or chosen.after is None:
        return [
            "The cost of break polling is not known in both: one has no calibration and no samples."
        ]
    how = "polls and their cost" if chosen is by_model else "samples"
    change = chosen.change
    if not change.excludes_zero:
        return [
            f"Break polling took {chosen.before.value:.2f} % of the CPU time and takes "
            f"{chosen.after.value:.2f} %: by {how} the difference cannot be told from noise."
        ]
    word = "more" if change.value > 0 else "less"
    return [
        f"Break polling takes {abs(change.value):.2f} points of the CPU time {word}: "
        f"{chosen.after.value:.2f} % after {chosen.before.value:.2f} %, by {how}."
    ]


def folded_pair(found: Difference) -> tuple[str, Folded, Folded]:
    """The stacks of both, on CPU if both have such, else at break polls."""
    for kind in (ON_CPU, AT_POLL):
        before, after = (folded_stacks(s.recording, kind) for s in (found.before, found.after))
        if before and after:
            return kind, before, after
    return ON_CPU, {}, {}


def waiting_pair(found: Difference) -> tuple[Folded, Folded]:
    """The functions that wait off CPU in both; empty unless both have them."""
    if not found.waits:
        return {}, {}
    return waiting_functions(found.before.recording), waiting_functions(found.after.recording)


def functions(before: Folded, after: Folded) -> list[FunctionChange]:
    """Those whose own share changed most."""
    return [c for c in compare(before, after) if c.self_change][:_MOST_FUNCTIONS]


_KINDS = {ON_CPU: "CPU samples", AT_POLL: "break polls"}


def _sides(found: Difference) -> list[str]:
    return [
        *(f"before: {each}" for each in (about(found.before), *torn(found.before))),
        *(f"after:  {each}" for each in (about(found.after), *torn(found.after))),
    ]


def _rows(found: Difference) -> list[list[str]]:
    changes = (*found.changes, *found.waits)
    rows = [[_name(c), _value(c.before), _value(c.after), _change(c)] for c in changes]
    counts = [(f"{mode} sessions", pair) for mode, pair in found.modes.items()]
    counts += [(f"sessions of skip {skip}", pair) for skip, pair in found.skips.items()]
    rows += [[name, f"{a:,}", f"{b:,}", f"{b - a:+,}" if b - a else "0"] for name, (a, b) in counts]
    return rows


def _name(change: Change) -> str:
    return f"{change.name}, {change.unit}" if change.unit else change.name


def _value(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    if estimate.high <= estimate.low:
        return _figure(estimate.value)
    low, high = _figure(estimate.low), _figure(estimate.high)
    return f"{_figure(estimate.value)} [{low}, {high}]"


def _change(change: Change) -> str:
    found = change.change
    if found is None:
        return "-"
    if not change.has_interval:
        return f"{'+' if found.value > 0 else ''}{_figure(found.value)}"
    sign = "+" if found.value > 0 else ""
    noise = "" if found.excludes_zero else " (noise)"
    return f"{sign}{_figure(found.value)} [{_figure(found.low)}, {_figure(found.high)}]{noise}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _points(change: FunctionChange) -> str:
    return (
        f"{100 * change.self_before:>6.2f} % {100 * change.self_after:>6.2f} % "
        f"{100 * change.self_change:>+7.2f} points"
    )


def _list(estimate: Estimate | None) -> list[float] | None:
    return [estimate.value, estimate.low, estimate.high] if estimate else None
