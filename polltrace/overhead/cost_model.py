# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a poll to a session, from measurable quantities and fitted factors.

Two measurements indicate the cost of a break poll, and neither is the cost itself. The calibration
times polls of polltrace's own between work of its own, which differs from the session's work. The
duration in place times the session's polls from their entry into the kernel to their exit: it
includes the state of this session's caches, but neither the way into the kernel and out, nor the
slower work afterwards. Each is multiplied by the factor that sessions with a known cost gave. The
part that neither a duration nor a sample covers grows with the number of checks from one poll to
the next: the more of the server's code and data comes between, the less of it is cached after a
poll. So the factors of both rise with the skip by fitted powers. The interval of a factor is a
prediction interval: it covers 95 % of sessions that took no part in the fit.

All numbers of the model are in cost_model.json, which `make fit` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

from polltrace.intervals import Estimate
from polltrace.overhead.poll_cost import PollCost, constant
from polltrace.profiles.frames import Bucket

FORMAT, VERSION = "polltrace-cost-model", 3
# With fewer timed polls their mean is not accurate to a per cent.
FEWEST_TIMED = 1000
# Oracle's default, assumed where the skip is not known.
_USUAL_SKIP = 3


@dataclass(frozen=True, slots=True)
class CostModel:
    """Factors, each with its prediction interval.

    `calibrated`: the cost of a poll, of what a poll of polltrace's own takes at the same interval.
    `timed`: the cost of a poll, of its mean duration in place. `sampled`: the cost of checking, of
    its share of on-CPU samples. Both where every check polls; at another skip they change with its
    power of `timed_rise` and `sampled_rise`. `other_interval`: the cost at another skip, of what
    the one at the present skip, the calibration's curve and the interval to the power of `rise`
    say. No factors: `highest_skip`, that was fitted on; `check_s`, CPU seconds of a check that does
    not poll; `together`, the error of a mean of two estimates, of that which independent ones would
    have. Chosen, not fitted: `longest`, the share of timed polls that is left out of their mean,
    because interrupts and other processes' turns fall into the longest; `probe_error`, how far what
    the probe adds to a poll may be from what it adds with hot caches, of that; `timer_check`, the
    cost of a whole check by a timer, of what one of polltrace's own takes. Two statements are too
    few to fit that to: it is the geometric mean of what they gave in `python -m bench.client_check`
    (0.41 and 0.74), with an interval that reaches as far beyond them as they are apart. Four
    others have judged it since (docs/explanation/trust.md).
    `provenance` is what the model was fitted on.
    """

    calibrated: Estimate
    timed: Estimate
    timed_rise: float
    sampled: Estimate
    sampled_rise: float
    highest_skip: int
    other_interval: Estimate
    rise: float
    check_s: Estimate
    together: float
    longest: float
    probe_error: float
    timer_check: Estimate
    provenance: Mapping[str, Any]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Parse the model's file. Raises ValueError for data of another format."""
        if (data.get("format"), data.get("version")) != (FORMAT, VERSION):
            raise ValueError(f"not a cost model of version {VERSION}")
        return cls(
            calibrated=Estimate(*data["calibrated"]),
            timed=Estimate(*data["timed"]),
            timed_rise=float(data["timed_rise"]),
            sampled=Estimate(*data["sampled"]),
            sampled_rise=float(data["sampled_rise"]),
            highest_skip=int(data["highest_skip"]),
            other_interval=Estimate(*data["other_interval"]),
            rise=float(data["rise"]),
            check_s=Estimate(*data["check_s"]),
            together=float(data["together"]),
            longest=float(data["chosen"]["longest"]),
            probe_error=float(data["chosen"]["probe_error"]),
            timer_check=Estimate(*data["chosen"]["timer_check"]),
            provenance=data["provenance"],
        )

    def timed_at(self, skip: int | None) -> Estimate:
        """The factor of durations at that skip; None: the skip is not known. Constant above the
        highest skip of the fit.
        """
        return self.timed.scaled(self._within(skip) ** self.timed_rise)

    def sampled_at(self, skip: int | None) -> Estimate:
        """The factor of samples at that skip; None: the skip is not known. Constant above the
        highest skip of the fit.
        """
        return self.sampled.scaled(self._within(skip) ** self.sampled_rise)

    def _within(self, skip: int | None) -> int:
        return min(max(1, self.usual(skip)), self.highest_skip)

    def usual(self, skip: int | None) -> int:
        """The given skip, or the usual one where it is None."""
        return _USUAL_SKIP if skip is None else skip


def cost_model() -> CostModel:
    """The model that polltrace comes with."""
    return _shipped()


@cache
def _shipped() -> CostModel:
    text = files("polltrace.overhead").joinpath("cost_model.json").read_text("utf-8")
    return CostModel.of(json.loads(text))


def calibrated_cost(poll_s: float) -> Estimate:
    """CPU seconds of a poll in a session, where one of polltrace's own takes `poll_s`."""
    return cost_model().calibrated.scaled(poll_s)


def check_cost(check_s: float) -> Estimate:
    """CPU seconds of a complete timer check in a session, where one of polltrace's own takes
    `check_s`.

    The factor differs from that of a poll: the way into the kernel and out, and the caches that it
    evicts, lie within the check as it is timed.
    """
    return cost_model().timer_check.scaled(check_s)


def timed_cost(durations: Sequence[Bucket], skip: int | None) -> Estimate | None:
    """CPU seconds of a poll in a session whose polls have these `durations` at that skip (None: not
    known); None with too few durations.
    """
    mean_ns = usual_mean_ns(durations)
    return None if mean_ns is None else cost_model().timed_at(skip).scaled(1e-9 * mean_ns)


def usual_mean_ns(durations: Sequence[Bucket]) -> float | None:
    """The mean duration without the longest; None with too few durations."""
    remaining = polls = round((1 - cost_model().longest) * sum(span.count for span in durations))
    if polls < FEWEST_TIMED:
        return None
    sum_ns = 0.0
    for span in sorted(durations, key=lambda bucket: bucket.from_ns):
        sum_ns += min(span.count, remaining) * (span.from_ns + span.below_ns - 1) / 2
        remaining -= min(span.count, remaining)
    return sum_ns / polls


def in_place(
    curve: PollCost | None, interval_s: float, durations: Sequence[Bucket], skip: int | None
) -> PollCost | None:
    """The cost curve of a session that polls every `interval_s` CPU seconds, at that skip (None:
    not known).

    It is the calibration's curve, moved to the cost that the session's own durations give;
    unchanged where they were not timed. Without a calibration it is flat.
    """
    cost = timed_cost(durations, skip)
    if cost is None:
        return curve
    return curve.through(interval_s, cost) if curve else constant(cost)
