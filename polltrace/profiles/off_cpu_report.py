# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of the time that threads were off CPU, as text and as data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from polltrace.profiles.off_cpu import OffCpuTime


def off_cpu_lines(time: OffCpuTime, seconds: float) -> Iterator[str]:
    """The parts of the threads' lives, and a table of the reasons for waiting."""
    threads = "1 thread" if time.threads == 1 else f"{time.threads:,} threads"
    all_ns = time.thread_ns

    def share(ns: int) -> str:
        return f"{100 * ns / all_ns:.2f} %" if all_ns else "-"

    yield (
        f"{threads} in {seconds:.1f} s: {share(time.on_cpu_ns)} of {all_ns / 1e9:,.3f} s on CPU, "
        f"{share(time.queued_ns)} on a run queue, {share(time.blocked_ns)} blocked."
    )
    yield ""
    yield f"{'reason':<22}{'seconds':>12}{'share':>10}{'switches':>14}"
    for row in time.reasons:
        yield f"{row.reason:<22}{row.ns / 1e9:>12,.6f}{share(row.ns):>10}{row.switches:>14,}"
    other_rows = [("(on CPU)", time.cpu_ns), ("(taken from it)", time.taken_ns)]
    if time.unaccounted_ns:
        other_rows.append(("(not seen)", time.unaccounted_ns))
    for name, ns in other_rows:
        yield f"{name:<22}{ns / 1e9:>12,.6f}{share(ns):>10}"
    yield f"CPU, waits and run queue miss {time.unaccounted_ns:,} ns of it."


def off_cpu_notes(time: OffCpuTime | None) -> Iterator[str]:
    """A sentence for all that is not a whole interval with a whole stack."""
    if time is None:
        return
    yield (
        "On CPU is the scheduler's clock; taken from it is what a hypervisor, or interrupts, had "
        "of the time up to the next switch."
    )
    if time.open:
        yield f"Still off CPU at the end: {_threads(time.open)}; the time up to then is counted."
    if time.before:
        yield (
            f"Already off CPU at the start: {_threads(time.before)}; the time from then on is "
            "counted, the program's functions are not known."
        )
    if time.unfollowed:
        yield f"Not followed, for lack of room: {_threads(time.unfollowed)}."
    if time.unwoken:
        yield (
            f"{time.unwoken:,} wake-ups were not seen; how long the threads waited for a processor "
            "then is by the scheduler's counters."
        )
    if time.unswitched:
        yield (
            f"{time.unswitched:,} switches to a thread were not seen; how long it ran then is by "
            "the scheduler's counters."
        )


def off_cpu_data(time: OffCpuTime | None) -> dict[str, Any]:
    """JSON-ready data under the key `off_cpu`; empty where switches were not followed."""
    if time is None:
        return {}
    sums = {"taken_ns": time.taken_ns, "unaccounted_ns": time.unaccounted_ns}
    return {"off_cpu": {**dataclasses.asdict(time), **sums}}


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count:,} threads"
