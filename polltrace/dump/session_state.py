# SPDX-License-Identifier: GPL-2.0-or-later
"""The state of a live session, by the probe, /proc and, where it is asked, the database."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.errors import NoSuchProcessError
from polltrace.intervals import Estimate, proportion
from polltrace.latency.observe_session import observe_process
from polltrace.latency.time_budget import TimeBudget
from polltrace.profiles.frames import ProcessTotals
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import ON_CPU, NamedStack, by_names, have_names, named_stacks
from polltrace.servers.activity import (
    Activity,
    ActivityChange,
    activity_change,
    activity_reader,
)
from polltrace.servers.database_sessions import DatabaseSession
from polltrace.servers.login import Login
from polltrace.servers.ps_report import ObservedServer
from polltrace.servers.servers import Server
from polltrace.stacks import ProcessError, Symbolizer

# Half a thousand samples of a busy session in half a second.
_SAMPLE_HZ = 999.0


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """The database's view: the `session`, its present `activity`, and its recent `change`."""

    session: DatabaseSession
    activity: Activity
    change: ActivityChange


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state of one session.

    `session` has its break mode and its counted polls. `budget` divides the time observed after
    that, and `stacks` are the on-CPU stacks of that time, commonest first, of `samples` samples;
    `checks` is the share of them in the break check, in per cent (None: no samples, or no names).
    `database` is None where no database was queried, or where it has no session of the process.
    """

    session: ObservedServer
    budget: TimeBudget
    stacks: Sequence[NamedStack]
    samples: int
    checks: Estimate | None
    database: DatabaseState | None


def session_state(server: Server, seconds: float, login: Login | None) -> SessionState:
    """Count its polls for half of `seconds` and sample it for the other half.

    Raises NoSuchProcessError where it ends meanwhile, the probe's errors, and DriverError.
    """
    with contextlib.ExitStack() as ending:
        reader = activity_reader(ending, server, login)
        earlier = reader.read() if reader else None
        session = _counted(server, seconds / 2)
        budget, stacks = _sampled(server, seconds / 2)
        database = None
        if reader is not None and earlier is not None:
            activity = reader.read()
            database = DatabaseState(reader.session, activity, activity_change(earlier, activity))
    samples = sum(stack.count for stack in stacks)
    checks = sum(stack.count for stack in stacks if stack.is_break_check)
    return SessionState(
        session,
        budget,
        by_names(stacks),
        samples,
        proportion(checks, samples) if samples and have_names(stacks) else None,
        database,
    )


def _counted(server: Server, seconds: float) -> ObservedServer:
    with EbpfProbe([server.pid], ProbeOptions(duration_s=seconds)) as probe:
        profile = probe.profile()
    return ObservedServer(server, _only(server, profile), profile.seconds)


def _sampled(server: Server, seconds: float) -> tuple[TimeBudget, Sequence[NamedStack]]:
    names = Symbolizer()
    options = ProbeOptions(duration_s=seconds, sample_hz=_SAMPLE_HZ)
    with EbpfProbe([server.pid], options) as probe:
        with contextlib.suppress(ProcessError):
            names.user(server.pid, [])  # so that it has names even if it ends now
        budget = observe_process(server, seconds).budget
        profile = probe.profile()
    _only(server, profile)
    return budget, named_stacks(profile, names, ON_CPU)


def _only(server: Server, profile: Profile) -> ProcessTotals:
    for totals in profile.totals:
        if totals.identity == (server.pid, server.start_ticks):
            return totals
    raise NoSuchProcessError(f"process {server.pid} ended while it was observed")
