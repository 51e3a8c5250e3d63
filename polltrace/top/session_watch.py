# SPDX-License-Identifier: GPL-2.0-or-later
"""One session, looked at more closely while it is open: a probe of its own, with stacks."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from polltrace.errors import PolltraceError
from polltrace.frames import Frame, Header, Maps, ProcessTotals, Record, WatchedProcess, parse
from polltrace.profile import Profile, profile_of
from polltrace.sampled import ON_CPU, Names, named_stacks
from polltrace.servers import Server
from polltrace.top.frame_line import Identity
from polltrace.top.gap_timing import GapTiming
from polltrace.top.place import Place
from polltrace.top.probe import LiveProbe
from polltrace.top.session_look import SessionLook, look
from polltrace.top.snapshot import Prices
from polltrace.top.unnamed import Unnamed

# A thousand samples of a busy session in five seconds; under 10 ns a break poll.
_SAMPLE_HZ = 199.0


class SessionWatch:
    """Follows one server at a time; `now` is what has been seen of it since it was opened."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.now = SessionLook()
        self._opened: Identity | None = None
        self._probe: LiveProbe | None = None
        self._names: Names | None = None
        self._records: dict[type, Record] = {}
        self._timings = 0
        self._timing: GapTiming | None = None
        self._gaps: ProcessTotals | None = None

    def __enter__(self) -> Self:
        return self

    @property
    def watching(self) -> bool:
        return self._probe is not None or self._timing is not None

    def follow(
        self, opened: Identity | None, server: Server | None, prices: Prices, timings: int
    ) -> bool:
        """Look at what was `opened`, or at none; whether there is news. Never waits.

        `server` is what is known of it, None once it is gone. When `timings` changes, its gaps are
        timed.
        """
        if opened != self._opened:
            self._close()
            self._opened, self._timings, self._gaps = opened, timings, None
            self.now = SessionLook()
            if server is not None:
                self._open(server)
            return True
        if server is None and self.watching:
            self._close()
            self.now = self.now.ended()
            return True
        if server is None:
            return False
        if timings != self._timings:
            self._timings = timings
            return self._time(server)
        if self._timing is not None:
            return self._timed(self._timing, server)
        return self._probe is not None and self._read(self._probe, server, prices)

    def _time(self, server: Server) -> bool:
        """Start to time, with nothing else on it: what is timed must not be priced."""
        self._close()
        try:
            self._timing = GapTiming([(server.pid, server.start_ticks)], self._place)
            self.now = replace(self.now, note="Timing the gaps between its break polls …")
        except PolltraceError as error:
            self.now = replace(self.now, note=str(error))
        return True

    def _timed(self, timing: GapTiming, server: Server) -> bool:
        """Once it is timed, look on from the beginning."""
        try:
            if not timing.ended():
                return False
        except PolltraceError as error:
            self.now = replace(self.now, note=str(error))
        self._gaps = timing.totals.get((server.pid, server.start_ticks))
        self._close()
        self._open(server)
        return True

    def _open(self, server: Server) -> None:
        try:
            self._probe = LiveProbe.of_process(server.pid, _SAMPLE_HZ, self._place).__enter__()
            self._names = self._place.names()
        except PolltraceError as error:
            self.now = SessionLook(note=str(error))

    def _read(self, probe: LiveProbe, server: Server, prices: Prices) -> bool:
        lines = probe.lines()
        if lines is None:
            self._close()
            self.now = self.now.ended()
            return True
        for line in lines:
            record = parse(line.decode(errors="replace"))
            if (
                isinstance(record, WatchedProcess)
                and (record.pid, record.start_ticks) != self._opened
            ):
                self._close()  # the PID went to another process before we could attach
                self.now = self.now.ended()
                return True
            if isinstance(record, Maps) and isinstance(self._names, Unnamed):
                self._names.heard(record)
            if isinstance(record, Header | WatchedProcess | Frame):
                self._records[type(record)] = record
        if not lines or Frame not in self._records:
            return False
        self.now = self._look(profile_of(self._records.values()), server, prices)
        return True

    def _look(self, profile: Profile, server: Server, prices: Prices) -> SessionLook:
        assert self._names is not None
        return look(server, profile, named_stacks(profile, self._names, ON_CPU), prices, self._gaps)

    def _close(self) -> None:
        if self._probe is not None:
            self._probe.__exit__(None, None, None)
        if self._timing is not None:
            self._timing.close()
        self._probe = self._names = self._timing = None
        self._records = {}

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()
