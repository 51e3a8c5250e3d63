# SPDX-License-Identifier: GPL-2.0-or-later
"""What one break poll costs on this host, measured by polltrace-price with nothing attached.

The pace matters: in between two polls the work drives the kernel's code and branches out of the
processor's memory, so that a poll that comes seldom is dearer. And the work matters, which is not
ours to know: the price is measured between work within the first-level cache, the second and
beyond, and the interval holds all three.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.errors import HostError
from polltrace.executables import find_executable
from polltrace.intervals import Estimate, median

ROUNDS = 120
# A round at a pace of milliseconds takes as long as hundreds of polls at a quick one.
SLOW_ROUNDS = 24
_SLOW_US, _SLOWEST_US = 300, 10_000
# Coarser than this, the cost to the work after a poll was not measured but drowned.
_KNOWN_NS = 0.25


@dataclass(frozen=True, slots=True)
class PriceCurve:
    """Seconds a poll takes by pace (CPU seconds from one to the next), at knots in rising order."""

    knots: Sequence[tuple[float, Estimate]]

    def at(self, pace_s: float) -> Estimate:
        """The price at a pace: between two knots by the logarithm, beyond them the last one's."""
        (first, price), *others = self.knots
        if pace_s <= first:
            return price
        for pace, following in others:
            if pace_s < pace:
                share = math.log(pace_s / first) / math.log(pace / first)
                return _between(price, following, share)
            first, price = pace, following
        return price


def flat(price_s: Estimate) -> PriceCurve:
    """One price, whatever the pace."""
    return PriceCurve([(1.0, price_s)])


def price_curve(
    paces_s: Sequence[float], kind: str = "tcp", *, threaded: bool = False
) -> PriceCurve:
    """The price at several paces, for a socket `kind` (tcp, tcp6, unix) and libc's path for
    processes with one thread or more. Takes about a second for every pace.
    """
    options = ["-s", kind, *(["-t"] if threaded else [])]
    return _curve(paces_s, [str(find_executable("polltrace-price"))], options)


def price_s(pace_s: float) -> Estimate:
    """Seconds that a poll takes which comes `pace_s` of CPU time after the one before."""
    return price_curve([pace_s]).at(pace_s)


def priced_by(command: Sequence[str], pace_s: float) -> Estimate:
    """As price_s, by a command that runs polltrace-price somewhere."""
    return _curve([pace_s], command, ()).at(pace_s)


def _curve(paces_s: Sequence[float], command: Sequence[str], options: Sequence[str]) -> PriceCurve:
    paces_us = sorted({min(_SLOWEST_US, max(1, round(1e6 * pace))) for pace in paces_s})
    quick = [pace for pace in paces_us if pace < _SLOW_US]
    slow = [pace for pace in paces_us if pace >= _SLOW_US]
    found = _measured([*command, "-r", str(ROUNDS), *options], quick)
    found += _measured([*command, "-r", str(SLOW_ROUNDS), *options], slow)
    after_ns = _after(found)
    return PriceCurve(
        [(1e-6 * each["pace_us"], _price_s(each["poll_ns"], after_ns)) for each in found]
    )


def _measured(command: Sequence[str], paces_us: Sequence[int]) -> list[dict[str, Any]]:
    if not paces_us:
        return []
    ended = subprocess.run(
        [*command, *map(str, paces_us)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise HostError(ended.stderr.strip().removeprefix("polltrace-price: "))
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found


def _after(found: Sequence[dict[str, Any]]) -> Estimate:
    """Nanoseconds that the work takes longer after a poll: the whole without the poll itself.

    Only work as short as a few polls shows it, and only on a quiet machine; where it drowns it
    is taken as nothing, give or take a quarter of the poll.
    """
    whole = [each for each in found if each["whole_ns"][0] and each["whole_ns"][0][0] is not None]
    if not whole:
        return Estimate(0.0, 0.0, 0.0)
    quickest = whole[0]
    rest = median(
        [
            both - alone
            for wholes, polls in zip(quickest["whole_ns"], quickest["poll_ns"], strict=True)
            for both, alone in zip(wholes, polls, strict=True)
        ]
    )
    poll_ns = statistics.median(statistics.median(polls) for polls in quickest["poll_ns"])
    if rest.half_width > _KNOWN_NS * poll_ns:
        return Estimate(0.0, 0.0, _KNOWN_NS * poll_ns)
    return rest


def _price_s(by_footprint: Sequence[Sequence[float]], after_ns: Estimate) -> Estimate:
    medians = [median(values) for values in by_footprint]
    value = statistics.median(each.value for each in medians)
    low = min(each.low for each in medians)
    high = max(each.high for each in medians)
    below = math.hypot(value - low, after_ns.value - after_ns.low)
    above = math.hypot(high - value, after_ns.high - after_ns.value)
    value += after_ns.value
    return Estimate(1e-9 * value, 1e-9 * max(0.0, value - below), 1e-9 * (value + above))


def _between(one: Estimate, other: Estimate, share: float) -> Estimate:
    def mixed(a: float, b: float) -> float:
        return a + share * (b - a)

    return Estimate(
        mixed(one.value, other.value), mixed(one.low, other.low), mixed(one.high, other.high)
    )
