# SPDX-License-Identifier: GPL-2.0-or-later
"""The sentences of a report, shared by text and page."""

from __future__ import annotations

from polltrace.breaks.break_mode import BreakMode
from polltrace.engines import has_server_title
from polltrace.intervals import Estimate
from polltrace.profiles.losses import losses
from polltrace.recording.summary import RecordingSummary, SessionSummary
from polltrace.stacks.text import printable

_MODES = (
    *(BreakMode.IN_BAND, BreakMode.OUT_OF_BAND, BreakMode.LOCAL),
    *(BreakMode.CHECKING, BreakMode.NOT_CHECKING, BreakMode.NO_CHECK, BreakMode.UNKNOWN),
)
# Lost events of these kinds make no sum smaller; the notes on time off CPU have their numbers.
_TOLD_APART = ("wakeups", "switches")


def verdict(summary: RecordingSummary) -> list[str]:
    """The result in at most six sentences."""
    worst = summary.worst
    if worst is None:
        none = f"No break polls in {span(summary.recording.seconds)}: {modes(summary)}."
        return [none, *_latches(summary)]
    lines = []
    if summary.cost_unknown == len(
        [session for session in summary.sessions if session.break_polls]
    ):
        lines.append(f"{modes(summary).capitalize()}; the cost of a poll was not measured.")
    else:
        lost, used = summary.lost_cores, summary.used_cores
        share = 100 * lost.value / used if used else 0.0
        lines.append(
            f"Break polling takes {lost.value:.3f} CPUs [{lost.low:.3f}, {lost.high:.3f}] of the "
            f"{used:.2f} that are used ({share:.1f} %): {modes(summary)}."
        )
    lines.append(_worst(worst))
    advice = worst.advice
    if advice is not None and advice.mode is BreakMode.IN_BAND:
        lines.append(
            "A session that gets out-of-band polls no more; see the forecast for the rest."
        )
    return [*lines, *_latches(summary)]


def _latches(summary: RecordingSummary) -> list[str]:
    spun, off_cpu = summary.spun_pct, summary.off_cpu
    lines = []
    if spun is not None:
        lines.append(
            f"Spinning for latches takes {pct(spun)} of the CPU time, by samples; 'polltrace "
            "stacks FILE --at cpu' shows which."
        )
    if sleeps := sum(path.sleeps for path in summary.latches):
        slept_ns = sum(path.slept_ns for path in summary.latches)
        lines.append(
            f"Sleeping for latches took {slept_ns / 1e9:,.3f} s, in {sleeps:,} sleeps; 'polltrace "
            "stacks FILE --at offcpu' shows which."
        )
    elif spun is not None and off_cpu is None:
        lines.append("Their sleeps for latches are recorded by 'record --offcpu'.")
    return lines


def _worst(worst: SessionSummary) -> str:
    who = f"{worst.identity[0]} ({printable(instance(worst))}, client {printable(client(worst))})"
    if worst.share is None:
        return f"Most polls are made by {who}: {worst.polls_per_s:,.0f} a second."
    why = f" It is {worst.mode.value}: {printable(worst.reason)}." if worst.reason else ""
    return f"Most is lost by {who}: {pct(worst.share)} of its CPU.{why}"


def modes(summary: RecordingSummary) -> str:
    """The counts of sessions by break mode, such as `1 in-band, 3 out-of-band`, and of processes
    of no known engine.
    """
    counts = [(summary.count(mode), mode.value) for mode in _MODES]
    without_server = [session for session in summary.sessions if session.server is None]
    ended_early = sum(has_server_title(session.title) for session in without_server)
    other_processes = len(without_server) - ended_early
    words = [f"{count:,} {mode}" for count, mode in counts if count]
    if ended_early:
        words.append(
            f"{ended_early:,} gone before {'it was' if ended_early == 1 else 'they were'} inspected"
        )
    if other_processes:
        noun = "process" if other_processes == 1 else "processes"
        words.append(f"{other_processes:,} other {noun}")
    return ", ".join(words) or "no process"


def torn(summary: RecordingSummary) -> list[str]:
    """The line on an incomplete file, for the head of a report; empty for a complete one."""
    tear = summary.recording.tear
    return [f"The file is not whole: {printable(tear)}. What there is of it was read."] * bool(tear)


def quality(summary: RecordingSummary) -> list[str]:
    """The limits of the figures, and the cost of recording."""
    recording = summary.recording
    notes = []
    if recording.header.part > 1:
        notes.append(
            f"This is part {recording.header.part} of its recording, from second "
            f"{recording.header.at_s:,.0f} on."
        )
    trailer = recording.quality
    lost = trailer.lost if trailer else (recording.counted.lost if recording.counted else {})
    counts = {kind: lost[kind] for kind in lost if kind not in _TOLD_APART}
    found_losses = [printable(loss) for loss in losses(counts)]
    notes.append(
        f"LOST, so counts are low: {', '.join(found_losses)}." if found_losses else "Nothing lost."
    )
    if trailer:
        if trailer.late_frames:
            notes.append(f"{trailer.late_frames:,} frames came late.")
        if trailer.unnamed:
            notes.append(
                f"{trailer.unnamed:,} stacks have no names: their processes were gone too soon."
            )
        notes.append(
            f"Recording took {trailer.probe_cpu_s:.2f} s of CPU in the probes, "
            f"{trailer.bpf_s:.2f} s in the kernel, {trailer.recorder_cpu_s:.2f} s in polltrace."
        )
    if recording.unknown:
        notes.append(
            f"{sum(recording.unknown.values()):,} records are of types that this release does not "
            f"know ({printable(', '.join(recording.unknown))}): a newer polltrace shows more."
        )
    return notes


def about(summary: RecordingSummary) -> str:
    """The host, time, duration and command of the recording."""
    recording = summary.recording
    header = recording.header
    when = header.started.replace("T", " ").removesuffix("Z")
    return printable(
        f"{header.host}, Linux {header.kernel} {header.arch}, {when} UTC, "
        f"{span(recording.seconds)}: {' '.join(header.command)}"
    )


def instance(session: SessionSummary) -> str:
    """The instance, or the title of a process that is no dedicated server."""
    return session.server.instance if session.server else session.title


def client(session: SessionSummary) -> str:
    if session.server is None:
        return "-"
    if session.server.linked_from:
        return str(session.server.linked_from)
    return session.server.socket.peer if session.server.socket else "local"


def pct(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{estimate.value:z.2f} % [{estimate.low:z.2f}, {estimate.high:z.2f}]"


def span(seconds: float) -> str:
    """`8.0 s`, `12 min`, `3.5 h`."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
