# SPDX-License-Identifier: GPL-2.0-or-later
"""An open session as far as it has been measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polltrace.breaks.break_mode import Evidence
from polltrace.intervals import Estimate, proportion
from polltrace.overhead.advice import Extras
from polltrace.overhead.poll_cost import Knot, PollCost, constant, curve
from polltrace.overhead.session_advice import SessionAdvice, session_advice
from polltrace.overhead.session_load import SessionLoad
from polltrace.profiles.frames import Bucket, ProcessTotals
from polltrace.profiles.latches import latch_paths
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import NamedStack, by_names, have_names
from polltrace.servers.ps_report import BUSY_CPU_S, TIMER_OBSERVED_S
from polltrace.servers.servers import Server
from polltrace.watch.snapshot import PollCosts
from polltrace.watch.window_rate import rate_of


@dataclass(frozen=True, slots=True)
class SessionView:
    """An open session, measured for `seconds` so far.

    `server` and the `evidence` of its break mode are None before the server was inspected;
    `stacks` are its on-CPU stacks, `note` is a sentence about the measurement. `advice` is None
    until there are enough windows and a cost, and where nothing is polled; `checks` is the share
    of `samples` in the break check, and `spun` of them spin for a latch. `gaps` and `counted`
    (system calls, and the seconds that they were counted for) are there on request only. `doing`
    are the lines of its present activity, once measured.
    """

    server: Server | None = None
    evidence: Evidence | None = None
    seconds: float = 0.0
    samples: int = 0
    checks: Estimate | None = None
    spun: int = 0
    stacks: tuple[NamedStack, ...] = ()
    advice: SessionAdvice | None = None
    note: str = ""
    gaps: tuple[Bucket, ...] = ()
    counted: tuple[ProcessTotals, float] | None = None
    doing: tuple[str, ...] = ()

    @property
    def polling(self) -> Estimate | None:
        """The share of checking in the session's CPU time, in per cent; None: unknown."""
        return self.advice.cpu_pct if self.advice else None

    def ended(self) -> SessionView:
        return replace(self, note="The process has ended; this is what was seen of it last.")


def session_view(
    server: Server,
    profile: Profile,
    stacks: Sequence[NamedStack],
    costs: PollCosts,
    gaps: ProcessTotals | None = None,
) -> SessionView:
    """Put together the profile of one process by one probe, and the gaps that another timed."""
    if not profile.totals:
        return SessionView(server=server).ended()
    totals = profile.only()
    samples = sum(stack.count for stack in stacks)
    checks = sum(stack.count for stack in stacks if stack.is_break_check)
    rate, timed = rate_of(totals, profile.seconds), gaps or totals
    load = SessionLoad(totals.cpu_s / profile.seconds, rate) if rate else None
    polls_on_cpu = _polls_on_cpu(server, totals)
    return SessionView(
        server=server,
        evidence=server.evidence(polls_on_cpu),
        seconds=profile.seconds,
        samples=samples,
        checks=proportion(checks, samples) if samples and have_names(stacks) else None,
        spun=sum(path.spun for path in latch_paths(stacks)),
        stacks=by_names(stacks),
        gaps=timed.gaps,
        advice=session_advice(
            server,
            polls_on_cpu,
            load,
            poll_cost=cost,
            stacks=stacks,
            extras=Extras(gaps=timed.gaps, durations=timed.durations, host=costs.host),
        )
        if load is not None and (cost := _cost(server, load, costs)) is not None
        else None,
    )


def _polls_on_cpu(server: Server, totals: ProcessTotals) -> bool | None:
    """True if the server polls while on CPU; None where it ran too little to tell."""
    if totals.break_polls:
        return True
    window_s = totals.windows.seconds if totals.windows else 0.0
    observed = server.engine.polls_by_count or window_s >= TIMER_OBSERVED_S
    return False if observed and totals.cpu_s >= BUSY_CPU_S else None


def _cost(server: Server, load: SessionLoad, costs: PollCosts) -> PollCost | None:
    """The cost per poll at the session's interval; None before it is measured."""
    if not load.rate.per_s or not load.busy:
        return None
    knot = Knot.nearest(server.engine.check_kind, load.interval_s)
    cost = costs.by_knot.get(knot)
    if cost is None or knot.kind.is_break_poll:
        return constant(cost) if cost else None
    return curve(costs.by_knot, knot.kind)
