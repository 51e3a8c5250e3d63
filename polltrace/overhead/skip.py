# SPDX-License-Identifier: GPL-2.0-or-later
"""The break_poll_skip in force: measured from a burst of counted checks, or read and marked so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from polltrace.breaks.sqlnet import BreakSettings
from polltrace.profiles.frames import Burst


@dataclass(frozen=True, slots=True)
class MeasuredSkip:
    """Checks per break poll, as a whole number and as it was counted: a process that polls in
    other places as well has no whole one."""

    value: int
    checks_per_poll: float
    burst: Burst


@dataclass(frozen=True, slots=True)
class Skip:
    """`value` is what the forecast goes by; `how` where it is from; `finding` what is wrong."""

    value: int
    how: str
    measured: MeasuredSkip | None
    configured: int
    finding: str = ""


def measured_skip(burst: Burst | None) -> MeasuredSkip | None:
    """None for a burst without a poll. Exact: it was counted from one poll to another."""
    if burst is None or not burst.break_polls or burst.calls < burst.break_polls:
        return None
    ratio = burst.calls / burst.break_polls
    return MeasuredSkip(max(1, round(ratio)), ratio, burst)


def skip_in_force(
    settings: BreakSettings,
    burst: Burst | None,
    *,
    why_not: str = "",
    started_at: float | None = None,
) -> Skip:
    """What is in force in a process that started at `started_at`, seconds since the epoch.

    `why_not` says why its checks could not be counted.
    """
    configured = settings.break_poll_skip
    measured = measured_skip(burst)
    edited = settings.changed_since(started_at)
    when = ""
    if edited and settings.changed_at is not None and started_at is not None:
        when = (
            f"{settings.path} was changed {_at(settings.changed_at)}, after the process started "
            f"({_at(started_at)}): it goes by what the file said then"
        )
    if measured is None:
        if not why_not:
            why_not = (burst.error if burst else "") or "no break poll while checks were counted"
        how = f"not measured ({why_not}) but inferred: {settings.source}"
        return Skip(configured, how, None, configured, when)
    how = (
        f"measured: {measured.burst.calls:,} checks made {measured.burst.break_polls:,} break polls"
    )
    finding = ""
    if measured.value != configured:
        cause = when or "the process read another file, or its engine goes by other rules"
        finding = f"in force is {measured.value}, but configured {configured} ({settings.source}): "
        finding += cause
    elif edited:
        finding = when + ", which gave the same skip"
    return Skip(measured.value, how, measured, configured, finding)


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")
