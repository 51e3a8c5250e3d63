# SPDX-License-Identifier: GPL-2.0-or-later
"""What one break poll costs on this host, measured by polltrace-price with nothing attached.

The pace matters: in between two polls the work drives the kernel's code and branches out of the
processor's memory, so that a poll that comes seldom is dearer. And the work matters, which is not
ours to know: the price is measured between work within the first-level cache, the second and
beyond, and the interval holds all three.
"""

from __future__ import annotations

import contextlib
import json
import math
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.errors import HostError
from polltrace.executables import find_executable
from polltrace.intervals import Estimate, median, propagated

# Of a tenth of a millisecond each: a virtual machine's speed changes by a quarter within a few.
ROUNDS = 1500
# A round at a pace of milliseconds takes as long as hundreds of polls at a quick one.
SLOW_ROUNDS = 24
_SLOW_US, _SLOWEST_US = 300, 10_000
# The work after a poll is slower by about so much of the poll itself, where it could be measured;
# work of these paces is short enough to show it.
_USUAL_AFTER, _QUICK_US = 0.4, 30
# So far a price rises with the logarithm of the pace; beyond, more than the nearest caches is cold.
_LINE_US = 60
# A difference may drown in noise; that a poll takes some time is known.
_LEAST_NS = 1.0
# Our work is not the session's, however exactly it is measured: `make proof` on the lab found the
# price up to three fifths off, and a quarter of it in the mean of the squares.
_UNLIKE = 0.5


@dataclass(frozen=True, slots=True)
class PriceCurve:
    """Seconds a poll takes by pace (CPU seconds from one to the next), at knots in rising order."""

    knots: Sequence[tuple[float, Estimate]]

    def at(self, pace_s: float) -> Estimate:
        """The price at a pace: between two knots by the logarithm, beyond them the last one's."""
        (first, price), *others = self.knots
        pace_s = max(pace_s, first)
        for pace, following in others:
            if pace_s < pace:
                share = math.log(pace_s / first) / math.log(pace / first)
                return _between(price, following, share)
            first, price = pace, following
        return price

    def times(self, factor: float) -> PriceCurve:
        """The same for a processor on which everything takes `factor` times as long."""
        return PriceCurve([(pace, _scaled(price, factor)) for pace, price in self.knots])


def flat(price_s: Estimate) -> PriceCurve:
    """One price, whatever the pace."""
    return PriceCurve([(1.0, price_s)])


def price_curve(
    paces_s: Sequence[float], kind: str = "tcp", *, threaded: bool = False, rounds: int = ROUNDS
) -> PriceCurve:
    """The price at several paces, for a socket `kind` (tcp, tcp6, unix) and libc's path for
    processes with one thread or more. Takes about a second for every pace and 1500 rounds.
    """
    options = ["-s", kind, *(["-t"] if threaded else [])]
    return _curve(paces_s, [str(find_executable("polltrace-price"))], options, rounds)


@contextlib.contextmanager
def pricing_beside() -> Iterator[None]:
    """Within, a program works beside us as it does while prices are measured: where two processors
    share a core each slows the other."""
    # Some ten seconds' work: longer than a look, and soon over should we be killed.
    command = [str(find_executable("polltrace-price")), "-r", "10000"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as beside:
        try:
            yield
        finally:
            beside.kill()


def price_s(pace_s: float) -> Estimate:
    """Seconds that a poll takes which comes `pace_s` of CPU time after the one before."""
    return price_curve([pace_s]).at(pace_s)


def priced_by(command: Sequence[str], pace_s: float) -> Estimate:
    """As price_s, by a command that runs polltrace-price somewhere."""
    return _curve([pace_s], command, ()).at(pace_s)


def _curve(
    paces_s: Sequence[float], command: Sequence[str], options: Sequence[str], rounds: int = ROUNDS
) -> PriceCurve:
    paces_us = sorted({min(_SLOWEST_US, max(1, round(1e6 * pace))) for pace in paces_s})
    quick = [pace for pace in paces_us if pace < _SLOW_US]
    slow = [pace for pace in paces_us if pace >= _SLOW_US]
    found = _measured([*command, "-r", str(rounds), *options], quick)
    found += _measured([*command, "-r", str(SLOW_ROUNDS), *options], slow)
    after = _after(found)
    paces = [each["pace_us"] for each in found]
    totals = [_totals_ns(each["poll_ns"], after) for each in found]
    prices = [_price_s(each) for each in totals]
    lined = sum(pace <= _LINE_US for pace in paces)
    smooth = _straightened(paces[:lined], prices[:lined], totals[:lined])
    knots = zip(paces, _rising(smooth + prices[lined:]), strict=True)
    return PriceCurve([(1e-6 * pace, price) for pace, price in knots])


def _rise(paces: Sequence[float], totals: Sequence[Sequence[Estimate]]) -> float:
    """How much of itself a price rises by for each e-fold of the pace, by the straight line (least
    squares) of each footprint: that of the middle one. The middle one's prices are no such line,
    since it is another footprint's from pace to pace."""
    logs = [math.log(pace) for pace in paces]
    rises = []
    for by_pace in zip(*totals, strict=True):
        values = [each.value for each in by_pace]
        mean = statistics.fmean(values)
        rises.append(statistics.linear_regression(logs, values).slope / mean if mean > 0 else 0.0)
    return statistics.median(rises)


def _straightened(
    paces: Sequence[float], prices: Sequence[Estimate], totals: Sequence[Sequence[Estimate]]
) -> list[Estimate]:
    """What is in the caches goes bit by bit, so that a price rises with the logarithm of the pace:
    the straight line through their middle knows more than each of the knots. Each keeps its
    interval's width, in proportion."""
    if len(paces) < 2:
        return list(prices)
    rise = _rise(paces, totals)
    middle = statistics.fmean(price.value for price in prices)
    from_middle = [math.log(pace / statistics.geometric_mean(paces)) for pace in paces]
    return [
        _scaled(price, middle * max(0.0, 1 + rise * far) / price.value)
        for far, price in zip(from_middle, prices, strict=True)
    ]


def _rising(prices: Sequence[Estimate]) -> list[Estimate]:
    """A poll that comes more seldom is none the cheaper. Where neighbours say that it is, it is
    noise, and they share their mean."""
    runs: list[tuple[Estimate, int]] = []
    for price in prices:
        run, size = price, 1
        while runs and runs[-1][0].value > run.value:
            before, more = runs.pop()
            run, size = _between(before, run, size / (size + more)), size + more
        runs.append((run, size))
    return [price for price, size in runs for _ in range(size)]


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


def _after(found: Sequence[dict[str, Any]]) -> list[Estimate]:
    """By footprint, nanoseconds that the work takes longer after a poll: the whole difference
    that a poll makes, without the poll itself.

    Only work as short as a few polls shows it; where it drowns, it is taken as the usual part of
    the poll, give or take as much.
    """
    quick = [each for each in found if each["pace_us"] <= _QUICK_US] or found[:1]
    return [_after_ns(quick, footprint) for footprint in range(len(found[0]["poll_ns"]))]


def _after_ns(quick: Sequence[dict[str, Any]], footprint: int) -> Estimate:
    polls = [ns for each in quick for ns in each["poll_ns"][footprint]]
    rests = [
        whole - alone
        for each in quick
        for whole, alone in zip(
            each["whole_ns"][footprint], each["poll_ns"][footprint], strict=True
        )
        if whole is not None
    ]
    usual = _USUAL_AFTER * max(0.0, statistics.median(polls))
    rest = median(rests) if rests else None
    if rest is None or rest.half_width > usual:
        return Estimate(usual, 0.0, 2 * usual)
    return rest


def _totals_ns(
    by_footprint: Sequence[Sequence[float]], after: Sequence[Estimate]
) -> list[Estimate]:
    """By footprint, nanoseconds of a poll and of what it makes slower."""
    return [
        propagated(lambda poll, rest: poll + rest, median(polls), rest)
        for polls, rest in zip(by_footprint, after, strict=True)
    ]


def _price_s(totals: Sequence[Estimate]) -> Estimate:
    """The middle one of the footprints; the interval holds them all, and what ours is unlike."""
    value = max(_LEAST_NS, statistics.median(each.value for each in totals))
    low = min(value * (1 - _UNLIKE), *(each.low for each in totals))
    high = max(value * (1 + _UNLIKE), *(each.high for each in totals))
    return Estimate(1e-9 * value, 1e-9 * max(0.0, low), 1e-9 * high)


def _scaled(price: Estimate, factor: float) -> Estimate:
    return Estimate(price.value * factor, price.low * factor, price.high * factor)


def _between(one: Estimate, other: Estimate, share: float) -> Estimate:
    def mixed(a: float, b: float) -> float:
        return a + share * (b - a)

    return Estimate(
        mixed(one.value, other.value), mixed(one.low, other.low), mixed(one.high, other.high)
    )
