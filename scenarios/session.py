# SPDX-License-Identifier: GPL-2.0-or-later
"""One session of a cell: fresh, pinned, timed with nothing attached, then counted."""

from __future__ import annotations

import contextlib
import math
import os
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from polltrace.backends.ebpf import EbpfProbe, Look
from polltrace.errors import DriverError, HostError, NoSuchProcessError, NotPermittedError
from polltrace.profiles.sampled import ON_CPU
from polltrace.profiles.stack_profile import stack_profile
from scenarios import session_statistics
from scenarios.client import Binds, ClientEndedError, DriverClient
from scenarios.network import Route
from scenarios.scenario import Cell
from scenarios.server import Server, open_session, server_process
from stacks import Symbolizer, write_folded

SAMPLE_HZ = 997.0
SAMPLED_S = 1.0
LONGEST_CANCEL_S = 15.0
"""A call that did not end by then has lost its cancel."""

POLLS_AT_LEAST = 300
"""Counting begins and ends somewhere between two polls: one more or less must not matter."""

SENDING = "select level, rpad('x', 80, 'x') from dual connect by level <= 150000"
LOCKING = "update polltrace_lock set n = n"


@dataclass(frozen=True, slots=True)
class Work:
    """What a session executes, `gets` consistent gets each, and what it is counted by.

    That are `executions`, or as many more as make `polls` break polls. `cancelled` binds make it
    last long enough to be cancelled.
    """

    statement: str
    binds: Binds
    cancelled: Binds = field(default_factory=dict)
    executions: int = 1
    gets: float = 0.0
    polls: int = POLLS_AT_LEAST

    def warm_up(self, order: random.Random) -> Work:
        """A little of it, not always the same: counting few polls must not always begin at the
        same point between two of them."""
        n = self.binds.get("n")
        if not isinstance(n, int):
            return self
        return replace(self, binds={**self.binds, "n": order.randint(n // 2, n)})

    @property
    def cancelled_gets(self) -> float:
        """Those of a call that was to be cancelled and was not; 0: not known."""
        n, longer = self.binds.get("n"), self.cancelled.get("n")
        return self.gets * longer / n if isinstance(n, int) and isinstance(longer, int) else 0.0

    def executions_at(self, skip: int | None) -> int:
        """How often, so that the polls at this skip are enough for a fraction of a per cent."""
        wanted = self.polls * (skip or 0)
        return max(self.executions, math.ceil(wanted / self.gets)) if self.gets > 1 else 1


@dataclass(frozen=True, slots=True)
class Took:
    """Executions: `elapsed_s` as the client saw them; of the server process, its CPU time and how
    long it waited for a processor that others had. None where it is not on this host."""

    elapsed_s: float
    cpu_s: float | None
    waited_s: float | None


class Session:
    """A connection of one cell, with a server process and an address space of its own.

    Where the server process is on this host it has a processor to itself, the same in every
    cell: none is favoured. `watcher` reads what the views say of it.
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        server: Server,
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
        self.spid = server_process(client)
        self.sid = session_statistics.sid(client)
        if self.spid is not None:
            # Somebody else's process is left where it is.
            with contextlib.suppress(PermissionError):
                os.sched_setaffinity(self.spid, {processors[1]})

    def execute(self, work: Work, times: int = 1) -> Took:
        before = self._scheduled()
        elapsed_s = sum(self._client.execute(work.statement, work.binds, times=times).elapsed_s)
        after = self._scheduled()
        if before is None or after is None:
            return Took(elapsed_s, None, None)
        cpu_s, waited_s = (b - a for a, b in zip(before, after, strict=True))
        return Took(elapsed_s, cpu_s, waited_s)

    def counted(self, work: Work, *, polls: bool) -> dict[str, Any]:
        """Executions, the views read before and after, the probe in between."""
        executions = work.executions_at(self.cell.skip)
        before = session_statistics.read(self._watcher, self.sid)
        with contextlib.ExitStack() as stack:
            probe = None
            if polls and self.spid is not None:
                probe = stack.enter_context(self.probe(Look()))
            took = self.execute(work, executions)
            profile = probe.stop() if probe else None
        spent = session_statistics.read(self._watcher, self.sid).since(before)
        counted: dict[str, Any] = {
            "executions": executions,
            **asdict(took),
            "v$": spent.data(),
        }
        if profile is not None:
            counted["break_polls"] = profile.only().break_polls
            counted["profile"] = {"variant": profile.header.variant, **asdict(profile.only())}
            counted["lost"] = sum(profile.lost.values())
        return counted

    def stacks(self, work: Work) -> dict[str, Any]:
        """Where the server is on CPU meanwhile, folded; empty where it is not on this host.

        `samples` in all, `checks` of them in the break check, `early` and `truncated` not whole.
        """
        if self.spid is None:
            return {}
        names = Symbolizer()
        with self.probe(Look(sample_hz=SAMPLE_HZ, kernel=True)) as probe:
            until = time.monotonic() + SAMPLED_S
            while time.monotonic() < until:
                self.execute(work)
            taken = stack_profile(probe.stop(), names, ON_CPU)
        return {
            "hz": SAMPLE_HZ,
            "seconds": taken.seconds,
            "samples": taken.samples,
            "checks": taken.checks,
            "early": taken.quality.early.early,
            "truncated": taken.quality.truncated,
            "lost": taken.quality.lost,
            "folded": write_folded(taken.folded),
        }

    def cancel(self, work: Work, after_s: float) -> dict[str, Any]:
        """What became of a cancel sent `after_s` into a call. A lost one ends the connection.

        Some drivers report a cancel once the call has come to its own end: by its gets, it is
        lost all the same.
        """
        sql, binds = {
            "executing": (work.statement, work.cancelled),
            "sending": (SENDING, {}),
            "waiting": (LOCKING, {}),
        }[self.cell.busy]
        before = session_statistics.read(self._watcher, self.sid)
        self._client.begin(sql, binds)
        time.sleep(after_s)
        self._client.send_break()
        try:
            ended = self._client.finish(LONGEST_CANCEL_S)
        except ClientEndedError:
            raise
        except DriverError:
            self._client.restart()
            return {"after_s": after_s, "lost": True, "error": "no answer"}
        if ended.error is None or ended.break_ms is None:
            return {"after_s": after_s, "lost": True, "error": ended.error}
        spent = session_statistics.read(self._watcher, self.sid).since(before)
        cancel = self._client.cancelled(ended)
        whole = work.cancelled_gets
        return {
            "after_s": after_s,
            "lost": self.cell.busy == "executing" and spent.gets > 0.9 * whole > 0,
            "ms": cancel.ms,
            "error": cancel.error,
            "usable": cancel.usable,
        }

    def close(self) -> None:
        # A session whose cancel was lost may be beyond closing; its process ends with the run.
        with contextlib.suppress(DriverError):
            self._client.close()

    @contextlib.contextmanager
    def probe(self, look: Look) -> Iterator[EbpfProbe]:
        """On the server process; a session whose client is gone is a DriverError."""
        assert self.spid is not None
        try:
            with EbpfProbe([self.spid], look) as probe:
                yield probe
        except NoSuchProcessError as error:
            raise DriverError(f"a session ended before its time: {error}") from error

    def _scheduled(self) -> tuple[float, float] | None:
        """Seconds until now that the server process ran, and waited to run (sched-stats)."""
        if self.spid is None:
            return None
        try:
            ran, waited, _ = Path(f"/proc/{self.spid}/schedstat").read_text().split()
        except OSError as error:
            raise DriverError(f"a session ended before its time: {error.strerror}") from None
        return int(ran) / 1e9, int(waited) / 1e9


def probe_works() -> str | None:
    """Why polls cannot be counted here; None where they can."""
    try:
        with EbpfProbe([os.getpid()]) as probe:
            probe.stop()
    except (HostError, NotPermittedError) as error:
        return str(error)
    return None
