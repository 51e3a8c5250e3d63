# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of a recording: its sessions, the loss of each to break polling, and the totals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from polltrace.breaks.break_mode import BreakMode
from polltrace.engines import BREAK_POLL, Engine
from polltrace.intervals import Estimate, exactly, proportion
from polltrace.latency.lock_wait_evidence import sampled_lock_waits
from polltrace.overhead.advice import Extras
from polltrace.overhead.estimates import counted_pct
from polltrace.overhead.forecast import CancelLimits
from polltrace.overhead.lock_waits import LockWaits
from polltrace.overhead.poll_cost import curve
from polltrace.overhead.session_advice import SessionAdvice, session_advice, session_cost
from polltrace.overhead.session_load import SessionLoad, counted_load
from polltrace.profiles.frames import Bucket, Identity, ProcessTotals
from polltrace.profiles.latches import LatchPath, latch_paths, together
from polltrace.profiles.off_cpu import OffCpuTime, off_cpu_time
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import OFF_CPU, ON_CPU, NamedStack, shares
from polltrace.recording.fold import Recording
from polltrace.recording.links import Presence, links
from polltrace.recording.series import Span
from polltrace.recording.stacks import stacks_of
from polltrace.servers.ps_report import BUSY_CPU_S, ObservedServer
from polltrace.servers.servers import Server, ServerName


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A process of a recording, by its `identity`. Shares are per cent of its CPU time; None: not
    known.

    `title` is its command line or its server title; `server` is None for other processes, whose
    `mode` is unknown; `reason` is the cause of in-band breaks. It was watched from `from_s` to
    `to_s`, seconds since the recording began, and `ended` before the recording did. `cpu_s` is its
    CPU time in seconds, `break_polls` and `other_polls` are counts. `load` is its CPU use and rate
    of polls, `poll_cost_s` the CPU seconds of a poll at its interval. `counted` is polls times that
    cost, `sampled` the share of its on-CPU `samples` in the break check, of which there are
    `checks`; `latches` are the paths on which it waits for latches: spins, by the samples, and
    sleeps, where its context switches were followed; then `off_cpu` divides its threads' lifetime,
    else it is None. `lock_waits` is the evidence of lock waits, None where no waits were sampled.
    `gaps` are the timed gaps between polls, `spans` its rates over time; `advice`
    is None for a process that is no server.
    """

    identity: Identity
    title: str
    server: Server | None
    mode: BreakMode
    reason: str
    from_s: float
    to_s: float
    ended: bool
    cpu_s: float
    break_polls: int
    other_polls: int
    load: SessionLoad
    poll_cost_s: Estimate | None
    counted: Estimate | None
    sampled: Estimate | None
    samples: int
    checks: int
    latches: tuple[LatchPath, ...]
    off_cpu: OffCpuTime | None
    advice: SessionAdvice | None
    gaps: tuple[Bucket, ...]
    spans: tuple[Span, ...]
    lock_waits: LockWaits | None

    @property
    def seconds(self) -> float:
        return self.to_s - self.from_s

    @property
    def cpu_pct(self) -> float:
        return 100 * self.cpu_s / self.seconds if self.seconds else 0.0

    @property
    def polls_per_s(self) -> float:
        return self.break_polls / self.seconds if self.seconds else 0.0

    def facts(self) -> dict[str, Any]:
        """Identity and totals as JSON-ready data; null is a value that is not known."""
        server = self.server
        return {
            "pid": self.identity[0],
            "start_ticks": self.identity[1],
            "title": self.title,
            "engine": server.engine.name if server else None,
            "instance": server.instance if server else None,
            "client": server.socket.peer if server and server.socket else None,
            "client_server": asdict(server.linked_from) if server and server.linked_from else None,
            "break_mode": self.mode.value if server else None,
            "reason": self.reason or None,
            "configured_skip": server.settings.known_skip if server else None,
            "from_s": self.from_s,
            "to_s": self.to_s,
            "ended": self.ended,
            "cpu_s": self.cpu_s,
            "break_polls": self.break_polls,
            "other_polls": self.other_polls,
        }

    @property
    def limits(self) -> CancelLimits:
        """The limits of a recommended skip, by the evidence of lock waits as in live advice."""
        if self.lock_waits is None:
            return CancelLimits()
        return CancelLimits(waiting_s=self.lock_waits.limit_s, lock_waits=self.lock_waits)

    @property
    def share(self) -> Estimate | None:
        """The share of its CPU time in break checking, per cent: the figure of its advice where it
        is a session that polls, so that both show the same.
        """
        if self.advice is not None and self.advice.forecast:
            return self.advice.cpu_pct
        return self.counted

    @property
    def lost_cpu_s(self) -> Estimate | None:
        """CPU seconds in break checking."""
        if not self.break_polls:
            return exactly(0.0)
        if self.poll_cost_s is None or self.counted is None or self.share is None:
            return None
        if not self.counted.value:
            return self.poll_cost_s.scaled(self.break_polls)
        by_polls = self.break_polls * self.poll_cost_s.value
        return self.share.scaled(by_polls / self.counted.value)


@dataclass(frozen=True, slots=True)
class RecordingSummary:
    """The figures of a `recording`: its `sessions`, those that lose most first.

    `used_cores` and `lost_cores` (to break polls) are CPUs on average over the recording. The cost
    per poll of `cost_unknown` sessions was not measured, so `lost_cores` is too low by theirs.
    `off_cpu` divides the lifetime of all their threads; None where no context switch was followed.
    """

    recording: Recording
    sessions: tuple[SessionSummary, ...]
    used_cores: float
    lost_cores: Estimate
    cost_unknown: int
    off_cpu: OffCpuTime | None

    @property
    def engines(self) -> frozenset[Engine]:
        return frozenset(session.server.engine for session in self.sessions if session.server)

    @property
    def has_skips(self) -> bool:
        """True if an engine of the recording polls at every n-th check."""
        return any(engine.polls_by_count for engine in self.engines)

    @property
    def spun_pct(self) -> Estimate | None:
        """Per cent of the CPU time spent spinning for latches; None where no sample spins."""
        spun = sum(latch_path.spun for latch_path in self.latches)
        return proportion(spun, sum(session.samples for session in self.sessions)) if spun else None

    @property
    def followed_s(self) -> float:
        """The duration for which context switches were followed, seconds."""
        return self.recording.switches.seconds if self.recording.switches else 0.0

    @property
    def latches(self) -> tuple[LatchPath, ...]:
        """The paths on which its sessions wait for latches, the longest sleep first."""
        return together(path for session in self.sessions for path in session.latches)

    @property
    def latch_sample_ns(self) -> float:
        """The CPU time that a sample represents, nanoseconds; 0 without samples."""
        samples = sum(session.samples for session in self.sessions)
        return 1e9 * sum(session.cpu_s for session in self.sessions) / samples if samples else 0.0

    @property
    def worst(self) -> SessionSummary | None:
        """The session that loses most; None where none polls."""
        first = next(iter(self.sessions), None)
        return first if first and first.break_polls else None

    def count(self, mode: BreakMode) -> int:
        return sum(session.server is not None and session.mode is mode for session in self.sessions)


def summary(recording: Recording) -> RecordingSummary:
    """The figures of a recording. Pure: everything comes from the recording."""
    counted = _by_identity(recording.counted)
    sampled = _by_identity(recording.sampled)
    sessions = sorted(
        _linked(
            [
                _session(recording, identity, counted.get(identity), sampled.get(identity))
                for identity in recording.identities
            ]
        ),
        key=lambda session: (-_value(session.lost_cpu_s), -session.break_polls, session.identity),
    )
    seconds = recording.seconds or math.inf
    return RecordingSummary(
        recording=recording,
        sessions=tuple(sessions),
        used_cores=sum(session.cpu_s for session in sessions) / seconds,
        lost_cores=_sum([session.lost_cpu_s for session in sessions]).scaled(1 / seconds),
        cost_unknown=sum(session.lost_cpu_s is None for session in sessions),
        off_cpu=_off_cpu(recording, recording.identities)[0],
    )


def _linked(sessions: list[SessionSummary]) -> list[SessionSummary]:
    """The sessions, each with the server that is its client, if that is in the same recording."""
    present = [Presence(0, session.server, session.from_s, session.to_s) for session in sessions]
    for client, session in links(present):
        far, near = sessions[session], sessions[client].server
        if far.server and near:
            name = ServerName(near.pid, near.instance)
            sessions[session] = replace(far, server=replace(far.server, linked_from=name))
    return sessions


def _off_cpu(
    recording: Recording, identities: Sequence[Identity]
) -> tuple[OffCpuTime | None, list[NamedStack]]:
    """The off-CPU time of these processes, with the stacks; None and no stacks for a recording
    without context switches.
    """
    profile = recording.switches
    if profile is None:
        return None, []
    selected = frozenset(identities)
    mine = replace(profile, totals=tuple(t for t in profile.totals if t.identity in selected))
    waits = [stack for identity in identities for stack in stacks_of(recording, identity, OFF_CPU)]
    return off_cpu_time(mine, waits), waits


def _value(estimate: Estimate | None) -> float:
    return estimate.value if estimate else 0.0


def _sum(estimates: Sequence[Estimate | None]) -> Estimate:
    """The sum of the known estimates. The bounds add up: all rest on one model, whose error they
    share.
    """
    bounds = [(estimate.value, estimate.low, estimate.high) for estimate in estimates if estimate]
    return Estimate(*map(sum, zip(*bounds, strict=True))) if bounds else exactly(0.0)


def _by_identity(profile: Profile | None) -> Mapping[Identity, ProcessTotals]:
    return (
        {(totals.pid, totals.start_ticks): totals for totals in profile.totals} if profile else {}
    )


def _checks(stacks: Sequence[NamedStack], server: Server | None) -> int:
    """The number of samples in the check; those of a server by the rules of its own engine, as in
    advice.
    """
    if server is None:
        return sum(stack.count for stack in stacks if stack.is_break_check)
    sample_shares = shares(stacks, server.engine)
    return sample_shares.polling + sample_shares.checking


def _session(
    recording: Recording,
    identity: Identity,
    counted: ProcessTotals | None,
    sampled: ProcessTotals | None,
) -> SessionSummary:
    on_any_socket = counted or ProcessTotals(*identity, 0.0, 0, 0, (), (), ())
    totals = on_any_socket
    server = recording.servers.get(identity)
    if server is not None and totals.sockets:
        totals = replace(totals, break_polls=server.client_polls(totals))
    from_s, to_s = recording.lived[identity]
    load = _load(recording, totals, on_any_socket.break_polls, sampled)
    timed = recording.gaps.get(identity)
    extras = Extras(
        gaps=timed.gaps if timed else (),
        durations=timed.durations if timed else (),
        burst=recording.bursts.get(identity),
        why_not_burst="the recording has no count of its checks",
        timed_cpu_s=recording.timed_cpu_s.get(identity),
        started_at=server.started_at if server else None,
        job_cpu_s=totals.cpu_s,
        probe_s_per_poll=sampled.probe_s_per_poll if sampled else 0.0,
        host=recording.host_factors,
    )
    costs = None
    if totals.break_polls:
        costs = curve(recording.check_costs, server.engine.check_kind if server else BREAK_POLL)
        costs = session_cost(server, costs, extras)
    stacks = stacks_of(recording, identity, ON_CPU)
    off_cpu, waits = _off_cpu(recording, [identity])
    if off_cpu is not None:  # unseen events cannot be attributed to a process
        off_cpu = replace(off_cpu, unfollowed=0, unwoken=0, unswitched=0)
    samples = sum(stack.count for stack in stacks)
    checks = _checks(stacks, server)
    watched = _watched(server, totals, to_s - from_s)
    cost = costs.at(load.interval_s) if costs else None
    return SessionSummary(
        identity=identity,
        title=_title(recording, identity),
        server=server,
        mode=watched.mode if watched else BreakMode.UNKNOWN,
        reason=watched.reason if watched else "",
        from_s=from_s,
        to_s=to_s,
        ended=recording.counted is not None and identity in recording.counted.ended,
        cpu_s=totals.cpu_s,
        break_polls=totals.break_polls,
        other_polls=totals.other_polls,
        load=load,
        poll_cost_s=cost,
        counted=counted_pct(load, cost) if cost else None,
        sampled=proportion(checks, samples) if samples else None,
        samples=samples,
        checks=checks,
        latches=latch_paths([*stacks, *waits]),
        off_cpu=off_cpu,
        advice=session_advice(
            server,
            watched.evidence.polls_on_cpu,
            load,
            poll_cost=costs,
            stacks=stacks,
            extras=extras,
        )
        if server and watched
        else None,
        gaps=timed.gaps if timed else (),
        spans=tuple(recording.series[identity].spans()) if identity in recording.series else (),
        lock_waits=sampled_lock_waits(waited)
        if (waited := recording.waits.get(identity))
        else None,
    )


def _load(
    recording: Recording,
    totals: ProcessTotals,
    polls_on_any_socket: int,
    sampled: ProcessTotals | None,
) -> SessionLoad:
    """The load of a process without the times when gaps were timed, which costs as much as the
    polls.

    The series has polls on any socket; the client's share of them is taken to be that of all polls.
    """
    from_s, to_s = recording.lived[totals.identity]
    seconds = to_s - from_s
    series = recording.series.get(totals.identity)
    if series is not None and totals.cpu_s - series.timed_cpu_s > BUSY_CPU_S:
        seconds -= series.timed_s
        untimed = 1 - series.timed_polls / polls_on_any_socket if polls_on_any_socket else 1.0
        totals = replace(
            totals,
            cpu_s=totals.cpu_s - series.timed_cpu_s,
            break_polls=round(totals.break_polls * untimed),
        )
    if seconds <= 0:
        return counted_load(replace(totals, cpu_s=0.0), 1.0, 0.0)
    return counted_load(totals, seconds, sampled.probe_s_per_poll if sampled else 0.0)


def _watched(server: Server | None, totals: ProcessTotals, seconds: float) -> ObservedServer | None:
    """The session in the form of `polltrace ps`, so that both commands decide alike on the break
    mode.
    """
    return ObservedServer(server, totals, seconds) if server else None


def _title(recording: Recording, identity: Identity) -> str:
    process = recording.counted.processes.get(identity) if recording.counted else None
    if process is None:
        return "?"
    return " ".join(process.cmdline) if any(process.cmdline) else f"[{process.comm}]"
