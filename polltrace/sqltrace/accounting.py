# SPDX-License-Identifier: GPL-2.0-or-later
"""Elapsed time of traces, and remarks on their completeness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from polltrace.sqltrace.file_summary import FileSummary

_NAMED = 3

CLOCKS = {"auto": 0, "1": 1000, "1.024": 1024, "10000": 10_000_000}
"""Nanoseconds of a unit of tim by --clock; 0: as the file shows."""


class Accounting(NamedTuple):
    """The parts of the elapsed time, in microseconds.

    elapsed: of all sessions, each from its first start to its last end; accounted: CPU of the
    client's calls, and all waits; orphans: CPU of recursive calls that no call contains;
    unaccounted: the rest, negative where more was counted than passed.
    """

    elapsed: int
    accounted: int
    orphan_calls: int
    orphans: int

    @property
    def unaccounted(self) -> int:
        return self.elapsed - self.accounted - self.orphans


def accounting(accounted: int, summaries: Sequence[FileSummary]) -> Accounting:
    return Accounting(
        sum(summary.elapsed for summary in summaries),
        accounted,
        sum(summary.orphan_calls for summary in summaries),
        sum(summary.orphan_c for summary in summaries),
    )


def not_understood(summaries: Sequence[FileSummary]) -> Mapping[str, int]:
    """Lines, by kind, that are no record and nothing else that is known; most first."""
    kinds: Counter[str] = Counter()
    for summary in summaries:
        kinds.update(summary.not_understood)
        kinds["(number out of range)"] += summary.out_of_range
        kinds["(negative duration)"] += summary.negative
    return {kind: count for kind, count in kinds.most_common() if count}


def remarks(summaries: Sequence[FileSummary]) -> Iterator[str]:
    """Remarks that qualify the numbers, one line per remark."""
    kinds = not_understood(summaries)
    if kinds:
        listed = ", ".join(f"{kind} {count:,}" for kind, count in list(kinds.items())[:8])
        yield f"{sum(kinds.values()):,} lines were not understood: {listed}"
    yield from _files(
        "reached its size limit: calls after that are missing",
        (summary for summary in summaries if summary.limited),
    )
    yield from _files(
        "goes on in another file, which has the calls after that",
        (summary for summary in summaries if summary.continues_in),
    )
    yield from _files(
        "goes on from another file: statements that were parsed there are called by their cursor",
        (summary for summary in summaries if summary.continued_from),
    )
    for summary in summaries:
        if summary.segments_missing:
            yield (
                f"{summary.file}: of its {summary.segments + summary.segments_missing:,} segments, "
                f"{summary.segments_missing:,} were deleted: their calls are missing"
            )
        if summary.clock_measured and abs(summary.clock_measured / summary.clock - 1) > 0.01:
            yield (
                f"{summary.file}: by its timestamps a unit of tim is "
                f"{summary.clock_measured / 1000:.3f} us, but was taken for "
                f"{summary.clock / 1000:g} us{_clock_advice(summary.clock_measured)}"
            )
    yield from _files(
        "has waits without a time, as before Oracle 10.2: unaccounted-for time of a call is not "
        "known, and the elapsed time may be longer",
        (summary for summary in summaries if summary.untimed_waits),
    )
    yield from _files(
        "has errors whose time is in hundredths of another clock, as before Oracle 11: they have "
        "no time here",
        (summary for summary in summaries if summary.untimed_errors),
    )
    yield from _files(
        "grew while it was read: read up to where it had ended",
        (summary for summary in summaries if summary.change == "grew"),
    )
    yield from _files(
        "shrank while it was read: calls are missing",
        (summary for summary in summaries if summary.change == "shrank"),
    )
    yield from _files(
        "has calls of recursion only; --alldepths shows them",
        (summary for summary in summaries if summary.least_depth > 0),
    )
    yield from _files(
        "has a clock that goes back: its elapsed time is doubtful",
        (summary for summary in summaries if summary.clock_steps),
    )
    yield from _files(
        "has more cursors than are kept: some calls lost their statement",
        (summary for summary in summaries if summary.cursors_forgotten),
    )


def _clock_advice(measured: int) -> str:
    """The option for the unit that is near the measured nanoseconds."""
    for name, unit in CLOCKS.items():
        if unit and abs(measured / unit - 1) < 0.02:
            return f" (--clock {name} sets it)"
    return ": its times are doubtful"


def _files(text: str, summaries: Iterable[FileSummary]) -> Iterator[str]:
    files = [summary.file for summary in summaries]
    for file in files[:_NAMED]:
        yield f"{file}: {text}"
    if len(files) > _NAMED:
        yield f"{len(files) - _NAMED:,} more files: {text}"
