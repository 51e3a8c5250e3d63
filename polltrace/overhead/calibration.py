# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a break poll on this host, measured by polltrace-calibrate with no probe attached."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.engines import Trigger
from polltrace.errors import HostError
from polltrace.executables import find_executable
from polltrace.intervals import Estimate
from polltrace.overhead.calibration_fit import disturbed, fitted
from polltrace.overhead.cost_model import calibrated_cost, check_cost
from polltrace.overhead.observer import Nobody, Observer
from polltrace.overhead.poll_cost import SHORTEST_TIMER_S, Knot, PollCost

# Of a tenth of a millisecond each: a virtual machine's speed changes by a quarter within a few.
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


def calibrate(
    intervals_s: Sequence[float],
    kind: str = "tcp",
    *,
    threaded: bool = False,
    rounds: int = ROUNDS,
    observer: Observer = Nobody(),
) -> PollCost:
    """Measure the cost of a poll at these intervals between polls (CPU seconds), for a socket
    `kind` (tcp, tcp6, unix) and libc's path for processes with one thread or more. Takes about a
    second for each interval and 1500 rounds. The observer is told where it was disturbed. Raises
    HostError.
    """
    options = ["-s", kind, *(["-t"] if threaded else [])]
    return _curve(intervals_s, _here(), options, rounds, observer=observer)


def calibrate_timer_check(
    intervals_s: Sequence[float], command: Sequence[str] | None = None
) -> PollCost:
    """The same of a whole check that a timer starts: the interrupt, the signal, its handler, the
    call on the socket and the setting of the timer. `command` runs polltrace-calibrate on some
    host; None: on this one. Raises HostError."""
    spacings = [max(each, SHORTEST_TIMER_S) for each in intervals_s]
    return _curve(spacings, command or _here(), ["-i"], slow_rounds=CHECK_ROUNDS)


def cost_per_check(knot: Knot, command: Sequence[str] | None = None) -> CheckCost:
    """The cost of a check at this knot. `command` as above. Raises HostError."""
    by_timer = knot.trigger is Trigger.INTERVAL
    options, slow_rounds = (["-i"], CHECK_ROUNDS) if by_timer else ([], SLOW_ROUNDS)
    interval_s = 1e-6 * knot.interval_us
    found = _rounds([interval_s], command or _here(), options, slow_rounds=slow_rounds)
    return CheckCost(_fitted(found, options).at(interval_s), disturbed(found))


def _here() -> list[str]:
    return [find_executable("polltrace-calibrate")]


def _curve(  # noqa: PLR0913 - of a function of this module alone
    intervals_s: Sequence[float],
    command: Sequence[str],
    options: Sequence[str],
    rounds: int = ROUNDS,
    *,
    slow_rounds: int = SLOW_ROUNDS,
    observer: Observer = Nobody(),
) -> PollCost:
    found = _rounds(intervals_s, command, options, rounds, slow_rounds=slow_rounds)
    if waited := disturbed(found):
        observer.remark(
            f"the calibration waited {100 * waited:.0f} % of its time for a processor that others "
            "had: the cost per poll may be too high; measure again when the host is less busy"
        )
    return _fitted(found, options)


def _fitted(found: Sequence[dict[str, Any]], options: Sequence[str]) -> PollCost:
    return fitted(found, check_cost if "-i" in options else calibrated_cost)


def _rounds(
    intervals_s: Sequence[float],
    command: Sequence[str],
    options: Sequence[str],
    rounds: int = ROUNDS,
    *,
    slow_rounds: int = SLOW_ROUNDS,
) -> list[dict[str, Any]]:
    """What polltrace-calibrate prints, in rising order of the interval."""
    intervals_us = sorted({min(_SLOWEST_US, max(1, round(1e6 * each))) for each in intervals_s})
    short = [each for each in intervals_us if each < _SLOW_US]
    long = [each for each in intervals_us if each >= _SLOW_US]
    found = _measured([*command, "-r", str(rounds), *options], short)
    found += _measured([*command, "-r", str(slow_rounds), *options], long)
    return found


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
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found
