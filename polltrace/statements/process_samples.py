# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts and samples of one process in a recording, over the host's CLOCK_MONOTONIC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from polltrace.profiles.frames import Identity, ProbeFrame, ProcessTotals
from polltrace.profiles.sampled import ON_CPU, SymbolSource
from polltrace.recording.replay import frames
from polltrace.recording.stream import COUNT, CPU
from polltrace.stacks import ProcessError
from polltrace.statements.attribution import Readings
from polltrace.statements.whereabouts import OnCpuSamples


def _totals(
    recording: Path, stream: str, identity: Identity, began_s: float
) -> Iterator[tuple[int, ProcessTotals | None]]:
    """Totals of the process by frame, with the frame's time in microseconds.

    They are None in a frame where the process was idle.
    """
    for frame in frames(recording):
        if frame.stream == stream and isinstance(frame.record, ProbeFrame):
            processes = (p for p in frame.record.processes if p.identity == identity)
            yield round(1e6 * (began_s + frame.at_s)), next(processes, None)


def break_polls(recording: Path, identity: Identity, began_s: float) -> Readings:
    """Totals since the recording began, at `began_s` of CLOCK_MONOTONIC."""
    at_us: list[int] = [round(1e6 * began_s)]
    totals: list[float] = [0.0]
    for now_us, process in _totals(recording, COUNT, identity, began_s):
        if now_us > at_us[-1]:
            at_us.append(now_us)
            totals.append(float(process.break_polls) if process else totals[-1])
    return Readings(at_us, totals)


def on_cpu_samples(
    recording: Path, identity: Identity, began_s: float, names: SymbolSource
) -> OnCpuSamples:
    """Samples on CPU by the innermost function that has a name."""
    at_us: list[int] = [round(1e6 * began_s)]
    counts: list[Counter[str]] = []
    previous_counts: dict[tuple[object, ...], int] = {}
    for now_us, process in _totals(recording, CPU, identity, began_s):
        span: Counter[str] = Counter()
        for stack in process.stacks if process else ():
            key = stack.addresses, stack.found, stack.stop
            new_samples = stack.count - previous_counts.get(key, 0)
            if stack.kind == ON_CPU and new_samples > 0:
                previous_counts[key] = stack.count
                span[_function(names, identity[0], stack.addresses)] += new_samples
        at_us.append(now_us)
        counts.append(span)
    return OnCpuSamples(at_us, counts)


def _function(names: SymbolSource, pid: int, addresses: tuple[int, ...]) -> str:
    try:
        return next((f.name for f in names.user(pid, addresses) if f.named), "(no name)")
    except ProcessError:
        return "(no name)"
