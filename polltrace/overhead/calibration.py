# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a break poll on this host, measured by polltrace-calibrate with no probe attached."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.engines import BREAK_POLL, CheckKind
from polltrace.errors import HostError
from polltrace.executables import find_executable
from polltrace.intervals import Estimate
from polltrace.overhead.calibration_fit import disturbed, fitted
from polltrace.overhead.cost_model import calibrated_cost, check_cost, unjudged_cost
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.host_store import this_host
from polltrace.overhead.observer import Observer, SilentObserver
from polltrace.overhead.poll_cost import SHORTEST_TIMER_S, Knot, PollCost

# A round takes a tenth of a millisecond; a virtual machine's speed changes by a quarter within
# a few.
ROUNDS = 600
# A round at an interval of milliseconds takes as long as hundreds of polls at a short one.
SLOW_ROUNDS = 24
# A timer's checks are all rare: enough rounds that one of them alone moves no end of the interval.
CHECK_ROUNDS = 90
_SLOW_US, _SLOWEST_US = 300, 10_000


@dataclass(frozen=True, slots=True)
class CheckCost:
    """CPU seconds of a check, `cost_s`. `disturbed` is the share of its time (0 to 1) that the
    calibration waited for a processor, None where it was little."""

    cost_s: Estimate
    disturbed: float | None = None


def calibrate(  # noqa: PLR0913 - the curve depends on all of them
    intervals_s: Sequence[float],
    kind: str = "tcp",
    *,
    threaded: bool = False,
    rounds: int = ROUNDS,
    observer: Observer = SilentObserver(),
    host: HostFactors | None = None,
) -> PollCost:
    """Measure the cost of a poll at these intervals between polls (CPU seconds).

    `kind` is the type of the socket (tcp, tcp6, unix); `threaded` chooses libc's code path for
    processes with several threads. Takes about a second for each interval and 1500 rounds. A
    disturbance is reported to the observer. Raises HostError.
    """
    options = ["-s", kind, *(["-t"] if threaded else [])]
    return _curve(intervals_s, BREAK_POLL, _here(), options, rounds, observer=observer, host=host)


def calibrate_check(
    kind: CheckKind, intervals_s: Sequence[float], command: Sequence[str] | None = None
) -> PollCost:
    """Measure the cost of a complete check: its system calls, and where a signal starts it also
    the interrupt, the signal, its handler and the setting of the timer.

    `command` runs polltrace-calibrate on some host; None: on this one. Raises HostError.
    """
    shortest_s = SHORTEST_TIMER_S if kind.by_signal else 0.0
    spacings = [max(interval_s, shortest_s) for interval_s in intervals_s]
    options = _options(kind)
    return _curve(spacings, kind, command or _here(), options, slow_rounds=CHECK_ROUNDS)


def cost_per_check(knot: Knot, command: Sequence[str] | None = None) -> CheckCost:
    """The cost of a check at this knot. `command` runs polltrace-calibrate on some host; None: on
    this one. Raises HostError.
    """
    kind = knot.kind
    slow_rounds = SLOW_ROUNDS if kind.is_break_poll else CHECK_ROUNDS
    interval_s = 1e-6 * knot.interval_us
    records = _rounds([interval_s], command or _here(), _options(kind), slow_rounds=slow_rounds)
    host = this_host() if command is None else None
    return CheckCost(_fitted(records, kind, host).at(interval_s), disturbed(records))


def _options(kind: CheckKind) -> list[str]:
    """The options by which polltrace-calibrate makes checks of this kind."""
    if kind.is_break_poll:
        return []
    return [*(["-i"] if kind.by_signal else []), "-c", ",".join(kind.calls)]


def _here() -> list[str]:
    return [find_executable("polltrace-calibrate")]


def _curve(  # noqa: PLR0913 - private to this module
    intervals_s: Sequence[float],
    kind: CheckKind,
    command: Sequence[str],
    options: Sequence[str],
    rounds: int = ROUNDS,
    *,
    slow_rounds: int = SLOW_ROUNDS,
    observer: Observer = SilentObserver(),
    host: HostFactors | None = None,
) -> PollCost:
    records = _rounds(intervals_s, command, options, rounds, slow_rounds=slow_rounds)
    if waited := disturbed(records):
        observer.remark(
            f"the calibration waited {100 * waited:.0f} % of its time for a processor that others "
            "had: the cost per poll may be too high; measure again when the host is less busy"
        )
    return _fitted(records, kind, host)


def _fitted(
    records: Sequence[dict[str, Any]], kind: CheckKind, host: HostFactors | None
) -> PollCost:
    if kind.is_break_poll:
        return fitted(records, lambda poll_s: calibrated_cost(poll_s, host))
    return fitted(records, check_cost if kind.model else unjudged_cost)


def _rounds(
    intervals_s: Sequence[float],
    command: Sequence[str],
    options: Sequence[str],
    rounds: int = ROUNDS,
    *,
    slow_rounds: int = SLOW_ROUNDS,
) -> list[dict[str, Any]]:
    """The records that polltrace-calibrate prints, in rising order of the interval."""
    intervals_us = sorted(
        {min(_SLOWEST_US, max(1, round(1e6 * interval_s))) for interval_s in intervals_s}
    )
    short = [interval_us for interval_us in intervals_us if interval_us < _SLOW_US]
    long = [interval_us for interval_us in intervals_us if interval_us >= _SLOW_US]
    records = _measured([*command, "-r", str(rounds), *options], short)
    records += _measured([*command, "-r", str(slow_rounds), *options], long)
    return records


def _measured(command: Sequence[str], intervals_us: Sequence[int]) -> list[dict[str, Any]]:
    if not intervals_us:
        return []
    ended = subprocess.run(
        [*command, *map(str, intervals_us)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if ended.returncode != 0:
        raise HostError(ended.stderr.strip().removeprefix("polltrace-calibrate: "))
    records: list[dict[str, Any]] = json.loads(ended.stdout)
    return records
