# SPDX-License-Identifier: GPL-2.0-or-later
"""The break_poll_skip in force: measured from a burst of counted checks, or read from configuration
and marked so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from polltrace.breaks.sqlnet import BreakSettings
from polltrace.profiles.frames import Burst


@dataclass(frozen=True, slots=True)
class MeasuredSkip:
    """Checks per break poll: `value` is the whole number, `checks_per_poll` the ratio as counted
    (not whole for a process that polls elsewhere too), `burst` the counts themselves."""

    value: int
    checks_per_poll: float
    burst: Burst


@dataclass(frozen=True, slots=True)
class Skip:
    """The skip that the forecast starts from, with its source.

    `value` is the skip, `how` its source in words; `measured` is None where it was only inferred.
    `configured` is the value in the sqlnet.ora, None where that could not be read; `finding` states
    a contradiction with the measured one, empty without a contradiction.
    """

    value: int
    how: str
    measured: MeasuredSkip | None
    configured: int | None
    finding: str = ""


def measured_skip(burst: Burst | None) -> MeasuredSkip | None:
    """The skip by a burst, exact because it was counted from one poll to another; None without a
    poll.
    """
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
    """The skip in force in a process that started at `started_at`, seconds since the epoch.

    `why_not` is the reason why its checks could not be counted.
    """
    configured = settings.known_skip
    measured = measured_skip(burst)
    edited = settings.changed_since(started_at)
    when = ""
    if edited and settings.changed_at is not None and started_at is not None:
        when = (
            f"{settings.path} was changed {_at(settings.changed_at)}, after the process started "
            f"({_at(started_at)}); the process still uses the old settings"
        )
    if measured is None:
        if not why_not:
            why_not = (burst.error if burst else "") or "no break poll while checks were counted"
        how = f"not measured ({why_not}) but inferred: {settings.source}"
        return Skip(settings.break_poll_skip, how, None, configured, when)
    how = (
        f"measured: {measured.burst.calls:,} checks made {measured.burst.break_polls:,} break polls"
    )
    finding = ""
    if configured is None:
        finding = f"whether that is the configured skip is not known: {settings.unread}"
    elif measured.value != configured:
        cause = when or "the process read another file, or its engine follows other rules"
        finding = f"in force is {measured.value}, but configured {configured} ({settings.source}): "
        finding += cause
    elif edited:
        finding = when + ", which gave the same skip"
    return Skip(measured.value, how, measured, configured, finding)


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")
