# SPDX-License-Identifier: GPL-2.0-or-later
"""The looks that advice takes at one live session, one after the other: each disturbs what the
others measure."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from polltrace import procfs
from polltrace.backends.ebpf import EbpfProbe, Look
from polltrace.breaks.break_mode import BreakMode, break_mode
from polltrace.errors import NoSuchProcessError, PolltraceError
from polltrace.overhead.advice import FEWEST_POLLS, Advice, Extras, advice
from polltrace.overhead.forecast import SKIPS
from polltrace.overhead.overhead import Session, counted_session
from polltrace.overhead.price import ROUNDS, PriceCurve, price_curve, pricing_beside
from polltrace.overhead.skip import measured_skip
from polltrace.profiles.frames import Burst, ProcessTotals
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import ON_CPU, NamedStack, introduced, named_stacks
from polltrace.servers.servers import Server
from stacks import ProcessError, Symbolizer

# Fast enough to tell a twentieth of the time to a tenth of itself within seconds, slow enough not
# to be felt.
SAMPLE_HZ = 1999.0
SAMPLED_SECONDS = 8.0
# Beyond, it is not the measuring that leaves prices unsure.
_MOST_LONGER = 10
# Counting every poll gives a rate per CPU second that a busy host does not disturb.
COUNTED_SECONDS = 2.0
# Timing costs as much as the polls: long enough for the tail of the gaps, and no longer.
TIMED_SECONDS = 1.0
# The probe ends a burst after 200 ms; a counted check costs some 0.8 us.
BURST_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Durations:
    """Seconds of each look."""

    sampled: float = SAMPLED_SECONDS
    counted: float = COUNTED_SECONDS
    timed: float = TIMED_SECONDS

    @property
    def price_rounds(self) -> int:
        """Who samples for longer wants it more exactly, and prices follow."""
        return round(ROUNDS * min(max(1.0, self.sampled / SAMPLED_SECONDS), _MOST_LONGER))


def advise_session(server: Server, durations: Durations = Durations()) -> Advice:
    """Look at a live dedicated server and say what break checking costs it.

    Raises NoSuchProcessError where it ends before it was seen, and what the probe raises.
    """
    counted = _looked(server, Look(duration_s=durations.counted))
    totals = _client_polls(server, counted)
    if _polls_nothing(server, totals):
        return _of_no_polls(server, counted, totals)
    names = Symbolizer()
    look = Look(duration_s=durations.sampled, sample_hz=SAMPLE_HZ)
    with _sight_kept(server), EbpfProbe([server.pid], look) as probe:
        for _ in introduced(probe.records(), names):
            pass
        sampled = probe.profile()
    stacks = named_stacks(sampled, names, ON_CPU)
    burst, why_not = _burst(server)
    before = procfs.on_cpu_or_waiting_for_one_s(server.pid)
    timed = _only(server, _looked(server, Look(duration_s=durations.timed, latency=True)))
    after = procfs.on_cpu_or_waiting_for_one_s(server.pid)
    cost = _only(server, sampled).probe_s_per_poll
    session = counted_session(totals, counted.seconds, cost)
    return advice(
        server,
        session,
        price=_price(server, session, burst, durations.price_rounds).times(
            _slowing(server, session, durations.counted, cost)
        ),
        stacks=stacks,
        extras=Extras(
            gaps=timed.gaps,
            burst=burst,
            why_not_burst=why_not,
            started_at=procfs.started_at(server.start_ticks),
            job_cpu_s=procfs.cpu_s(server.pid),
            timed_cpu_s=after - before if before is not None and after is not None else None,
            probe_s_per_poll=cost,
        ),
    )


def _client_polls(server: Server, counted: Profile) -> ProcessTotals:
    totals = _only(server, counted)
    return replace(totals, break_polls=server.client_polls(totals))


def _polls_nothing(server: Server, totals: ProcessTotals) -> bool:
    """Out-of-band, local or at rest: nothing that other looks would tell more of."""
    seen = totals.break_polls > 0 or None
    mode = break_mode(server.evidence(seen))
    return mode is not BreakMode.IN_BAND or totals.break_polls < FEWEST_POLLS


def _of_no_polls(server: Server, counted: Profile, totals: ProcessTotals) -> Advice:
    session = counted_session(totals, counted.seconds, 0.0)
    none: Sequence[NamedStack] = ()
    extras = Extras(
        why_not_burst="it made next to no break polls",
        started_at=procfs.started_at(server.start_ticks),
        job_cpu_s=procfs.cpu_s(server.pid),
    )
    return advice(server, session, price=None, stacks=none, extras=extras)


def _price(server: Server, session: Session, burst: Burst | None, rounds: int) -> PriceCurve:
    """The price at the session's own pace, and at those it would have at every other skip."""
    measured = measured_skip(burst)
    now = measured.value if measured else server.settings.break_poll_skip
    slowest = max(SKIPS) / now
    return price_curve(
        [session.pace_s * times for times in (1 / now, 1.0, 3.0, 10.0, max(100.0, slowest))],
        _kind(server),
        threaded=procfs.threads(server.pid) > 1,
        rounds=rounds,
    )


def _slowing(server: Server, session: Session, seconds: float, probe_s_per_poll: float) -> float:
    """How fast the session goes beside the program that measures prices, of its speed alone. They
    may share a core, and the price was measured beside it; polls go with the work that it does.
    """
    with pricing_beside():
        counted = _looked(server, Look(duration_s=seconds))
    totals = _client_polls(server, counted)
    beside = counted_session(totals, counted.seconds, probe_s_per_poll).polls_per_cpu_s
    alone = session.polls_per_cpu_s
    # Else it has turned to other work since, or ended its call.
    return beside / alone if alone / 2 < beside < alone else 1.0


def _kind(server: Server) -> str:
    return "tcp6" if server.socket and server.socket.local.startswith("[") else "tcp"


def _burst(server: Server) -> tuple[Burst | None, str]:
    """The calls of the check function and the polls among them, or why they were not counted."""
    from stacks.locating import locate_function  # noqa: PLC0415 - numpy, and all symbols

    try:
        place = locate_function(server.pid, server.engine.check_function)
    except ProcessError as error:
        return None, str(error)
    if place is None:
        return None, f"its program has no symbol {server.engine.check_function}"
    look = Look(duration_s=BURST_SECONDS, functions=((place.path, place.offset),))
    try:
        burst = _only(server, _looked(server, look)).burst
    except NoSuchProcessError:
        raise
    except PolltraceError as error:
        return None, str(error)
    return burst, ""


@contextlib.contextmanager
def _sight_kept(server: Server) -> Iterator[None]:
    """Within, that the process is gone is said as what it means for advice."""
    try:
        yield
    except NoSuchProcessError:
        raise _ended(server) from None


def _ended(server: Server) -> NoSuchProcessError:
    return NoSuchProcessError(
        f"process {server.pid} ended while it was looked at: too early to price it "
        "('polltrace stat -p' counts as long as it lives; a shorter look: -d SECONDS)"
    )


def _only(server: Server, profile: Profile) -> ProcessTotals:
    """What the probe saw of the process, whole: it still lives."""
    identity = (server.pid, server.start_ticks)
    if identity in profile.ended:
        raise _ended(server)
    for totals in profile.totals:
        if (totals.pid, totals.start_ticks) == identity:
            return totals
    raise _ended(server)


def _looked(server: Server, look: Look) -> Profile:
    with _sight_kept(server), EbpfProbe([server.pid], look) as probe:
        return probe.profile()
