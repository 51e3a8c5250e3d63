# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of `polltrace diff` on two recordings, as text and as data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from polltrace.intervals import Estimate
from polltrace.profiles.sampled import AT_POLL, ON_CPU
from polltrace.recording.difference import Difference, FigureChange
from polltrace.recording.stacks import folded_stacks, waiting_functions
from polltrace.recording_report.sentences import about, torn
from polltrace.stacks.compare import FunctionChange, compare
from polltrace.stacks.folded import Folded, total
from polltrace.stacks.text import printable

_MOST_FUNCTIONS = 12
HEADS = ["", "Before", "After", "Change [95 %]"]


def diff_text(difference: Difference) -> str:
    """The verdict, then figures, break modes and skips, and functions."""
    lines = [*sides_lines(difference), "", *verdict(difference), ""]
    rows = [row.cells for row in figure_rows(difference)]
    wide = max(28, *(len(row[0]) for row in rows))
    lines.append(f"{'':<{wide}} {'BEFORE':>26} {'AFTER':>26} {'CHANGE [95 %]':>30}")
    lines += [f"{name:<{wide}} {a:>26} {b:>26} {change:>30}" for name, a, b, change in rows]
    kind, earlier, later = folded_pair(difference)
    lines += _functions_lines(_KINDS[kind], earlier, later, are_samples=kind == ON_CPU)
    lines += _functions_lines("the time off CPU", *waiting_pair(difference))
    lines += bpf_lines(difference)
    return "\n".join(lines)


def _functions_lines(
    measure: str, earlier: Folded, later: Folded, *, are_samples: bool = False
) -> Iterator[str]:
    if not earlier and not later:
        return
    changes = [change for change in compare(earlier, later) if change.self_change]
    noise = noise_limits(changes, earlier, later) if are_samples else {}
    certain = [
        change for change in changes if abs(change.self_change) > noise.get(change.name, 0.0)
    ]
    yield ""
    yield f"Functions, own share of {measure}, largest change first:"
    yield from (
        f"  {_points(change)}  {printable(change.name)}" for change in certain[:_MOST_FUNCTIONS]
    )
    if left_out := len(changes) - len(certain):
        functions = "function" if left_out == 1 else "functions"
        yield f"  {left_out:,} {functions} more, whose change cannot be told from noise"


def diff_data(difference: Difference) -> dict[str, Any]:
    """The report as JSON-ready data. Estimates are [value, low, high]; null is unknown."""
    kind, earlier, later = folded_pair(difference)
    return {
        "before": str(difference.earlier.recording.path),
        "after": str(difference.later.recording.path),
        "changes": _changes_data(difference.changes),
        "off_cpu": _changes_data(difference.waits),
        "sessions_by_break_mode": {mode: list(counts) for mode, counts in difference.modes.items()},
        "sessions_by_skip": {str(skip): list(counts) for skip, counts in difference.skips.items()},
        "stacks": kind,
        "samples_in_bpf_left_out": list(samples_in_bpf(difference)),
        "functions": _functions_data(earlier, later, are_samples=kind == ON_CPU),
        "functions_off_cpu": _functions_data(*waiting_pair(difference)),
    }


def _changes_data(changes: Iterable[FigureChange]) -> list[dict[str, Any]]:
    return [
        {
            "name": change.name,
            "unit": change.unit or None,
            "before": _list(change.earlier),
            "after": _list(change.later),
            "change": _list(change.change),
            "certain": change.change.excludes_zero
            if change.change and change.has_interval
            else None,
        }
        for change in changes
    ]


def _functions_data(
    earlier: Folded, later: Folded, *, are_samples: bool = False
) -> list[dict[str, Any]]:
    """The changes of all functions; `certain` is null where stacks are not samples."""
    changes = compare(earlier, later)
    noise = noise_limits(changes, earlier, later) if are_samples else {}
    return [
        {
            "name": c.name,
            "own_before": c.self_before,
            "own_after": c.self_after,
            "with_callees_before": c.total_before,
            "with_callees_after": c.total_after,
            "certain": abs(c.self_change) > noise[c.name] if c.name in noise else None,
        }
        for c in changes
    ]


def verdict(difference: Difference) -> list[str]:
    """The sentence on whether more or less is lost, or on why that is not known."""
    lost = next((change for change in reversed(difference.changes[3:]) if change.change), None)
    by_model = difference.changes[3]
    chosen = by_model if by_model.change else lost
    if chosen is None or chosen.change is None or chosen.earlier is None or chosen.later is None:
        return [
            "The cost of break polling is not known in both: one has no calibration and no samples."
        ]
    how = "polls and their cost" if chosen is by_model else "samples"
    change = chosen.change
    if not change.excludes_zero:
        return [
            f"Break polling took {chosen.earlier.value:.2f} % of the CPU time and takes "
            f"{chosen.later.value:.2f} %: by {how} the difference cannot be told from noise."
        ]
    word = "more" if change.value > 0 else "less"
    return [
        f"Break polling takes {abs(change.value):.2f} points of the CPU time {word}: "
        f"{chosen.later.value:.2f} % after {chosen.earlier.value:.2f} %, by {how}."
    ]


def folded_pair(difference: Difference) -> tuple[str, Folded, Folded]:
    """The stacks of both recordings, on CPU if both have such, else at break polls.

    Samples in BPF programs are left out: they are an observer's work, the probe's own above all,
    and not the session's.
    """
    for kind in (ON_CPU, AT_POLL):
        earlier, later = (
            {
                names: count
                for names, count in folded_stacks(side.recording, kind).items()
                if not any(map(_is_bpf, names))
            }
            for side in (difference.earlier, difference.later)
        )
        if earlier and later:
            return kind, earlier, later
    return ON_CPU, {}, {}


def samples_in_bpf(difference: Difference) -> tuple[int, int]:
    """The on-CPU samples of both recordings that are in BPF programs."""
    before, after = (
        sum(
            count
            for names, count in folded_stacks(side.recording, ON_CPU).items()
            if any(map(_is_bpf, names))
        )
        for side in (difference.earlier, difference.later)
    )
    return before, after


def _is_bpf(name: str) -> bool:
    """True for the kernel's name of a BPF program, or of the code that calls one."""
    return name.startswith(("bpf_prog_", "bpf_trampoline_"))


def bpf_lines(difference: Difference) -> Iterator[str]:
    """The note on samples that are left out, after an empty line; nothing without such."""
    before, after = samples_in_bpf(difference)
    if before or after:
        yield ""
        yield (
            f"Left out: {before:,} and {after:,} samples in BPF programs, the work of the probe "
            "and of other observers."
        )


def waiting_pair(difference: Difference) -> tuple[Folded, Folded]:
    """The functions that wait off CPU in both recordings; empty unless both have them."""
    if not difference.waits:
        return {}, {}
    return waiting_functions(difference.earlier.recording), waiting_functions(
        difference.later.recording
    )


def noise_limits(
    changes: Sequence[FunctionChange], earlier: Folded, later: Folded
) -> dict[str, float]:
    """The largest change of each function's own share (0 to 1) that two draws of as many samples
    make by chance, for all functions together (Bonferroni).
    """
    counts = total(earlier), total(later)
    if not changes or not all(counts):
        return {}
    z = NormalDist().inv_cdf(1 - 0.025 / len(changes))
    return {
        change.name: z
        * math.sqrt(
            sum(
                share * (1 - share) / count
                for share, count in zip(
                    (change.self_before, change.self_after), counts, strict=True
                )
            )
        )
        for change in changes
    }


_KINDS = {ON_CPU: "CPU samples", AT_POLL: "break polls"}


def sides_lines(difference: Difference) -> list[str]:
    """A line for each recording, with its gaps."""
    return [
        *(f"before: {line}" for line in (about(difference.earlier), *torn(difference.earlier))),
        *(f"after:  {line}" for line in (about(difference.later), *torn(difference.later))),
    ]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """The cells of a figure: name, before, after, change. `is_noise`: its change has an interval
    that includes zero.
    """

    cells: Sequence[str]
    is_noise: bool


def figure_rows(difference: Difference) -> list[ChangeRow]:
    """The figures of both recordings and their changes, then counts of sessions."""
    changes = (*difference.changes, *difference.waits)
    rows = [
        ChangeRow([_name(c), _value(c.earlier), _value(c.later), _change(c)], _is_noise(c))
        for c in changes
    ]
    counts = [(f"{mode} sessions", pair) for mode, pair in difference.modes.items()]
    counts += [(f"sessions of skip {skip}", pair) for skip, pair in difference.skips.items()]
    for name, (before, after) in counts:
        change = f"{after - before:+,}" if after != before else "0"
        rows.append(ChangeRow([name, f"{before:,}", f"{after:,}", change], is_noise=False))
    return rows


def _is_noise(change: FigureChange) -> bool:
    return bool(change.change and change.has_interval and not change.change.excludes_zero)


def _name(change: FigureChange) -> str:
    return f"{change.name}, {change.unit}" if change.unit else change.name


def _value(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    if estimate.high <= estimate.low:
        return _figure(estimate.value)
    low, high = _figure(estimate.low), _figure(estimate.high)
    return f"{_figure(estimate.value)} [{low}, {high}]"


def _change(change: FigureChange) -> str:
    estimate = change.change
    if estimate is None:
        return "-"
    if not change.has_interval:
        return f"{'+' if estimate.value > 0 else ''}{_figure(estimate.value)}"
    sign = "+" if estimate.value > 0 else ""
    noise = " (noise)" if _is_noise(change) else ""
    low, high = _figure(estimate.low), _figure(estimate.high)
    return f"{sign}{_figure(estimate.value)} [{low}, {high}]{noise}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _points(change: FunctionChange) -> str:
    return (
        f"{100 * change.self_before:>6.2f} % {100 * change.self_after:>6.2f} % "
        f"{100 * change.self_change:>+7.2f} points"
    )


def _list(estimate: Estimate | None) -> list[float] | None:
    return [estimate.value, estimate.low, estimate.high] if estimate else None
