# SPDX-License-Identifier: GPL-2.0-or-later
"""What is known of one session's break polling, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polltrace.breaks.break_mode import BreakMode, break_mode
from polltrace.breaks.why import Why
from polltrace.intervals import Estimate, exactly, propagated, proportion
from polltrace.overhead.cancel import Gaps, cancel_latency, on_cpu_gaps
from polltrace.overhead.forecast import SKIPS, Cost, SkipForecast, forecast, out_of_band_saved_pct
from polltrace.overhead.overhead import Session, Verdict, counted_pct, verdict
from polltrace.overhead.price import PriceCurve, flat
from polltrace.overhead.skip import Skip, skip_in_force
from polltrace.profiles.frames import Bucket, Burst, PollRate
from polltrace.profiles.sampled import NamedStack, Shares, shares
from polltrace.servers.servers import Server

# Fewer counted polls than that are a session at rest: there is nothing to price.
FEWEST_POLLS = 30
# Fewer samples of the check than that were to be expected: that there is none says nothing.
_FEWEST_EXPECTED = 10.0
# A check that does not poll is a few instructions; where nobody could sample it, at most this.
_MOST_CHECK_S = 10e-9
_NO_POLLS = PollRate(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Extras:
    """What only a whole look has: timed gaps between polls, calls of the check function or why
    there are none, when the process started (since the epoch), its CPU seconds so far, how long it
    was on CPU or ready while gaps were timed, and what counting cost it a poll."""

    gaps: Sequence[Bucket] = ()
    burst: Burst | None = None
    why_not_burst: str = "its checks were not counted"
    started_at: float | None = None
    job_cpu_s: float | None = None
    timed_cpu_s: float | None = None
    probe_s_per_poll: float = 0.0


@dataclass(frozen=True, slots=True)
class Advice:
    """`counted` and `sampled` are break checking's share of CPU in per cent; `sampled` is None
    where nothing was on CPU or no function has a name. `now` is what `verdict` goes by and the
    forecast uses. `forecast` is empty where there is nothing to price. `checks` is the part of
    it that checks take which do not poll; `probe_added_pct` what counting added, subtracted.
    """

    server: Server
    mode: BreakMode
    why: Why
    session: Session
    price_s: Estimate
    counted: Estimate
    sampled: Estimate | None
    checks: Estimate
    verdict: Verdict
    now: Estimate
    skip_in_force: Skip
    forecast: Sequence[SkipForecast]
    out_of_band_saved: Estimate
    gaps: Gaps
    extras: Extras

    @property
    def estimates_agree(self) -> bool:
        return self.verdict.agree

    @property
    def going_by(self) -> Estimate:
        """What `verdict` chose of the two: the share that the forecast begins at."""
        return self.verdict.chosen(self.counted, self.sampled)

    @property
    def reason(self) -> str:
        """Why it is in-band; empty for a session that is not."""
        return self.why.reason if self.mode is BreakMode.IN_BAND else ""

    @property
    def skip(self) -> int:
        return self.skip_in_force.value

    @property
    def probe_added_pct(self) -> float:
        return 100 * self.session.polls_per_cpu_s * self.extras.probe_s_per_poll

    def saved_s(self, at: SkipForecast) -> float | None:
        """CPU seconds that the process would have taken less so far."""
        job = self.extras.job_cpu_s
        return None if job is None else job * at.saved_pct.value / 100


def advice(
    server: Server,
    session: Session,
    *,
    price: PriceCurve | None,
    stacks: Sequence[NamedStack],
    extras: Extras = Extras(),
) -> Advice:
    """Put together a session's rate, its on-CPU `stacks` and a poll's price.

    No price is for a session with nothing to price: all costs are then 0, not noise.
    """
    polls = session.rate.per_s > 0
    evidence_of = polls if polls or session.busy else None
    mode = break_mode(server.evidence(evidence_of))
    skip = skip_in_force(
        server.settings,
        extras.burst,
        why_not=extras.why_not_burst,
        started_at=extras.started_at,
    )
    nothing = price is None
    price = price or flat(exactly(1e-6))
    priced = replace(session, rate=_NO_POLLS) if nothing else session
    price_s = price.at(session.pace_s)
    by_polls = counted_pct(priced, price_s)
    seen = shares(stacks, server.engine)
    sampled = _sampled(seen, by_polls)
    checks = _checks(seen, priced, skip.value)
    counted = propagated(lambda one, other: one + other, by_polls, checks)
    found = verdict(counted, sampled)
    going_by = found.chosen(counted, sampled)
    cost = _cost(priced, price, checks, by_polls, None if going_by is counted else going_by)
    gaps = on_cpu_gaps(extras.gaps, extras.timed_cpu_s)
    forecasts = []
    if mode is BreakMode.IN_BAND and polls and not nothing:
        forecasts = [
            replace(
                forecast(cost, skip.value, other, server.engine.wait_slice_s),
                cancel_ms=cancel_latency(gaps, skip.value, other),
            )
            for other in sorted({*SKIPS, skip.value})
        ]
    return Advice(
        server=server,
        mode=mode,
        why=server.why(evidence_of),
        session=session,
        price_s=price_s,
        counted=counted,
        sampled=sampled,
        checks=checks,
        verdict=found,
        now=next((f.cpu_pct for f in forecasts if f.break_poll_skip == skip.value), going_by),
        skip_in_force=skip,
        forecast=forecasts,
        out_of_band_saved=out_of_band_saved_pct(cost),
        gaps=gaps,
        extras=extras,
    )


def _sampled(seen: Shares, by_polls: Estimate) -> Estimate | None:
    """None without samples, and where the check should have been seen and no function of it has a
    name: the program has no symbols."""
    if not seen.total:
        return None
    if not seen.named and by_polls.value * seen.total / 100 > _FEWEST_EXPECTED:
        return None
    return proportion(seen.polling + seen.checking, seen.total)


def _checks(seen: Shares, session: Session, skip: int) -> Estimate:
    """Per cent of CPU of the checks that do not poll. The samples say it where they can, but
    never more than so many checks could take."""
    most = 100 * _MOST_CHECK_S * session.polls_per_cpu_s * skip
    if not seen.total or not seen.named:
        return Estimate(most / 4, 0.0, most)
    found = proportion(seen.checking, seen.total)
    return Estimate(min(found.value, most), min(found.low, most), min(found.high, most))


def _cost(
    session: Session,
    price: PriceCurve,
    checks: Estimate,
    by_polls: Estimate,
    share: Estimate | None,
) -> Cost:
    """The forecast's inputs; `share` where that, and not the price, is to go by."""
    rate = session.rate
    busy = session.busy or 1.0
    here = price.at(session.pace_s)
    scale = Estimate(1.0, here.low / here.value, here.high / here.value)
    if share is not None and by_polls.value:
        own = [max(0.0, each - checks.value) for each in (share.value, share.low, share.high)]
        scale = Estimate(*(each / by_polls.value for each in own))
    return Cost(
        polls=Estimate(rate.per_s / busy, rate.low / busy, rate.high / busy),
        price_s=lambda pace_s: price.at(pace_s).value,
        scale=scale,
        checks=Estimate(checks.value / 100, checks.low / 100, checks.high / 100),
    )
