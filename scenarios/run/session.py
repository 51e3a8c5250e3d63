# SPDX-License-Identifier: GPL-2.0-or-later
"""A session of a cell: fresh, pinned, timed with no probe attached, then counted."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.errors import DriverError, HostError, NoSuchProcessError, NotPermittedError
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import ON_CPU
from polltrace.profiles.stack_profile import stack_profile
from polltrace.scenarios.plan.cell import WAIT_SLICE_S, Cell
from polltrace.scenarios.plan.plsql_fetch import as_fetched
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.client_process import ClientEndedError
from polltrace.scenarios.run.lost_client import found_after
from polltrace.scenarios.run.network.choice import Route
from polltrace.scenarios.run.servers.server import DatabaseServer, open_session
from polltrace.scenarios.run.session_statistics import StatisticsSnapshot
from polltrace.scenarios.run.work import Work
from polltrace.stacks import Symbolizer, write_folded

SAMPLE_HZ = 997.0
SAMPLED_S = 1.0
LONGEST_CANCEL_S = 15.0
"""A call that has not ended after this time has lost its cancel."""

SENDING = "select level, rpad('x', 80, 'x') from dual connect by level <= 150000"
LOCKING = "update polltrace_lock set n = n"


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds that executions took.

    - `elapsed_s`: as the client saw them
    - `cpu_s`: CPU time of the server process; None where that is not on this host
    - `waited_s`: how long the server process waited for a processor; None likewise
    - `remote_cpu_s`: CPU time of the server at the other end of the session's link; None: no link
    """

    elapsed_s: float
    cpu_s: float | None
    waited_s: float | None
    remote_cpu_s: float | None = None


class CellSession:
    """A connection of one cell, with a server process and an address space of its own.

    A server process on this host has a processor to itself, the same in every cell. `watcher` is
    the session that reads the V$ views about it.
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        server: DatabaseServer,
        client: DriverClient,
        cell: Cell,
        routes: Mapping[str, Route],
        processors: tuple[int, int],
        watcher: DriverClient,
    ) -> None:
        self.cell = cell
        self._client = client
        self._watcher = watcher
        open_session(server, client, cell, routes)
        self._views = server.views
        self.spid = self._views.spid(client)
        self.sid = self._views.sid(client)
        self._end = server.remote if cell.link_path else None
        self._remote = self._end.session_of(self.spid) if self._end and self.spid else None
        pinned = [(self.spid, processors[1])]
        if self._end and self._remote:
            pinned.append((self._remote.spid, self._end.processor))
        for pid, processor in pinned:
            if pid is not None:
                # A process of another user stays where it is.
                with contextlib.suppress(PermissionError):
                    os.sched_setaffinity(pid, {processor})

    def execute(self, work: Work, times: int = 1) -> Took:
        scheduled_before, remote_before = self._scheduled()
        statement = as_fetched(work.statement, self.cell)
        elapsed_s = sum(self._client.execute(statement, work.binds, times=times).elapsed_s)
        scheduled_after, remote_after = self._scheduled()
        if scheduled_before is None or scheduled_after is None:
            return Took(elapsed_s, None, None)
        cpu_s, waited_s = (b - a for a, b in zip(scheduled_before, scheduled_after, strict=True))
        if remote_before is None or remote_after is None:
            return Took(elapsed_s, cpu_s, waited_s)
        return Took(elapsed_s, cpu_s, waited_s, remote_after[0] - remote_before[0])

    def counted(self, work: Work, *, polls: bool) -> dict[str, Any]:
        """The figures of a `counted` line: executions under the probe, and changes of the views."""
        executions = work.executions_at(self.cell.skip)
        self.publish()
        views_before, remote_before = self._read_views()
        with contextlib.ExitStack() as stack:
            probe = None
            if polls and self.spid is not None:
                also = (self._remote.spid,) if self._remote else ()
                probe = stack.enter_context(self.probe(ProbeOptions(), *also))
            took = self.execute(work, executions)
            profile = probe.stop() if probe else None
        self.publish()
        views_after, remote_after = self._read_views()
        counted: dict[str, Any] = {
            "executions": executions,
            **asdict(took),
            "v$": views_after.since(views_before).data(),
            "plan": self._views.plan(self._watcher, self.sid),
            **(_probed(profile, self.spid) if profile and self.spid else {}),
        }
        if self._remote and remote_before and remote_after:
            counted["remote"] = {
                "executions": executions,
                "elapsed_s": took.elapsed_s,
                "cpu_s": took.remote_cpu_s,
                "v$": remote_after.since(remote_before).data(),
                **(_probed(profile, self._remote.spid) if profile else {}),
            }
        return counted

    def publish(self) -> None:
        """Have the server's views show all that the session has done so far."""
        self._views.publish(self._client)

    def stacks(self, work: Work) -> dict[str, Any]:
        """Folded stacks of the server on CPU; empty where it is not on this host.

        `samples` in all, `checks` of them in the break check, `early` and `truncated` incomplete.
        """
        if self.spid is None:
            return {}
        names = Symbolizer()
        with self.probe(ProbeOptions(sample_hz=SAMPLE_HZ, kernel=True)) as probe:
            until = time.monotonic() + SAMPLED_S
            while time.monotonic() < until:
                self.execute(work)
            profile = stack_profile(probe.stop(), names, ON_CPU)
        return {
            "hz": SAMPLE_HZ,
            "seconds": profile.seconds,
            "samples": profile.samples,
            "checks": profile.checks,
            "early": profile.quality.early.early,
            "truncated": profile.quality.truncated,
            "lost": profile.quality.lost,
            "folded": write_folded(profile.folded),
        }

    def cancel(self, work: Work, after_s: float) -> dict[str, Any]:
        """The outcome of a cancel sent `after_s` into a call. A lost one ends the connection.

        Some drivers report a cancel after the call has ended by itself. The number of its gets
        tells that the cancel was lost.
        """
        sql, binds = {
            "executing": (as_fetched(work.statement, self.cell), work.cancelled),
            "sending": (SENDING, {}),
            "waiting": (LOCKING, {}),
        }[self.cell.busy]
        views_before = self._views.read(self._watcher, self.sid)
        self._client.begin(sql, binds)
        time.sleep(after_s)
        self._client.send_break()
        try:
            ended = self._client.finish(LONGEST_CANCEL_S + self._unheard_s())
        except ClientEndedError:
            raise
        except DriverError:
            self._client.restart()
            return {"after_s": after_s, "lost": True, "error": "no answer"}
        if ended.error is None or ended.break_ms is None:
            return {"after_s": after_s, "lost": True, "error": ended.error}
        spent = self._views.read(self._watcher, self.sid).since(views_before)
        cancel = self._client.cancelled(ended)
        all_gets = work.cancelled_gets
        return {
            "after_s": after_s,
            "lost": self.cell.busy == "executing" and spent.gets > 0.9 * all_gets > 0,
            "ms": cancel.ms,
            "error": cancel.error,
            "usable": cancel.usable,
        }

    def _unheard_s(self) -> float:
        """The longest time for which the server does not look for a break during a wait."""
        return WAIT_SLICE_S * (self.cell.skip or 0) if self.cell.busy == "waiting" else 0.0

    def lose(self, work: Work, after_s: float) -> dict[str, Any]:
        """The time until the server ends after the loss of its client, `after_s` into a call.
        Raises DriverError where the server is on another host."""
        if self.spid is None:
            raise DriverError("when a server on another host finds a lost client cannot be seen")
        self._client.begin(as_fetched(work.statement, self.cell), work.cancelled)
        time.sleep(after_s)
        found_s = found_after(self._client, self.spid, self.cell.gone)
        if found_s is None:
            self._views.end(self._watcher, self.sid)
        self._client.restart()
        outcome = {"found": False} if found_s is None else {"found": True, "ms": 1e3 * found_s}
        return {"after_s": after_s, **outcome}

    def close(self) -> None:
        # A session whose cancel was lost may be beyond closing; its process ends with the run.
        with contextlib.suppress(DriverError):
            self._client.close()

    @contextlib.contextmanager
    def probe(self, options: ProbeOptions, *also: int) -> Iterator[EbpfProbe]:
        """A probe on the server process, and `also` on others. Raises DriverError where a session
        has ended."""
        assert self.spid is not None
        try:
            with EbpfProbe([self.spid, *also], options) as probe:
                yield probe
        except NoSuchProcessError as error:
            raise DriverError(f"a session ended before its time: {error}") from error

    def _read_views(self) -> tuple[StatisticsSnapshot, StatisticsSnapshot | None]:
        """The session's, and its remote session's if it has one."""
        remote = None
        if self._end and self._remote:
            remote = self._end.views.read(self._end.watcher, self._remote.sid)
        return self._views.read(self._watcher, self.sid), remote

    def _scheduled(self) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
        """The `_times_of` the server process and of the remote session's."""
        return _times_of(self.spid), _times_of(self._remote.spid if self._remote else None)


def _times_of(pid: int | None) -> tuple[float, float] | None:
    """Seconds that a server process has run, and waited to run (sched-stats)."""
    if pid is None:
        return None
    try:
        ran, waited, _ = Path(f"/proc/{pid}/schedstat").read_text("ascii").split()
    except OSError as error:
        raise DriverError(f"a session ended before its time: {error.strerror}") from None
    return int(ran) / 1e9, int(waited) / 1e9


def _probed(profile: Profile, pid: int) -> dict[str, Any]:
    """The probe's figures of a `counted` line, for one of its processes."""
    [totals] = [totals_of_pid for totals_of_pid in profile.totals if totals_of_pid.pid == pid]
    return {
        "break_polls": totals.break_polls,
        "profile": {"variant": profile.header.variant, **asdict(totals)},
        "lost": sum(profile.lost.values()),
    }


def probe_works() -> str | None:
    """Why no probe can be attached here; None where one can."""
    try:
        with EbpfProbe([os.getpid()]) as probe:
            probe.stop()
    except (HostError, NotPermittedError) as error:
        return str(error)
    return None
