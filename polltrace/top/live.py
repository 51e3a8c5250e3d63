# SPDX-License-Identifier: GPL-2.0-or-later
"""The live screen: waits for keys, the probes, costs and signals, and draws."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING

from rich.text import Text

from polltrace.top.brief_measurement import GapSurvey
from polltrace.top.help_screen import help_screen
from polltrace.top.keys import press
from polltrace.top.screen import page, table_screen
from polltrace.top.session_recording import SessionRecording
from polltrace.top.signals import ENDING, Signals
from polltrace.top.state import REFRESH_FRAMES, Pane, UIState, View, position, visible
from polltrace.top.terminal import Terminal
from polltrace.watch.calibration import Calibration
from polltrace.watch.host_monitor import HostMonitor
from polltrace.watch.inspection import Inspector
from polltrace.watch.probe import LiveProbe
from polltrace.watch.probe_host import WatchOptions

if TYPE_CHECKING:
    from _typeshed import HasFileno

    from polltrace.servers.servers import Server
    from polltrace.top.session_now import SessionNow
    from polltrace.top.session_time import SessionTime
    from polltrace.top.session_view import SessionView
    from polltrace.top.session_watch import SessionWatch

UNSEEN_NOW = "Only its own host can measure that: run top or dump there."
# Processes inspected between two reads of the keyboard.
_AT_ONCE = 100
# Panes for which an open session is measured, and the database is asked.
_ASKING = (Pane.NOW, Pane.SQL)


class Live:
    """`polltrace top` at a terminal, until the user has enough."""

    def __init__(self, state: UIState, watch: WatchOptions) -> None:
        self._state, self._watch, probe_host = state, watch, watch.probe_host
        self._inspector = Inspector(probe_host.servers)
        self._host = HostMonitor(self._inspector, probe_host)
        self._calibration = Calibration(probe_host.check_cost, host=probe_host.factors())
        self._snapshot = self._host.snapshot(self._calibration.poll_costs)
        self._survey = GapSurvey(probe_host if watch.gaps else None)
        self._session: SessionWatch | None = None
        self._now: SessionNow | None = None
        self._time: SessionTime | None = None
        self._recording = SessionRecording(watch.recording)
        self._status = ""
        self._frames = 0

    def run(self) -> None:
        """Raises the probe's failure, and KeyboardInterrupt when SIGTERM ends it."""
        with (
            self._recording,  # it may take a while to end: not on the screen
            Terminal() as self._terminal,
            Signals() as self._signals,
            ExitStack() as self._ending,
        ):
            self._draw()
            with DefaultSelector() as waiting:
                for source in (sys.stdin, self._signals, *self._begin()):
                    waiting.register(source, EVENT_READ)
                while not self._state.quit:
                    ready = waiting.select(0 if self._due() else self._nap())
                    if self._turn([key.fileobj for key, _ in ready]):
                        self._draw()

    def _begin(self) -> Iterable[HasFileno]:
        """Attach; return the files to wait for."""
        probe = LiveProbe.of_host(self._watch.interval_s, self._watch.probe_host)
        self._probe = self._ending.enter_context(probe)
        return self._probe, self._calibration

    def _due(self) -> bool:
        """True if there are processes to inspect."""
        return self._inspector.due()

    def _nap(self) -> float:
        """Seconds to wait: a logon is inspected again soon, an open session is read."""
        return 0.2 if self._session and self._session.watching else 1.0

    def _turn(self, ready: list[object]) -> bool:
        """Take in all that is new; whether to draw."""
        signals = self._signals.taken()
        self._obey(signals)
        if sys.stdin in ready:
            self._press(self._terminal.keys())
        news = self._news(ready)
        news = self._follow() or news
        if self._recording.ended():
            self._status, news = self._recording.status, True
        return bool(signals) or sys.stdin in ready or (news and not self._state.paused)

    def _news(self, ready: list[object], /) -> bool:
        """Take in the news of the host; whether to draw."""
        news = self._calibration in ready
        if news:
            self._calibration.seen()
        if self._probe in ready:
            news = self._read() or news
        if self._inspector.due():
            # A process inspected again has nothing new to show before the next frame.
            news = news or self._inspector.waiting > 0
            self._host.inspected(self._inspector.inspect(_AT_ONCE))
        if self._watch.identities.follow(self._inspector.servers.values()):
            self._host.set_sessions(self._watch.identities.sessions)
        if self._survey.follow(self._snapshot.rows):
            self._host.set_worst_gaps(self._survey.worst_s)
            self._host.set_timed_costs(self._survey.costs)
        return news

    def _follow(self) -> bool:
        """Look at the session that is open; whether there is news of it."""
        opened = self._state.opened
        if self._session is None:
            if opened is None:
                return False
            # Naming stacks takes numpy, which neither the first screen nor the table needs.
            from polltrace.top.session_watch import SessionWatch

            self._session = self._ending.enter_context(SessionWatch(self._watch.probe_host))
        server = self._inspector.servers.get(opened) if opened else None
        news = self._session.follow(opened, server, self._calibration.poll_costs, self._state)
        local_server = server if server is not None and server.looked_at else None
        is_now_followed = self._follow_now(local_server if self._state.pane in _ASKING else None)
        is_time_followed = self._follow_time(
            local_server if self._state.pane is Pane.TIME else None
        )
        return is_now_followed or is_time_followed or news

    def _follow_now(self, server: Server | None) -> bool:
        """Measure the activity of the open session while that is shown; whether there is news."""
        if self._now is None:
            if server is None:
                return False
            # The names of system calls are python-ptrace's, which runs ldconfig when imported.
            from polltrace.top.session_now import SessionNow

            self._now = SessionNow(self._watch.identities.login)
            self._ending.callback(self._now.close)
        return self._now.follow(server)

    def _follow_time(self, server: Server | None) -> bool:
        """Measure where its time goes while that is shown; whether there is news."""
        if self._time is None:
            if server is None:
                return False
            from polltrace.top.session_time import SessionTime

            self._time = SessionTime()
            self._ending.callback(self._time.close)
        return self._time.follow(server)

    def _session_view(self, width: int) -> SessionView:
        from polltrace.top.session_view import SessionView

        if self._session is None or self._session.opened != self._state.opened:
            return SessionView()  # it was opened just now
        view = self._session.now
        doing: Sequence[str] = ()
        if self._now is not None and self._state.pane is Pane.SQL:
            doing = self._now.statement(width)
        elif self._time is not None and self._state.pane is Pane.TIME:
            doing = self._time.lines(width)
        elif self._now is not None:
            doing = self._now.lines(view.polling, width)
        if view.server is not None and not view.server.looked_at:
            doing = (UNSEEN_NOW,)
        return replace(view, doing=tuple(doing))

    def _obey(self, signals: set[int]) -> None:
        if signal.SIGTERM in signals:
            raise KeyboardInterrupt
        if signals & ENDING:
            self._state = replace(self._state, quit=True)
        if signal.SIGTSTP in signals:
            self._terminal.give_back()
            self._signals.stop_here()
        if signals & {signal.SIGTSTP, signal.SIGCONT}:
            self._terminal.take()

    def _read(self) -> bool:
        """Take in the probe's new lines; whether that makes a new screen."""
        lines = self._probe.lines()
        if lines is None:
            raise self._probe.failure()
        previous_frames = self._frames
        self._frames += sum([self._host.feed(line) for line in lines])
        frames_per_refresh = REFRESH_FRAMES[self._state.refresh]
        return self._frames // frames_per_refresh > previous_frames // frames_per_refresh

    def _press(self, keys: list[str]) -> None:
        width, height = self._terminal.size()
        self._status = ""
        for key in keys:
            rows, previous = visible(self._snapshot, self._state), self._state
            self._state = press(previous, key, rows, page(height))
            if self._state.copies != previous.copies:
                self._status = self._copied(width)
            if self._state.recordings != previous.recordings:
                self._record()

    def _copied(self, width: int) -> str:
        # The parts of advice take numpy.
        from polltrace.top.cure import copy_cure

        return copy_cure(self._session_view(width), self._terminal)

    def _record(self) -> None:
        chosen = self._state.opened or self._state.selected
        self._recording.toggle(self._inspector.servers.get(chosen) if chosen else None)
        self._status = self._recording.status

    def _draw(self) -> None:
        if not self._state.paused:
            self._snapshot = self._host.snapshot(self._calibration.poll_costs)
            self._calibration.want(self._snapshot.knots)
        self._terminal.draw(self._lines(*self._terminal.size()))

    def _lines(self, width: int, height: int) -> list[Text]:
        status = self._recording.status if self._recording.runs else ""
        status = self._status or status
        match self._state.view:
            case View.HELP:
                return help_screen(width, height)
            case View.SESSION:
                from polltrace.top.session_screen import session_screen

                row_number = position(self._snapshot.rows, self._state.opened)
                row = None if row_number is None else self._snapshot.rows[row_number]
                return session_screen(
                    row,
                    self._session_view(width),
                    self._state.pane,
                    status,
                    width=width,
                    height=height,
                )
            case View.TABLE:
                interval_s = self._watch.interval_s
                return table_screen(
                    self._snapshot,
                    self._state,
                    status,
                    width=width,
                    height=height,
                    interval_s=interval_s,
                )
