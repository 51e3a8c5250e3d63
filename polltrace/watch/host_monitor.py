# SPDX-License-Identifier: GPL-2.0-or-later
"""Follows a host by the probe's lines, and takes snapshots of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from polltrace.breaks.break_mode import Evidence
from polltrace.breaks.meaning import diagnosis, mode_of
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.decoder import parse
from polltrace.profiles.frames import (
    Exit,
    Header,
    Identity,
    ProbeFrame,
    ProbeRecord,
    WatchedProcess,
)
from polltrace.servers.database_sessions import DatabaseSession
from polltrace.servers.ps_report import BUSY_CPU_S, EXPLAINED, TIMER_OBSERVED_S
from polltrace.servers.servers import Server
from polltrace.watch.history import History, counts_of
from polltrace.watch.inspection import Inspector
from polltrace.watch.probe_host import LOCAL_HOST, ProbeHost
from polltrace.watch.snapshot import (
    OwnCost,
    PollCosts,
    ServerRow,
    Snapshot,
    TimedCost,
    totals_of,
)

UNSEEN = "not known from here: only its host's /proc has it"


class HostMonitor:
    """Takes in the probe's lines; gives snapshots."""

    def __init__(
        self,
        inspector: Inspector,
        probe_host: ProbeHost = LOCAL_HOST,
        cpu_clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._inspector, self._probe_host = inspector, probe_host
        self._cpu_clock = cpu_clock
        self._name = ""
        self._histories: dict[Identity, History] = {}
        # Those whose figures still move.
        self._awake: set[Identity] = set()
        self._rows: dict[Identity, ServerRow] = {}
        # The last known loss of each by a poll: it may rest now.
        self._lost_per_poll_s: dict[Identity, float] = {}
        self._ended_lost_s = 0.0
        self._worst_gap_s: Mapping[Identity, float] = {}
        self._timed_costs: Mapping[Identity, TimedCost] = {}
        self._sessions: Mapping[Identity, DatabaseSession] = {}
        self._sids: Mapping[tuple[int, str], int] = {}
        self._frame: ProbeFrame | None = None
        self._costs: list[tuple[ProbeFrame, float]] = []

    def feed(self, line: bytes) -> bool:
        """Take in one line; whether it was a frame. Raises FrameError."""
        # The table names no functions, and thousands of processes have mappings.
        return not line.startswith(b'{"type":"maps"') and self.take(parse(line))

    def take(self, record: ProbeRecord | None) -> bool:
        """Take in one record; whether it was a frame."""
        match record:
            case Header() as header:
                self._name = header.host
            case WatchedProcess() as process:
                self._probe_host.note(process)
                identity = process.pid, process.start_ticks
                self._inspector.announced(identity, is_new=self._frame is not None)
            case Exit() as ended:
                self._forget((ended.pid, ended.start_ticks))
            case ProbeFrame() as frame:
                self._frame_came(frame)
                return True
            case _:
                pass
        return False

    def inspected(self, identities: Iterable[Identity]) -> None:
        """Note that these were inspected: their rows may have changed."""
        for identity in identities:
            self._rows.pop(identity, None)

    def set_worst_gaps(self, worst_gap_s: Mapping[Identity, float]) -> None:
        """Take in the longest gaps there are."""
        self._worst_gap_s = worst_gap_s
        self.inspected(worst_gap_s)

    def set_timed_costs(self, costs: Mapping[Identity, TimedCost]) -> None:
        """Take in the costs per poll of the processes whose polls were timed."""
        self._timed_costs = costs
        self.inspected(costs)

    def set_sessions(self, sessions: Mapping[Identity, DatabaseSession]) -> None:
        """Take in the database sessions that they serve."""
        self._sessions = sessions
        self._sids = {
            (pid, session.instance.upper()): session.sid for (pid, _), session in sessions.items()
        }
        self.inspected(sessions)
        self.inspected([identity for identity, row in self._rows.items() if row.client_server])

    def snapshot(self, costs: PollCosts) -> Snapshot:
        """The host now."""
        # Most of thousands of rows are unchanged: this runs for each of them every second.
        rows_by_identity, costed = self._rows, costs.by_knot
        for identity, server in self._inspector.servers.items():
            row = rows_by_identity.get(identity)
            if row is None or (row.poll_cost_s is None and row.knot in costed):
                history = self._histories.get(identity) or History.since(0.0)
                worst_gap_s = self._worst_gap_s.get(identity)
                row = row_of(server, history, costs, worst_gap_s, self._sessions.get(identity))
                if timed := self._timed_costs.get(identity):
                    row = timed.in_row(row)
                if name := row.client_server:
                    sid = self._sids.get((name.pid, name.instance.upper()))
                    row = replace(row, client_server=replace(name, sid=sid))
                rows_by_identity[identity] = row
                if lost := row.lost_per_poll_s:
                    self._lost_per_poll_s[identity] = lost.value
        rows = tuple([rows_by_identity[identity] for identity in self._inspector.servers])
        frame = self._frame
        return Snapshot(
            host=self._name,
            clock=time.strftime("%H:%M:%S"),
            t_s=frame.t_s if frame else None,
            rows=rows,
            costs=costs,
            cost=self._cost(),
            lost=frame.lost if frame else {},
            to_inspect=self._inspector.waiting,
            totals=totals_of(rows, self._lost_s()),
        )

    def _frame_came(self, frame: ProbeFrame) -> None:
        # Totals count from when we attached, or from a process's birth since the frame before.
        since_s = self._frame.t_s if self._frame else 0.0
        self._frame = frame
        self._costs = [*self._costs[-5:], (frame, self._cpu_clock())]
        counted = {totals.identity: counts_of(totals, frame.t_s) for totals in frame.processes}
        for identity in self._awake - counted.keys():
            self._histories[identity].still(frame.t_s)
            self._moved(identity)
        for identity, counts in counted.items():
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
            self._ended_lost_s += history.polls * self._lost_per_poll_s.pop(identity, 0.0)
        self._rows.pop(identity, None)
        self._awake.discard(identity)

    def _lost_s(self) -> float:
        """CPU seconds lost since we began."""
        lost_per_poll = self._lost_per_poll_s.items()
        return self._ended_lost_s + sum([self._histories[i].polls * s for i, s in lost_per_poll])

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


def _known_skip(server: Server) -> int | None:
    return server.settings.known_skip if server.looked_at else None


def _client(server: Server, history: History) -> str:
    if server.engine.sessions_are_threads:
        count = len(server.sockets)
        return f"{count:,} connection{'' if count == 1 else 's'}"
    socket = server.client_among(history.counts.sockets)
    return socket.peer if socket else history.counts.peer


def _reason(server: Server, evidence: Evidence) -> str:
    if not server.looked_at and server.engine.has_out_of_band:
        return UNSEEN
    return diagnosis(server.engine, evidence, server.settings, edited=server.edited).reason


def row_of(
    server: Server,
    history: History,
    costs: PollCosts,
    worst_gap_s: float | None,
    session: DatabaseSession | None,
) -> ServerRow:
    """The row of one server, from its description and its history."""
    observed_s = 0.0 if server.engine.polls_by_count else TIMER_OBSERVED_S
    evidence = server.evidence(history.polled_on_cpu(BUSY_CPU_S, observed_s))
    mode = mode_of(server.engine, evidence)
    busy, rate = history.busy, history.rate
    knot = None
    if busy and rate and rate.per_s:
        knot = Knot.nearest(server.engine.check_kind, busy / rate.per_s)
    cost = costs.by_knot.get(knot) if knot else None
    return ServerRow(
        pid=server.pid,
        start_ticks=server.start_ticks,
        engine=server.engine.name,
        instance=server.instance,
        client=_client(server, history),
        mode=mode,
        reason=_reason(server, evidence) if mode in EXPLAINED else "",
        skip=_known_skip(server),
        cpu_pct=None if busy is None else 100 * busy,
        rate=rate,
        knot=knot,
        poll_cost_s=cost,
        past=tuple(history.past),
        cpu_s=history.cpu_s,
        polls=history.polls,
        worst_gap_s=worst_gap_s,
        sid=session.sid if session else None,
        user=session.user if session else "",
        program=session.client if session else "",
        client_server=server.linked_from,
    )
