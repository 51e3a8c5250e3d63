# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures an open session by a probe of its own, with stacks."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from polltrace.errors import PolltraceError
from polltrace.overhead.timing_periods import TIMED_S
from polltrace.profiles.decoder import parse
from polltrace.profiles.frames import (
    Header,
    Identity,
    Maps,
    ProbeFrame,
    ProbeRecord,
    ProcessTotals,
    WatchedProcess,
)
from polltrace.profiles.profile import Profile, profile_of
from polltrace.profiles.sampled import ON_CPU, SymbolSource, named_stacks
from polltrace.servers.servers import Server
from polltrace.top.brief_measurement import BriefMeasurement
from polltrace.top.session_view import SessionView, session_view
from polltrace.top.state import Pane, UIState
from polltrace.watch.probe import LiveProbe
from polltrace.watch.probe_host import ProbeHost
from polltrace.watch.snapshot import PollCosts
from polltrace.watch.unnamed import Unnamed

# A thousand samples of a busy session in five seconds; under 10 ns a break poll.
_SAMPLE_HZ = 199.0
_COUNT_S = 3.0


class SessionWatch:
    """Follows one server at a time, the one that is `opened`; `now` is its activity
    since."""

    def __init__(self, probe_host: ProbeHost) -> None:
        self._probe_host = probe_host
        self.now = SessionView()
        self.opened: Identity | None = None
        self._probe: LiveProbe | None = None
        self._names: SymbolSource | None = None
        self._records: dict[type, ProbeRecord] = {}
        self._asked = (0, 0)
        self._brief: BriefMeasurement | None = None
        self._brief_counts = False
        self._gaps: ProcessTotals | None = None
        self._counted: tuple[ProcessTotals, float] | None = None

    def __enter__(self) -> Self:
        return self

    @property
    def watching(self) -> bool:
        return self._probe is not None or self._brief is not None

    def follow(
        self, opened: Identity | None, server: Server | None, costs: PollCosts, state: UIState
    ) -> bool:
        """Look at the `opened` server, or at none; whether there is news. Never waits.

        `server` has the facts known of it, None once it is gone. When `state` asks for gaps or
        system calls once more, these are measured for a while.
        """
        requested = state.timings, state.countings
        if opened != self.opened:
            self._close()
            self.opened, self._asked, self._gaps, self._counted = opened, requested, None, None
            self.now = SessionView()
            if server is not None:
                self._open(server)
            return True
        if server is None:
            return self._ended()
        if requested != self._asked:
            gaps, self._asked = requested[0] != self._asked[0], requested
            return self._begin_brief(server, gaps=gaps)
        if self._brief is not None:
            return self._brief_ended(self._brief, server, state)
        return self._probe is not None and self._read(self._probe, server, costs)

    def _ended(self) -> bool:
        if not self.watching:
            return False
        self._close()
        self.now = self.now.ended()
        return True

    def _begin_brief(self, server: Server, *, gaps: bool) -> bool:
        """Start a brief measurement with nothing else attached; it is too intrusive for costs."""
        self._close()
        identity = server.pid, server.start_ticks
        self._brief_counts = not gaps
        try:
            if gaps:
                self._brief = BriefMeasurement.at_gaps([identity], self._probe_host, TIMED_S)
                note = "Timing the gaps between its break polls …"
            else:
                self._brief = BriefMeasurement.at_syscalls(identity, self._probe_host, _COUNT_S)
                note = f"Counting its system calls for {_COUNT_S:g} s …"
            self.now = replace(self.now, note=note)
        except PolltraceError as error:
            self.now = replace(self.now, note=str(error))
        return True

    def _brief_ended(self, brief: BriefMeasurement, server: Server, state: UIState) -> bool:
        """Once that has ended, begin the usual measurement again."""
        # System calls are counted only while their pane is shown.
        if self._brief_counts and state.pane is not Pane.SYSCALLS:
            self._close()
            self._open(server)
            return True
        try:
            if not brief.ended():
                return False
            note = ""
        except PolltraceError as error:
            note = str(error)
        totals = brief.totals.get((server.pid, server.start_ticks))
        if totals is not None and self._brief_counts:
            self._counted = totals, _COUNT_S
        elif totals is not None:
            self._gaps = totals
        gaps = self._gaps.gaps if self._gaps else ()
        self.now = replace(self.now, note=note, gaps=gaps, counted=self._counted)
        self._close()
        self._open(server)
        return True

    def _open(self, server: Server) -> None:
        try:
            self._probe = LiveProbe.of_process(server, _SAMPLE_HZ, self._probe_host).__enter__()
            self._names = self._probe_host.names()
        except PolltraceError as error:
            self.now = SessionView(note=str(error))

    def _read(self, probe: LiveProbe, server: Server, costs: PollCosts) -> bool:
        lines = probe.lines()
        if lines is None:
            self._close()
            self.now = self.now.ended()
            return True
        for line in lines:
            record = parse(line)
            if (
                isinstance(record, WatchedProcess)
                and (record.pid, record.start_ticks) != self.opened
            ):
                self._close()  # the PID went to another process before we could attach
                self.now = self.now.ended()
                return True
            if isinstance(record, Maps) and isinstance(self._names, Unnamed):
                self._names.note(record)
            if isinstance(record, Header | WatchedProcess | ProbeFrame):
                self._records[type(record)] = record
        if not lines or ProbeFrame not in self._records:
            return False
        self.now = self._look(profile_of(self._records.values()), server, costs)
        return True

    def _look(self, profile: Profile, server: Server, costs: PollCosts) -> SessionView:
        assert self._names is not None
        stacks = named_stacks(profile, self._names, ON_CPU)
        view = session_view(server, profile, stacks, costs, self._gaps)
        return replace(view, counted=self._counted)

    def _close(self) -> None:
        if self._probe is not None:
            self._probe.__exit__(None, None, None)
        if self._brief is not None:
            self._brief.close()
        self._probe = self._names = self._brief = None
        self._records = {}

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()
