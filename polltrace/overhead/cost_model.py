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

The factors also depend on the processor and the kernel (`host_factors.py`). At another skip a poll
costs more by a power of the interval between polls, `rise`: a curve of calibrations between cold
caches predicted pairs of sessions at two skips no better, and rare polls were overstated by it.

All numbers of the model are in cost_model.json, which `make fit` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

from polltrace.intervals import Estimate, product
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import PollCost, constant
from polltrace.profiles.frames import Bucket

FORMAT, VERSION = "polltrace-cost-model", 4
# With fewer timed polls their mean is not accurate to a per cent.
FEWEST_TIMED = 1000
# Oracle's default, assumed where the skip is not known.
_USUAL_SKIP = 3


@dataclass(frozen=True, slots=True)
class CostModel:
    """The factors of the model, each with its prediction interval.

    - `calibrated`: the cost of a poll relative to one of polltrace's own at the same interval
    - `timed`: the cost of a poll relative to its mean duration in place
    - `sampled`: the cost of checking relative to its share of on-CPU samples
    - `timed_rise`, `sampled_rise`: powers of the skip by which the latter two rise, as far as
      `highest_skip`, the highest of the fit
    - `rise`: power of the interval between polls by which the cost rises at another skip
    - `check_s`: CPU seconds of a check that does not poll
    - `together`: the error of a mean of two estimates relative to that of independent ones
    - `between_hosts`: the spread of the factors between hosts, for one that was not measured
    - `longest`: the share of timed polls that is left out of their mean, because interrupts and
      other processes' turns fall into the longest (chosen)
    - `probe_error`: the relative error of the probe's own time per poll (chosen)
    - `timer_check`: the cost of a complete timer check relative to one of polltrace's own. It is
      chosen, because a few statements are too few to fit it to: the geometric mean of the results
      of `python -m bench.client_check`, with an interval that covers those of both hosts
    - `provenance`: the data of the fit
    """

    calibrated: Estimate
    timed: Estimate
    timed_rise: float
    sampled: Estimate
    sampled_rise: float
    highest_skip: int
    rise: Estimate
    check_s: Estimate
    together: float
    between_hosts: HostFactors
    longest: float
    probe_error: float
    timer_check: Estimate
    provenance: Mapping[str, Any]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Parse the model's file. Raises ValueError for data of another format."""
        if (data.get("format"), data.get("version")) != (FORMAT, VERSION):
            raise ValueError(f"not a cost model of version {VERSION}")
        chosen = data["chosen"]
        return cls(
            calibrated=Estimate(*data["calibrated"]),
            timed=Estimate(*data["timed"]),
            timed_rise=float(data["timed_rise"]),
            sampled=Estimate(*data["sampled"]),
            sampled_rise=float(data["sampled_rise"]),
            highest_skip=int(data["highest_skip"]),
            rise=Estimate(*data["rise"]),
            check_s=Estimate(*data["check_s"]),
            together=float(data["together"]),
            between_hosts=HostFactors.of(chosen["between_hosts"]),
            longest=float(chosen["longest"]),
            probe_error=float(chosen["probe_error"]),
            timer_check=Estimate(*chosen["timer_check"]),
            provenance=data["provenance"],
        )

    def timed_at(self, skip: int | None, host: HostFactors | None = None) -> Estimate:
        """The factor of durations at that skip (None: not known) on a host (None: not measured).
        Constant above the highest skip of the fit.
        """
        factor = self.timed.scaled(self._within(skip) ** self.timed_rise)
        return product(factor, (host or self.between_hosts).timed)

    def sampled_at(self, skip: int | None, host: HostFactors | None = None) -> Estimate:
        """The factor of samples at that skip (None: not known) on a host (None: not measured).
        Constant above the highest skip of the fit.
        """
        factor = self.sampled.scaled(self._within(skip) ** self.sampled_rise)
        return product(factor, (host or self.between_hosts).sampled)

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


def calibrated_cost(poll_s: float, host: HostFactors | None = None) -> Estimate:
    """CPU seconds of a poll in a session, where one of polltrace's own takes `poll_s`."""
    model = cost_model()
    factor = product(model.calibrated, (host or model.between_hosts).calibrated)
    return factor.scaled(poll_s)


def check_cost(check_s: float) -> Estimate:
    """CPU seconds of a complete timer check in a session, where one of polltrace's own takes
    `check_s`.

    The factor differs from that of a poll: the way into the kernel and out, and the caches that it
    evicts, lie within the check as it is timed.
    """
    return cost_model().timer_check.scaled(check_s)


# The two kinds of check that A/B tests have judged cost a session from 0.4 to 2.5 times the
# calibrated time: so may a kind that none has judged.
_UNJUDGED = Estimate(1.0, 0.4, 2.5)


def unjudged_cost(check_s: float) -> Estimate:
    """CPU seconds of a check that no A/B test has judged, where one of polltrace's own takes
    `check_s`."""
    return _UNJUDGED.scaled(check_s)


def timed_cost(
    durations: Sequence[Bucket], skip: int | None, host: HostFactors | None = None
) -> Estimate | None:
    """CPU seconds of a poll in a session whose polls have these `durations` at that skip (None: not
    known), on a host (None: not measured); None with too few durations.
    """
    mean_ns = usual_mean_ns(durations)
    return None if mean_ns is None else cost_model().timed_at(skip, host).scaled(1e-9 * mean_ns)


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
    curve: PollCost | None,
    durations: Sequence[Bucket],
    skip: int | None,
    host: HostFactors | None = None,
) -> PollCost | None:
    """The cost of a session's polls: by their own durations where they were timed, else by the
    calibration's `curve`; None without either.
    """
    cost = timed_cost(durations, skip, host)
    return curve if cost is None else constant(cost)
