# SPDX-License-Identifier: GPL-2.0-or-later
"""The host as the probe's lines tell of it, and snapshots of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from polltrace.breaks.break_mode import BreakMode, Evidence, break_mode
from polltrace.breaks.why import why
from polltrace.profiles.frames import Exit, Header, Identity, Record, WatchedProcess
from polltrace.servers.database import DatabaseSession
from polltrace.servers.ps_report import BUSY_CPU_S
from polltrace.servers.servers import Server
from polltrace.watch.frame_line import HostFrame, read_line
from polltrace.watch.history import History
from polltrace.watch.inspection import Inspector
from polltrace.watch.place import HERE, Place
from polltrace.watch.pricing import pace_knot_us
from polltrace.watch.snapshot import OwnCost, Prices, Row, Snapshot, totals_of

UNSEEN = "not known from here: only its host's /proc tells"


class Host:
    """Takes in the probe's lines; gives snapshots."""

    def __init__(
        self,
        inspector: Inspector,
        place: Place = HERE,
        cpu_clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._inspector, self._place = inspector, place
        self._cpu_clock = cpu_clock
        self._name = ""
        self._histories: dict[Identity, History] = {}
        # Those whose figures still move.
        self._awake: set[Identity] = set()
        self._rows: dict[Identity, Row] = {}
        # The last price of each, so that what it lost is known when it has ended.
        self._price_s: dict[Identity, float] = {}
        self._ended_lost_s = 0.0
        self._worst_gap_s: Mapping[Identity, float] = {}
        self._sessions: Mapping[Identity, DatabaseSession] = {}
        self._frame: HostFrame | None = None
        self._costs: list[tuple[HostFrame, float]] = []

    def feed(self, line: bytes) -> bool:
        """Take in one line; whether it was a frame. Raises FrameError."""
        return self.take(read_line(line))

    def take(self, record: HostFrame | Record | None) -> bool:
        """Take in one record; whether it was a frame."""
        match record:
            case Header() as header:
                self._name = header.host
            case WatchedProcess() as process:
                self._place.heard(process)
                identity = process.pid, process.start_ticks
                self._inspector.announced(identity, is_new=self._frame is not None)
            case Exit() as ended:
                self._forget((ended.pid, ended.start_ticks))
            case HostFrame() as frame:
                self._frame_came(frame)
                return True
            case _:
                pass
        return False

    def looked_at(self, identities: Iterable[Identity]) -> None:
        """Note that these were inspected: what was known of them may have changed."""
        for identity in identities:
            self._rows.pop(identity, None)

    def timed(self, worst_gap_s: Mapping[Identity, float]) -> None:
        """Take in the longest gaps there are."""
        self._worst_gap_s = worst_gap_s
        self.looked_at(worst_gap_s)

    def told(self, sessions: Mapping[Identity, DatabaseSession]) -> None:
        """Take in what the database says of whom they serve."""
        self._sessions = sessions
        self.looked_at(sessions)

    def snapshot(self, prices: Prices) -> Snapshot:
        """The host now."""
        # Of thousands most are as they were: what is done for each of them is done every second.
        known, priced = self._rows, prices.by_pace_us
        for identity, server in self._inspector.servers.items():
            row = known.get(identity)
            if row is None or (row.price_s is None and row.pace_us in priced):
                history = self._histories.get(identity) or History.since(0.0)
                worst_gap_s = self._worst_gap_s.get(identity)
                row = row_of(server, history, prices, worst_gap_s, self._sessions.get(identity))
                known[identity] = row
                if row.price_s is not None:
                    self._price_s[identity] = row.price_s
        rows = tuple([known[identity] for identity in self._inspector.servers])
        frame = self._frame
        return Snapshot(
            host=self._name,
            clock=time.strftime("%H:%M:%S"),
            t_s=frame.t_s if frame else None,
            rows=rows,
            prices=prices,
            cost=self._cost(),
            lost=frame.lost if frame else {},
            to_look_at=self._inspector.waiting,
            totals=totals_of(rows, self._ended_lost_s),
        )

    def _frame_came(self, frame: HostFrame) -> None:
        # Totals count from when we attached, or from a process's birth since the frame before.
        since_s = self._frame.t_s if self._frame else 0.0
        self._frame = frame
        self._costs = [*self._costs[-5:], (frame, self._cpu_clock())]
        for identity in self._awake - frame.counts.keys():
            self._histories[identity].still(frame.t_s)
            self._moved(identity)
        for identity, counts in frame.counts.items():
            history = self._histories.get(identity)
            if history is None:
                history = self._histories[identity] = History.since(since_s)
            elif identity not in self._awake:
                history.still(since_s)
            if history.cpu_s < counts.cpu_s:
                self._inspector.ran(identity)
            history.add(counts)
            self._moved(identity)

    def _moved(self, identity: Identity) -> None:
        self._rows.pop(identity, None)
        if self._histories[identity].is_settled:
            self._awake.discard(identity)
        else:
            self._awake.add(identity)

    def _forget(self, identity: Identity) -> None:
        self._inspector.gone(identity)
        if history := self._histories.pop(identity, None):
            self._ended_lost_s += history.polls * self._price_s.pop(identity, 0.0)
        self._rows.pop(identity, None)
        self._awake.discard(identity)

    def _cost(self) -> OwnCost | None:
        if len(self._costs) < 2:
            return None
        (first, screen_before), (last, screen_now) = self._costs[0], self._costs[-1]
        each_s = (last.t_s - first.t_s) / 100
        bpf_s = None if first.bpf_s is None or last.bpf_s is None else last.bpf_s - first.bpf_s
        return OwnCost(
            probe_pct=(last.probe_cpu_s - first.probe_cpu_s) / each_s,
            bpf_pct=None if bpf_s is None else bpf_s / each_s,
            screen_pct=(screen_now - screen_before) / each_s,
            probe_s=last.probe_cpu_s,
            bpf_s=last.bpf_s,
        )


def _reason(server: Server, evidence: Evidence) -> str:
    if not server.looked_at:
        return UNSEEN
    return why(evidence, server.settings, edited=server.edited).reason


def row_of(
    server: Server,
    history: History,
    prices: Prices,
    worst_gap_s: float | None,
    session: DatabaseSession | None,
) -> Row:
    """One server's row, from what it is and what it did."""
    evidence = server.evidence(history.polled_on_cpu(BUSY_CPU_S))
    mode = break_mode(evidence)
    busy, rate = history.busy, history.polls_per_s
    pace = pace_knot_us(busy / rate) if busy and rate else None
    price = prices.by_pace_us.get(pace) if pace else None
    return Row(
        pid=server.pid,
        start_ticks=server.start_ticks,
        engine=server.engine.name,
        instance=server.instance,
        client=server.socket.peer if server.socket else history.counts.peer,
        mode=mode,
        reason=_reason(server, evidence) if mode is BreakMode.IN_BAND else "",
        skip=server.settings.break_poll_skip if server.looked_at else None,
        cpu_pct=None if busy is None else 100 * busy,
        polls_per_s=rate,
        pace_us=pace,
        price_s=price.value if price else None,
        past=tuple(history.past),
        cpu_s=history.cpu_s,
        polls=history.polls,
        worst_gap_s=worst_gap_s,
        sid=session.sid if session else None,
        user=session.user if session else "",
        program=session.client if session else "",
    )
