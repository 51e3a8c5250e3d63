# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording as tidy tables: one row per fact, one column per variable, units in the names'
notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from polltrace.intervals import Estimate
from polltrace.profiles.frames import Identity, ProbeFrame
from polltrace.profiles.off_cpu import OffCpuTime, off_parts
from polltrace.profiles.sampled import AT_POLL, OFF_CPU, ON_CPU, NamedStack
from polltrace.recording.replay import frames
from polltrace.recording.stacks import stacks_of
from polltrace.recording.stream import CHECKS, COUNT, GAPS
from polltrace.recording.summary import RecordingSummary, SessionSummary


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A `name`, a `kind` (text, whole, real, flag, or texts: a list), a `note` on meaning and
    unit.
    """

    name: str
    kind: str
    note: str


_WHO = (
    TableColumn("pid", "whole", "with start_ticks the identity of a process"),
    TableColumn("start_ticks", "whole", "when it started, in clock ticks since boot"),
)

PROCESSES = (
    *_WHO,
    TableColumn("title", "text", "first word of its command line, or a server's title"),
    TableColumn("engine", "text", "null: no dedicated server"),
    TableColumn("instance", "text", ""),
    TableColumn("client", "text", "host:port of the other end of its socket"),
    TableColumn(
        "break_mode", "text", "in-band, out-of-band, local, checking, not checking, unknown"
    ),
    TableColumn("reason", "text", "why it is in-band, or checks, or not"),
    TableColumn(
        "configured_skip", "whole", "checks per poll, by its configuration file; null: not from one"
    ),
    TableColumn("from_s", "real", "s since the recording began: when it came"),
    TableColumn("to_s", "real", "s since the recording began: when it, or the recording, ended"),
    TableColumn("ended", "flag", "it ended before the recording did"),
    TableColumn("cpu_s", "real", "s of CPU time"),
    TableColumn("break_polls", "whole", ""),
    TableColumn("other_polls", "whole", ""),
    TableColumn("lost_cpu_s", "real", "s of CPU time in break checking"),
    TableColumn("lost_pct", "real", "% of its CPU time in break checking, as the report has it"),
    TableColumn("lost_low_pct", "real", "95 % interval"),
    TableColumn("lost_high_pct", "real", "95 % interval"),
    TableColumn("counted_pct", "real", "% of its CPU time, by count and cost per poll"),
    TableColumn("counted_low_pct", "real", "95 % interval"),
    TableColumn("counted_high_pct", "real", "95 % interval"),
    TableColumn("samples", "whole", "on-CPU samples"),
    TableColumn("check_samples_pct", "real", "% of its samples that are in the break check"),
    TableColumn("check_samples_low_pct", "real", "95 % interval"),
    TableColumn("check_samples_high_pct", "real", "95 % interval"),
    TableColumn(
        "thread_s", "real", "s that its threads lived; null: context switches were not followed"
    ),
    TableColumn("blocked_s", "real", "s of these that its threads were blocked"),
    TableColumn("queued_s", "real", "s of these that its threads waited for a processor"),
    TableColumn("switches", "whole", "switches of its threads from a processor"),
)
INTERVALS = (
    *_WHO,
    TableColumn("from_s", "real", "s since the recording began"),
    TableColumn("to_s", "real", "s since the recording began"),
    TableColumn("cpu_s", "real", "s of CPU time within"),
    TableColumn("break_polls", "whole", "within"),
    TableColumn("other_polls", "whole", "within"),
    TableColumn("gaps_timed", "flag", "gaps were timed meanwhile, which slows the process"),
)
STACKS = (
    *_WHO,
    TableColumn("kind", "text", "poll: at a break poll, cpu: on CPU, offcpu: off CPU"),
    TableColumn("functions", "texts", "outermost first; kernel functions last"),
    TableColumn("count", "whole", "times taken; off CPU: switches from a processor"),
    TableColumn("break_polls", "whole", "break polls that these stand for; 0 on and off CPU"),
    TableColumn("is_break_check", "flag", ""),
    TableColumn(
        "waits_for", "text", "off CPU: the reason for being blocked, or run queue; null otherwise"
    ),
    TableColumn("off_cpu_ns", "whole", "ns off CPU for this reason; null otherwise"),
)
GAP_COLUMNS = (
    *_WHO,
    TableColumn("from_ns", "whole", "ns from one break poll to the next, at least"),
    TableColumn("below_ns", "whole", "ns, less than"),
    TableColumn("count", "whole", "gaps so long"),
)

TABLES: Mapping[str, tuple[TableColumn, ...]] = {
    "processes": PROCESSES,
    "intervals": INTERVALS,
    "stacks": STACKS,
    "gaps": GAP_COLUMNS,
}

Row = dict[str, Any]


def rows(summary: RecordingSummary, table: str) -> Iterator[Row]:
    """The rows of one of TABLES, one at a time."""
    match table:
        case "processes":
            yield from map(_process, summary.sessions)
        case "intervals":
            yield from _intervals(summary)
        case "stacks":
            yield from _stacks(summary)
        case "gaps":
            for session in summary.sessions:
                for gap in session.gaps:
                    yield {
                        **_who(session.identity),
                        "from_ns": gap.from_ns,
                        "below_ns": gap.below_ns,
                        "count": gap.count,
                    }


def _process(session: SessionSummary) -> Row:
    return {
        **session.facts(),
        "lost_cpu_s": session.lost_cpu_s.value if session.lost_cpu_s else None,
        **_estimate("lost", session.share),
        **_estimate("counted", session.counted),
        "samples": session.samples,
        **_estimate("check_samples", session.sampled),
        **_lives(session.off_cpu),
    }


def _lives(time: OffCpuTime | None) -> Row:
    return {
        "thread_s": time and time.thread_ns / 1e9,
        "blocked_s": time and time.blocked_ns / 1e9,
        "queued_s": time and time.queued_ns / 1e9,
        "switches": time and time.switches,
    }


def _estimate(name: str, estimate: Estimate | None) -> Row:
    value, low, high = (
        (estimate.value, estimate.low, estimate.high) if estimate else (None, None, None)
    )
    return {f"{name}_pct": value, f"{name}_low_pct": low, f"{name}_high_pct": high}


def _intervals(summary: RecordingSummary) -> Iterator[Row]:
    """The rows of intervals, read from the file itself because reports keep a reduced series."""
    begins_s = summary.recording.header.at_s
    last: dict[Identity, tuple[float, int, int]] = {}
    before_s, timing_until_s = begins_s, -1.0
    for frame in frames(summary.recording.path):
        if frame.stream in (GAPS, CHECKS):
            timing_until_s = frame.at_s
        if frame.stream != COUNT or not isinstance(frame.record, ProbeFrame):
            continue
        for totals in frame.record.processes:
            identity = totals.pid, totals.start_ticks
            totals_now = totals.cpu_s, totals.break_polls, totals.other_polls
            cpu_s, polls, other_polls = last.get(identity, (0.0, 0, 0))
            last[identity] = totals_now
            if not frame.is_base:
                yield {
                    **_who(identity),
                    "from_s": before_s,
                    "to_s": frame.at_s,
                    "cpu_s": totals_now[0] - cpu_s,
                    "break_polls": totals_now[1] - polls,
                    "other_polls": totals_now[2] - other_polls,
                    "gaps_timed": timing_until_s > before_s,
                }
        before_s = frame.at_s


def _stacks(summary: RecordingSummary) -> Iterator[Row]:
    for session in summary.sessions:
        for kind in (AT_POLL, ON_CPU, OFF_CPU):
            for stack in stacks_of(summary.recording, session.identity, kind):
                inwards = [frame.name for frame in reversed((*stack.kernel, *stack.frames))]
                for counts in _counted(stack):
                    yield {
                        **_who(session.identity),
                        "kind": kind,
                        "functions": inwards,
                        "break_polls": stack.polls,
                        "is_break_check": stack.is_break_check,
                        **counts,
                    }


def _counted(stack: NamedStack) -> Iterator[Row]:
    """The counts of a stack; off CPU one row for being blocked, and one for the wait for a
    processor that follows.
    """
    if stack.off is None:
        yield {"count": stack.count, "waits_for": None, "off_cpu_ns": None}
        return
    for reason, ns, switches in off_parts(stack):
        if ns or switches:
            yield {"count": switches, "waits_for": reason, "off_cpu_ns": ns}


def _who(identity: Identity) -> Row:
    return {"pid": identity[0], "start_ticks": identity[1]}
