# SPDX-License-Identifier: GPL-2.0-or-later
"""Where threads were while they were not on a CPU, as text and as data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from polltrace.profiles.off_cpu import OffCpuTime


def off_cpu_lines(time: OffCpuTime, seconds: float) -> Iterator[str]:
    """What the threads' lives divide into, and a table of the reasons."""
    threads = "1 thread" if time.threads == 1 else f"{time.threads:,} threads"
    whole = time.thread_ns

    def share(ns: int) -> str:
        return f"{100 * ns / whole:.2f} %" if whole else "-"

    yield (
        f"{threads} in {seconds:.1f} s: {share(time.cpu_ns)} of {whole / 1e9:,.3f} s on CPU, "
        f"{share(time.queued_ns)} on a run queue, {share(time.blocked_ns)} blocked; "
        f"{share(time.unaccounted_ns)} not accounted for."
    )
    yield ""
    yield f"{'reason':<22}{'seconds':>12}{'share':>10}{'switches':>14}"
    for each in time.reasons:
        yield f"{each.reason:<22}{each.ns / 1e9:>12,.6f}{share(each.ns):>10}{each.switches:>14,}"
    yield f"{'(on CPU)':<22}{time.cpu_ns / 1e9:>12,.6f}{share(time.cpu_ns):>10}"
    rest = time.unaccounted_ns
    yield f"{'(not accounted for)':<22}{rest / 1e9:>12,.6f}{share(rest):>10}"


def off_cpu_notes(time: OffCpuTime | None) -> Iterator[str]:
    """A sentence for all that is not a whole interval with a whole stack."""
    if time is None:
        return
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
        yield f"{time.unwoken:,} wake-ups were not seen: run queue counts as blocked there."


def off_cpu_data(time: OffCpuTime | None) -> dict[str, Any]:
    """As JSON-ready data under `off_cpu`; nothing where there is none."""
    if time is None:
        return {}
    return {"off_cpu": {**dataclasses.asdict(time), "unaccounted_ns": time.unaccounted_ns}}


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count:,} threads"
