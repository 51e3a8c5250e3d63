# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a break poll on this host, by A/B on one session of the lab.

The session executes one statement without checks, with checks that do not poll, and at two skips,
in random order, with nothing attached. The differences of its CPU time are the true cost of its
checks and polls. Then the product measures the same session, and the ratios of truth and product
are the factors of this host in the cost model. Both alternate in blocks, because the cost of a poll
changes with the load of the host's other processors: the intervals cover the blocks.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from polltrace import procfs
from polltrace.errors import LabError
from polltrace.intervals import FEWEST_VALUES, Estimate, exactly, median, propagated
from polltrace.overhead.calibration import calibrate
from polltrace.overhead.cost_model import cost_model, timed_cost
from polltrace.overhead.estimates import sampled_pct
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.measurements import Durations, SessionMeasurement, measure_session
from polltrace.profiles.sampled import shares
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.executing_session import kept_busy
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.session_views import OracleViews
from polltrace.servers.servers import servers

# The lab's own: no checks at all, and checks of which practically none polls.
NO_CHECKS, NO_POLLS = 0, 1_000_000
# Oracle's default, and an interval ten times as long.
USUAL, RARE = 3, 30
_SKIPS = (NO_CHECKS, NO_POLLS, USUAL, RARE)
_EXECUTION_S = 0.005
# Each block has a truth and a product of its own; fewer give no 95 % interval of their median.
_BLOCKS = FEWEST_VALUES
# Shorter than the default of `advise`, whose precision all blocks have together.
_PRODUCT = Durations(sampled=3.0, counted=1.0, timed=0.5)
_ROWS = 5_000
# The fitted model without any factor of a host.
FITTED = HostFactors(exactly(1.0), exactly(1.0), exactly(1.0))
_CHECKS = """
select m.value from v$mystat m, v$statname n
where m.statistic# = n.statistic# and n.name = 'lab break checks'
"""


@dataclass(frozen=True, slots=True)
class TrueCosts:
    """The cost of checking to one session by A/B: nanoseconds of a poll at the USUAL and the RARE
    skip, of a check that does not poll, and the per cent of its CPU time at the USUAL skip that
    checking takes.
    """

    usual_ns: Estimate
    rare_ns: Estimate
    check_ns: Estimate
    checking_pct: Estimate


@dataclass(frozen=True, slots=True)
class HostCalibration:
    """The true `costs`, the `factors` of the host that follow, and the number of `rounds`."""

    costs: TrueCosts
    factors: HostFactors
    rounds: int


def calibrate_host(seconds: float, step: Callable[[str], None]) -> HostCalibration:
    """Measure this host for about `seconds` at idle priority.

    `step` is called with the part that begins. Raises LabError, DriverError, and the probe's
    errors.
    """
    with _idle(), LabServer() as lab, DriverClient(lab.driver) as client:
        lab.connect(client, break_poll_skip=USUAL, disable_oob=True)
        pid = OracleViews().spid(client)
        if pid is None:
            raise LabError("the lab's session has no server process here")
        session = _Session(client, pid)
        checks = session.checks()
        rounds: list[Mapping[int, float]] = []
        factors = []
        for block in range(1, _BLOCKS + 1):
            step(f"block {block} of {_BLOCKS}: executing with and without break polls")
            of_block = session.rounds(seconds / _BLOCKS)
            step(f"block {block} of {_BLOCKS}: measuring the session as 'polltrace advise' does")
            with session.busy():
                (server,) = servers([pid])
                measurement = measure_session(server, _PRODUCT)
            factors.append(host_factors(true_costs(of_block, checks), measurement))
            rounds += of_block
    costs = true_costs(rounds, checks)
    return HostCalibration(costs, over_blocks(factors, costs), len(rounds))


def true_costs(rounds: Sequence[Mapping[int, float]], checks: float) -> TrueCosts:
    """The costs by the CPU seconds of an execution at each skip, a mapping for each round; an
    execution makes `checks`. Pure. Raises LabError for too few rounds.
    """
    if len(rounds) < FEWEST_VALUES:
        raise LabError("too few executions for an interval: measure for longer")

    def difference_ns(skip: int, base: int, events: float) -> Estimate:
        return median([1e9 * (took[skip] - took[base]) / events for took in rounds])

    return TrueCosts(
        usual_ns=difference_ns(USUAL, NO_POLLS, checks / USUAL),
        rare_ns=difference_ns(RARE, NO_POLLS, checks / RARE),
        check_ns=difference_ns(NO_POLLS, NO_CHECKS, checks),
        checking_pct=median([100 * (1 - took[NO_CHECKS] / took[USUAL]) for took in rounds]),
    )


def over_blocks(blocks: Sequence[HostFactors], costs: TrueCosts) -> HostFactors:
    """The factors of all blocks together: medians with intervals over the blocks. Pure.

    The rise is by the `costs` of all blocks, because one block is too short for it.
    """

    def middle(name: str) -> Estimate:
        return median([getattr(block, name).value for block in blocks])

    return HostFactors(
        timed=middle("timed"),
        sampled=middle("sampled"),
        calibrated=middle("calibrated"),
        rise=_rise(costs),
        measured=blocks[-1].measured,
    )


def host_factors(costs: TrueCosts, measurement: SessionMeasurement) -> HostFactors:
    """The factors that take the product's measurement of the session to its true costs, without
    the rise.

    Raises LabError where the session was measured too little, or its truth is lost in noise.
    """
    timed = timed_cost(measurement.extras.durations, USUAL, FITTED)
    samples = shares(measurement.stacks, measurement.server.engine)
    checking = samples.polling + samples.checking
    if timed is None or not checking:
        raise LabError("the session was hardly on a processor: measure on a less busy host")
    if min(costs.usual_ns.low, costs.checking_pct.low) <= 0:
        raise LabError("the host is too busy to tell polls from noise: measure later or longer")
    interval_s = measurement.load.interval_s
    calibrated = calibrate([interval_s], host=FITTED).at(interval_s)
    sampled = sampled_pct(exactly(100 * checking / samples.total), USUAL, FITTED)
    return HostFactors(
        timed=costs.usual_ns.scaled(1e-9 / timed.value),
        sampled=costs.checking_pct.scaled(1 / sampled.value),
        calibrated=costs.usual_ns.scaled(1e-9 / calibrated.value),
        measured=time.strftime("%Y-%m-%d"),
    )


def _rise(costs: TrueCosts) -> Estimate | None:
    """The power of the interval by which a poll's cost rises, at least 0 because a rarer poll is
    never cheaper; None where the host is too busy to know it better than the model does.
    """
    if costs.rare_ns.low <= 0:
        return None
    rise = propagated(
        lambda usual, rare: math.log(rare / usual) / math.log(RARE / USUAL),
        costs.usual_ns,
        costs.rare_ns,
    )
    if rise.half_width > cost_model().rise.half_width:
        return None
    return Estimate(*(min(max(end, 0.0), 1.0) for end in (rise.value, rise.low, rise.high)))


class _Session:
    """A session of the lab that executes one statement for some milliseconds."""

    def __init__(self, client: DriverClient, pid: int) -> None:
        self._client, self._pid = client, pid
        os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
        self._rows = _ROWS
        self._execute(USUAL)
        self._rows = max(1, round(_ROWS * _EXECUTION_S / max(self._execute(USUAL), 1e-6)))

    def rounds(self, seconds: float) -> list[dict[int, float]]:
        """CPU seconds of an execution at each skip, in random order, until the time is over."""
        order, rounds = random.Random(), []
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            rounds.append({skip: self._execute(skip) for skip in order.sample(_SKIPS, 4)})
        return rounds

    def checks(self) -> float:
        """The checks of an execution, counted by the lab."""
        self._skip(USUAL)
        first = self._count()
        self._run()
        return self._count() - first

    def busy(self) -> contextlib.AbstractContextManager[None]:
        """Context in which it executes at the usual skip without a pause."""
        self._skip(USUAL)
        return kept_busy(lambda: self._run(50))

    def _execute(self, skip: int) -> float:
        self._skip(skip)
        before_s = procfs.running_s(self._pid)
        self._run()
        after_s = procfs.running_s(self._pid)
        if before_s is None or after_s is None:
            raise LabError("the lab's session ended before its time")
        return after_s - before_s

    def _run(self, times: int = 1) -> None:
        self._client.execute(LOTSLIOS, {"n": self._rows}, times=times)

    def _skip(self, skip: int) -> None:
        self._client.execute(f"alter session set break_poll_skip = {skip}")

    def _count(self) -> float:
        return float(self._client.query(_CHECKS)[1][0][0])


@contextlib.contextmanager
def _idle() -> Iterator[None]:
    """Context in which this process and its children only have processors that nobody wants."""
    policy = os.sched_getscheduler(0)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    try:
        yield
    finally:
        # Leaving SCHED_IDLE takes a right that another user than root may lack.
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, policy, os.sched_param(0))
