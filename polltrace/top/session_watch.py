# SPDX-License-Identifier: GPL-2.0-or-later
"""One session, looked at more closely while it is open: a probe of its own, with stacks."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from polltrace.errors import PolltraceError
from polltrace.frames import Frame, Header, Record, WatchedProcess, parse
from polltrace.profile import Profile, profile_of
from polltrace.sampled import ON_CPU, named_stacks
from polltrace.servers import Server
from polltrace.top.frame_line import Identity
from polltrace.top.probe import LiveProbe
from polltrace.top.session_look import SessionLook, look
from polltrace.top.snapshot import Prices
from stacks import Symbolizer

# A thousand samples of a busy session in five seconds; under 10 ns a break poll.
_SAMPLE_HZ = 199.0


class SessionWatch:
    """Follows one server at a time; `now` is what has been seen of it since it was opened."""

    def __init__(self) -> None:
        self.now = SessionLook()
        self._opened: Identity | None = None
        self._probe: LiveProbe | None = None
        self._names: Symbolizer | None = None
        self._records: dict[type, Record] = {}

    def __enter__(self) -> Self:
        return self

    @property
    def watching(self) -> bool:
        return self._probe is not None

    def follow(self, opened: Identity | None, server: Server | None, prices: Prices) -> bool:
        """Look at what was `opened`, or at none; whether there is news. Never waits.

        `server` is what is known of it, None once it is gone.
        """
        if opened != self._opened:
            self._close()
            self._opened = opened
            self.now = SessionLook()
            if server is not None:
                self._open(server)
            return True
        if server is None and self._probe is not None:
            self._close()
            self.now = self.now.ended()
            return True
        return (
            self._probe is not None
            and server is not None
            and self._read(self._probe, server, prices)
        )

    def _open(self, server: Server) -> None:
        try:
            self._probe = LiveProbe.of_process(server.pid, _SAMPLE_HZ).__enter__()
            self._names = Symbolizer()
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
            if isinstance(record, Header | WatchedProcess | Frame):
                self._records[type(record)] = record
        if not lines or Frame not in self._records:
            return False
        self.now = self._look(profile_of(self._records.values()), server, prices)
        return True

    def _look(self, profile: Profile, server: Server, prices: Prices) -> SessionLook:
        assert self._names is not None
        return look(server, profile, named_stacks(profile, self._names, ON_CPU), prices)

    def _close(self) -> None:
        if self._probe is not None:
            self._probe.__exit__(None, None, None)
        self._probe = self._names = None
        self._records = {}

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()
