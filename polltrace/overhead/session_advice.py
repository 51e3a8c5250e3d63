# SPDX-License-Identifier: GPL-2.0-or-later
"""The advice for an observed session, by its engine's kind of check."""

from __future__ import annotations

from collections.abc import Sequence

from polltrace.overhead.advice import Advice, Extras, advice
from polltrace.overhead.cancel import on_cpu_gaps
from polltrace.overhead.client_check import ClientCheckAdvice, client_check_advice
from polltrace.overhead.cost_model import in_place
from polltrace.overhead.poll_cost import PollCost
from polltrace.overhead.session_load import SessionLoad
from polltrace.overhead.skip import skip_in_force
from polltrace.profiles.sampled import NamedStack
from polltrace.servers.servers import Server

SessionAdvice = Advice | ClientCheckAdvice


def session_advice(  # noqa: PLR0913 - each is measured by itself
    server: Server,
    polls: bool | None,
    load: SessionLoad,
    *,
    poll_cost: PollCost | None,
    stacks: Sequence[NamedStack],
    extras: Extras,
) -> SessionAdvice:
    """The advice for a session of any engine. Pure.

    `polls`: whether it checked while it was on CPU; None: it was hardly on CPU. The other arguments
    are those of advice().
    """
    if server.engine.check_kind.is_break_poll:
        return advice(server, load, poll_cost=poll_cost, stacks=stacks, extras=extras)
    return client_check_advice(server, polls, load, on_cpu_gaps(extras.gaps), cost=poll_cost)


def session_cost(server: Server | None, curve: PollCost | None, extras: Extras) -> PollCost | None:
    """The cost curve of a session, placed by the durations of its polls.

    Only break polls have a model of their durations in place: the calibration alone gives the cost
    of any other check.
    """
    if server is not None and not server.engine.check_kind.is_break_poll:
        return curve
    skip = skip_in_force(server.settings, extras.burst).value if server else None
    return in_place(curve, extras.durations, skip, extras.host)
