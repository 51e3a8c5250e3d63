# SPDX-License-Identifier: GPL-2.0-or-later
"""The measurements that advice takes of one live session, in sequence: each disturbs the others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from polltrace import procfs
from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.breaks.break_mode import BreakMode
from polltrace.errors import NoSuchProcessError, PolltraceError
from polltrace.overhead.advice import FEWEST_POLLS, Advice, Extras, advice
from polltrace.overhead.calibration import ROUNDS, calibrate
from polltrace.overhead.cost_model import in_place
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.host_store import this_host
from polltrace.overhead.observer import Observer, SilentObserver
from polltrace.overhead.poll_cost import PollCost
from polltrace.overhead.session_load import SessionLoad, counted_load
from polltrace.overhead.skip import measured_skip
from polltrace.overhead.timing_periods import TIMED_S
from polltrace.profiles.frames import Burst, ProcessTotals
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import ON_CPU, NamedStack, introduced, named_stacks
from polltrace.profiles.totals import together
from polltrace.servers.ps_report import BUSY_CPU_S
from polltrace.servers.servers import Server
from polltrace.stacks import ProcessError, Symbolizer

# Fast enough to measure a share of 5 % to a tenth of itself within seconds, slow enough not to
# slow the target noticeably.
SAMPLE_HZ = 1999.0
SAMPLED_SECONDS = 8.0
# More rounds do not make the calibration more precise: noise is not its limit.
_MOST_LONGER = 10
# Counting every poll gives a rate per CPU second that a busy host does not disturb.
COUNTED_SECONDS = 2.0
# The number of parts in which counting and timing alternate.
TURNS = 8
# The probe ends a burst after 200 ms; a counted check costs some 0.8 us.
BURST_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Durations:
    """Seconds of each measurement: on-CPU samples (`sampled`), every poll counted (`counted`), the
    gaps between polls timed (`timed`)."""

    sampled: float = SAMPLED_SECONDS
    counted: float = COUNTED_SECONDS
    timed: float = TIMED_S

    @property
    def calibration_rounds(self) -> int:
        """The rounds of calibration: longer sampling means a more precise result, so the
        calibration takes longer too.
        """
        return round(ROUNDS * min(max(1.0, self.sampled / SAMPLED_SECONDS), _MOST_LONGER))


@dataclass(frozen=True, slots=True)
class SessionMeasurement:
    """The measurements of `server`: arguments of `advice`."""

    server: Server
    load: SessionLoad
    poll_cost: PollCost | None
    stacks: Sequence[NamedStack]
    extras: Extras

    @property
    def advice(self) -> Advice:
        return advice(
            self.server,
            self.load,
            poll_cost=self.poll_cost,
            stacks=self.stacks,
            extras=self.extras,
        )


def advise_session(
    server: Server, durations: Durations = Durations(), observer: Observer = SilentObserver()
) -> Advice:
    """Measure the cost of break checking to a live dedicated server.

    Raises NoSuchProcessError where it ends before it was measured, and the probe's errors.
    """
    return measure_session(server, durations, observer).advice


def measure_session(
    server: Server, durations: Durations = Durations(), observer: Observer = SilentObserver()
) -> SessionMeasurement:
    """Take all measurements that advice needs. Raises the errors of advise_session."""
    observer.step(f"1/3 counting and timing its polls, {durations.counted + durations.timed:g} s")
    counted, timed = _interleaved(server, durations)
    totals = replace(counted.totals, break_polls=server.client_polls(counted.totals))
    if _polls_nothing(server, totals):
        return _at_rest(server, counted.seconds, totals)
    observer.step(f"2/3 sampling it on CPU, {durations.sampled:g} s")
    names = Symbolizer()
    options = ProbeOptions(duration_s=durations.sampled, sample_hz=SAMPLE_HZ)
    with _end_explained(server), EbpfProbe([server.pid], options) as probe:
        for _ in introduced(probe.records(), names):
            pass
        sampled = probe.profile()
    stacks = named_stacks(sampled, names, ON_CPU)
    observer.step("3/3 counting its checks")
    burst, why_not = _burst(server)
    cost = _only(server, sampled).probe_s_per_poll
    load = counted_load(totals, counted.seconds, cost)
    host = this_host()
    skip = measured_skip(burst)
    skip_value = skip.value if skip else server.settings.known_skip
    poll_cost = in_place(None, timed.totals.durations, skip_value, host)
    if poll_cost is None:
        observer.step("calibrating the cost of a poll on this host")
        poll_cost = _calibrated(server, load, durations.calibration_rounds, observer, host)
    extras = Extras(
        gaps=timed.totals.gaps,
        durations=timed.totals.durations,
        burst=burst,
        why_not_burst=why_not,
        started_at=procfs.started_at(server.start_ticks),
        job_cpu_s=procfs.cpu_s(server.pid),
        timed_cpu_s=timed.on_cpu_s,
        probe_s_per_poll=cost,
        host=host,
    )
    return SessionMeasurement(server, load, poll_cost, stacks, extras)


@dataclass(frozen=True, slots=True)
class _Spell:
    """The `totals` of `seconds`; `on_cpu_s` of them were on CPU or runnable, None where the kernel
    does not report it.
    """

    totals: ProcessTotals
    seconds: float
    on_cpu_s: float | None


def _interleaved(server: Server, durations: Durations) -> tuple[_Spell, _Spell]:
    """Count every poll, and time polls, in short alternating periods: a virtual machine's speed
    changes from second to second, and both must have seen the same of it.
    """
    counted = ProbeOptions(duration_s=durations.counted / TURNS)
    timed = ProbeOptions(duration_s=durations.timed / TURNS, latency=True)
    both = _spell(server, counted), _spell(server, timed)
    for _ in range(TURNS - 1):
        both = (
            _longer(both[0], _spell(server, counted)),
            _longer(both[1], _spell(server, timed)),
        )
    return both


def _spell(server: Server, options: ProbeOptions) -> _Spell:
    before_s = procfs.on_cpu_or_waiting_for_one_s(server.pid)
    profile = _profile(server, options)
    after_s = procfs.on_cpu_or_waiting_for_one_s(server.pid)
    on_cpu_s = after_s - before_s if before_s is not None and after_s is not None else None
    return _Spell(_only(server, profile), profile.seconds, on_cpu_s)


def _longer(first: _Spell, second: _Spell) -> _Spell:
    timed = first.on_cpu_s is not None and second.on_cpu_s is not None
    return _Spell(
        together(first.totals, second.totals),
        first.seconds + second.seconds,
        (first.on_cpu_s or 0.0) + (second.on_cpu_s or 0.0) if timed else None,
    )


def _polls_nothing(server: Server, totals: ProcessTotals) -> bool:
    """True for a session that is out-of-band, local or at rest: other measurements would add
    nothing.
    """
    polls = totals.break_polls > 0 or None
    mode = server.mode(polls)
    return mode is not BreakMode.IN_BAND or totals.break_polls < FEWEST_POLLS


def _at_rest(server: Server, seconds: float, totals: ProcessTotals) -> SessionMeasurement:
    if not totals.break_polls and totals.cpu_s < BUSY_CPU_S:
        totals = replace(totals, cpu_s=0.0)  # so little CPU time proves nothing without a poll
    load = counted_load(totals, seconds, 0.0)
    none: Sequence[NamedStack] = ()
    extras = Extras(
        why_not_burst="it made next to no break polls",
        started_at=procfs.started_at(server.start_ticks),
        job_cpu_s=procfs.cpu_s(server.pid),
    )
    return SessionMeasurement(server, load, None, none, extras)


def _calibrated(
    server: Server,
    load: SessionLoad,
    rounds: int,
    observer: Observer,
    host: HostFactors | None,
) -> PollCost:
    """The cost of a poll by polltrace's own, at the session's interval between polls."""
    return calibrate(
        [load.interval_s],
        _kind(server),
        threaded=procfs.threads(server.pid) > 1,
        rounds=rounds,
        observer=observer,
        host=host,
    )


def _kind(server: Server) -> str:
    return "tcp6" if server.socket and server.socket.local.startswith("[") else "tcp"


def _burst(server: Server) -> tuple[Burst | None, str]:
    """The calls of the check function and the polls among them, or the reason why they were not
    counted.
    """
    if not server.engine.check_function:
        return None, "every check polls"
    from polltrace.stacks.locating import locate_function  # noqa: PLC0415 - numpy, and all symbols

    try:
        place = locate_function(server.pid, server.engine.check_function)
    except ProcessError as error:
        return None, str(error)
    if place is None:
        return None, f"its program has no symbol {server.engine.check_function}"
    options = ProbeOptions(duration_s=BURST_SECONDS, functions=((place.path, place.offset),))
    try:
        burst = _only(server, _profile(server, options)).burst
    except NoSuchProcessError:
        raise
    except PolltraceError as error:
        return None, str(error)
    return burst, ""


@contextlib.contextmanager
def _end_explained(server: Server) -> Iterator[None]:
    """Context in which the error for a process that has ended states the consequence for advice."""
    try:
        yield
    except NoSuchProcessError:
        raise _ended(server) from None


def _ended(server: Server) -> NoSuchProcessError:
    return NoSuchProcessError(
        f"process {server.pid} ended while it was measured: too early to know what polling "
        "costs ('polltrace stat -p' counts as long as it lives; -d SECONDS measures for less time)"
    )


def _only(server: Server, profile: Profile) -> ProcessTotals:
    """The probe's totals of the process, which still lives."""
    identity = (server.pid, server.start_ticks)
    if identity in profile.ended:
        raise _ended(server)
    for totals in profile.totals:
        if (totals.pid, totals.start_ticks) == identity:
            return totals
    raise _ended(server)


def _profile(server: Server, options: ProbeOptions) -> Profile:
    with _end_explained(server), EbpfProbe([server.pid], options) as probe:
        return probe.profile()
