# SPDX-License-Identifier: GPL-2.0-or-later
"""What is known of one session's break polling, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polltrace.break_mode import BreakMode, break_mode, why_in_band
from polltrace.forecast import SKIPS, SkipForecast, cancel_latency, forecast
from polltrace.frames import ProcessTotals
from polltrace.intervals import Estimate, proportion
from polltrace.overhead import Session, agree, counted_pct
from polltrace.sampled import NamedStack
from polltrace.servers import Server


@dataclass(frozen=True, slots=True)
class Advice:
    """`sampled` is None where nothing was on CPU; `now` is the estimate that the forecast uses.

    `skip` is what the server's sqlnet.ora says, or the default: it is not measured.
    """

    server: Server
    mode: BreakMode
    reason: str
    session: Session
    price_s: Estimate
    counted: Estimate
    sampled: Estimate | None
    now: Estimate
    skip: int
    forecast: Sequence[SkipForecast]

    @property
    def estimates_agree(self) -> bool:
        return self.sampled is None or agree(self.counted, self.sampled)


def advice(
    server: Server,
    session: Session,
    *,
    price_s: Estimate,
    stacks: Sequence[NamedStack],
    timed: ProcessTotals,
) -> Advice:
    """Put together a session's rate, its on-CPU `stacks`, a poll's price, and timed gaps."""
    counted = counted_pct(session, price_s)
    samples = sum(stack.count for stack in stacks)
    checks = sum(stack.count for stack in stacks if stack.is_break_check)
    polls = session.rate.per_s > 0
    evidence = server.evidence(polls if polls or session.busy else None)
    mode = break_mode(evidence)
    skip = server.settings.break_poll_skip
    slice_s = server.engine.wait_slice_s
    return Advice(
        server=server,
        mode=mode,
        reason=why_in_band(evidence, server.settings) if mode is BreakMode.IN_BAND else "",
        session=session,
        price_s=price_s,
        counted=counted,
        sampled=proportion(checks, samples) if samples else None,
        now=counted,
        skip=skip,
        forecast=[
            replace(
                forecast(counted, session.polls_per_cpu_s, skip, other, slice_s),
                cancel_ms=cancel_latency(timed.gaps, skip, other),
            )
            for other in sorted({*SKIPS, skip})
        ],
    )
