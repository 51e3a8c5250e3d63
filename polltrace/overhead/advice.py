# SPDX-License-Identifier: GPL-2.0-or-later
"""The findings on one session's break polling, and the advice that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polltrace.breaks.break_mode import BreakMode
from polltrace.breaks.why import Diagnosis
from polltrace.intervals import Estimate, exactly, proportion
from polltrace.overhead.cancel import Gaps, cancel_latency, on_cpu_gaps
from polltrace.overhead.cost_model import cost_model, in_place
from polltrace.overhead.estimates import (
    EstimateChoice,
    choose,
    counted_checking_pct,
    counted_pct,
    sampled_pct,
    unpolled_checks_pct,
)
from polltrace.overhead.forecast import (
    SKIPS,
    CheckingCost,
    SkipForecast,
    forecast,
    out_of_band_saved_pct,
)
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import PollCost, constant
from polltrace.overhead.session_load import SessionLoad
from polltrace.overhead.skip import Skip, skip_in_force
from polltrace.profiles.frames import Bucket, Burst, PollRate
from polltrace.profiles.sampled import NamedStack, Shares, shares
from polltrace.servers.servers import Server

# A session with fewer counted polls is at rest: the cost of its polls is too small to measure.
FEWEST_POLLS = 30
# Below this number of expected samples of the check, their absence proves nothing.
_FEWEST_EXPECTED = 10.0
_NO_POLLS = PollRate(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Extras:
    """Results of a complete measurement only; the defaults stand for quantities that were not
    measured.

    `gaps` are the timed gaps between polls, `durations` those of the polls; `burst` the counted
    calls of the check function, or `why_not_burst` the reason for their absence. `started_at` is
    the start of the process (seconds since the epoch), `job_cpu_s` its CPU seconds so far,
    `timed_cpu_s` the seconds that it was on CPU or runnable while gaps were timed,
    `probe_s_per_poll` the CPU seconds that counting added to each poll.
    """

    gaps: Sequence[Bucket] = ()
    durations: Sequence[Bucket] = ()
    burst: Burst | None = None
    why_not_burst: str = "its checks were not counted"
    started_at: float | None = None
    job_cpu_s: float | None = None
    timed_cpu_s: float | None = None
    probe_s_per_poll: float = 0.0
    host: HostFactors | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """The cost of break checking to one session and its forecast. All shares are per cent of the
    session's CPU time.

    `server` is the process, `mode` its break mode and `why` the evidence for it; `load` its CPU use
    and rate of polls; `poll_cost_s` the CPU seconds of a poll at its interval. `counted` and
    `sampled` are the two estimates of break checking's share; `sampled` is None where nothing was
    on CPU or no function has a name. `checks` is the part of it in checks that do not poll.
    `choice` chooses between the two, `cpu_pct` is the chosen estimate as the forecast has it.
    `skip_in_force` is the present skip; `forecast` has an entry for each skip, none where the
    session makes too few polls to measure. `out_of_band_saved` is the saving without any checks.
    `gaps` are the gaps between polls on CPU; `extras` the other measurements.
    """

    server: Server
    mode: BreakMode
    why: Diagnosis
    load: SessionLoad
    poll_cost_s: Estimate
    counted: Estimate
    sampled: Estimate | None
    checks: Estimate
    choice: EstimateChoice
    cpu_pct: Estimate
    skip_in_force: Skip
    forecast: Sequence[SkipForecast]
    out_of_band_saved: Estimate
    gaps: Gaps
    extras: Extras

    @property
    def chosen(self) -> Estimate:
        """The estimate that was chosen: the share that the forecast starts from."""
        return self.choice.of(self.counted, self.sampled)

    @property
    def reason(self) -> str:
        """The cause of in-band breaks; empty for a session that is not in-band."""
        return self.why.reason if self.mode is BreakMode.IN_BAND else ""

    @property
    def skip(self) -> int:
        return self.skip_in_force.value

    @property
    def probe_added_pct(self) -> float:
        """The CPU time that counting added, which is subtracted from every figure."""
        return 100 * self.load.polls_per_cpu_s * self.extras.probe_s_per_poll

    def saved_s(self, forecast: SkipForecast) -> float | None:
        """CPU seconds that the process would have saved so far at the skip of `forecast`."""
        job = self.extras.job_cpu_s
        return None if job is None else job * forecast.saved_pct.value / 100


def advice(
    server: Server,
    load: SessionLoad,
    *,
    poll_cost: PollCost | None,
    stacks: Sequence[NamedStack],
    extras: Extras = Extras(),
) -> Advice:
    """The advice that follows from a session's load, its on-CPU `stacks` and the cost per poll.

    `poll_cost` is None for a session that makes too few polls to measure: all costs are then 0, not
    noise.
    """
    polls = load.rate.per_s > 0
    evidence_of = polls if polls or load.busy else None
    mode = server.mode(evidence_of)
    skip = skip_in_force(
        server.settings,
        extras.burst,
        why_not=extras.why_not_burst,
        started_at=extras.started_at,
    )
    at_rest = poll_cost is None
    in_place_cost = in_place(poll_cost, extras.durations, skip.value, extras.host)
    poll_cost = constant(exactly(1e-6)) if at_rest or in_place_cost is None else in_place_cost
    polling = replace(load, rate=_NO_POLLS) if at_rest else load
    poll_cost_s = poll_cost.at(load.interval_s)
    by_polls = counted_pct(polling, poll_cost_s)
    sample_shares = shares(stacks, server.engine)
    sampled = _sampled(sample_shares, by_polls, skip.value, extras.host)
    checks = _checks(sample_shares, polling, skip.value)
    counted = counted_checking_pct(polling, poll_cost_s, skip.value, checks)
    choice = choose(counted, sampled)
    chosen = choice.of(counted, sampled)
    rise = (extras.host and extras.host.rise) or cost_model().rise
    cost = _cost(polling, poll_cost_s, checks, None if chosen is counted else chosen, rise)
    gaps = on_cpu_gaps(extras.gaps, extras.timed_cpu_s)
    forecasts = []
    if mode is BreakMode.IN_BAND and polls and not at_rest:
        forecasts = [
            replace(
                forecast(cost, skip.value, other_skip, server.engine.wait_slice_s),
                cancel_ms=cancel_latency(gaps, skip.value, other_skip),
            )
            for other_skip in sorted({*SKIPS, skip.value})
        ]
    return Advice(
        server=server,
        mode=mode,
        why=server.why(evidence_of),
        load=load,
        poll_cost_s=poll_cost_s,
        counted=counted,
        sampled=sampled,
        checks=checks,
        choice=choice,
        cpu_pct=next((f.cpu_pct for f in forecasts if f.break_poll_skip == skip.value), chosen),
        skip_in_force=skip,
        forecast=forecasts,
        out_of_band_saved=out_of_band_saved_pct(cost),
        gaps=gaps,
        extras=extras,
    )


def _sampled(
    sample_shares: Shares, by_polls: Estimate, skip: int, host: HostFactors | None
) -> Estimate | None:
    """The share of break checking by samples.

    None without samples, and where the check should have been sampled but none of its functions has
    a name because the program has no symbols.
    """
    if not sample_shares.total:
        return None
    if not sample_shares.named and by_polls.value * sample_shares.total / 100 > _FEWEST_EXPECTED:
        return None
    in_check = proportion(sample_shares.polling + sample_shares.checking, sample_shares.total)
    return sampled_pct(in_check, skip, host)


def _checks(sample_shares: Shares, load: SessionLoad, skip: int) -> Estimate:
    """Per cent of CPU in checks that do not poll: by samples where there are any, but never more
    than that number of checks could take.
    """
    usual = unpolled_checks_pct(load, skip)
    if not sample_shares.total or not sample_shares.named:
        return usual
    sampled_checks, upper_limit = (
        proportion(sample_shares.checking, sample_shares.total),
        usual.high,
    )
    return Estimate(
        min(sampled_checks.value, upper_limit),
        min(sampled_checks.low, upper_limit),
        min(sampled_checks.high, upper_limit),
    )


def _cost(
    load: SessionLoad,
    poll_cost_s: Estimate,
    checks: Estimate,
    share: Estimate | None,
    rise: Estimate,
) -> CheckingCost:
    """The forecast's inputs; `share` is the chosen estimate where that is not the counted one."""
    rate, busy = load.rate, load.busy or 1.0
    scale = Estimate(1.0, poll_cost_s.low / poll_cost_s.value, poll_cost_s.high / poll_cost_s.value)
    by_polls_pct = 100 * load.polls_per_cpu_s * poll_cost_s.value
    if share is not None and by_polls_pct:
        polling_pct = [
            max(0.0, estimate_pct - checks.value)
            for estimate_pct in (share.value, share.low, share.high)
        ]
        scale = Estimate(*(pct / by_polls_pct for pct in polling_pct))
    return CheckingCost(
        polls=Estimate(rate.per_s / busy, rate.low / busy, rate.high / busy),
        poll_cost_s=poll_cost_s.value,
        scale=scale,
        checks=Estimate(checks.value / 100, checks.low / 100, checks.high / 100),
        rise=rise,
    )
