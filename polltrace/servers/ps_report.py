# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace ps`: the sessions of a host as a table or as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from polltrace.breaks.break_mode import BreakMode, Evidence
from polltrace.breaks.meaning import diagnosis, mode_of
from polltrace.breaks.sqlnet import BreakSettings
from polltrace.breaks.why import Diagnosis, short
from polltrace.engines import engines
from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.database_sessions import DatabaseSession
from polltrace.servers.other_processes import OtherProcesses, others_data, others_text
from polltrace.servers.owners import stray_owners, user_name
from polltrace.servers.servers import Server

# Below this a process has hardly run, and the absence of break polls proves nothing.
BUSY_CPU_S = 0.01
# Where polls are counted in windows: a timer's check falls into few of them.
TIMER_OBSERVED_S = 1.0
# The modes that a diagnosis gives a reason for.
EXPLAINED = (*(BreakMode.IN_BAND, BreakMode.CHECKING, BreakMode.NOT_CHECKING, BreakMode.NO_CHECK),)

LEGEND = (
    "EVID: O the server owns the client's socket (urgent data signals it), U it catches "
    "SIGURG, P it break-polls; - no, ? not seen. "
)
WHY = "See 'polltrace why -p PID'."


@dataclass(frozen=True, slots=True)
class Connection:
    """A client's connection to a server that serves each in a thread: the server's descriptor `fd`,
    the `client`'s address, and the break polls of it."""

    fd: int
    client: str
    polls: int


@dataclass(frozen=True, slots=True)
class ObservedServer:
    """A server process, and its `totals` over the `seconds` it was watched.

    `database_session` is its session by the database's views; None where none was queried.
    """

    server: Server
    totals: ProcessTotals
    seconds: float
    database_session: DatabaseSession | None = None

    @property
    def polls(self) -> int:
        """Break polls of the client's socket."""
        return self.server.client_polls(self.totals)

    @property
    def client(self) -> str:
        """The client's address; empty for a local session, the number of clients for a server
        whose threads serve them."""
        if self.server.engine.sessions_are_threads:
            count = len(self.connections)
            return f"{count:,} connection{'' if count == 1 else 's'}"
        socket = self.server.client(self.totals)
        return socket.peer if socket else ""

    @property
    def connections(self) -> list[Connection]:
        """The clients' connections of a server whose threads serve them; empty for others. Those
        over unix sockets are there once they were polled."""
        if not self.server.engine.sessions_are_threads:
            return []
        polls = {socket.fd: socket for socket in self.totals.sockets}
        clients = {socket.fd: socket.peer for socket in self.server.sockets}
        local = {fd: "local" for fd, socket in polls.items() if socket.kind == "unix"}
        peers = {fd: socket.peer for fd, socket in polls.items()}
        return [
            Connection(fd, client, polls[fd].polls if fd in polls else 0)
            for fd, client in sorted((peers | clients | local).items())
        ]

    @property
    def other_polls_per_s(self) -> float:
        """Polls of connected sockets that are not the client's: links, the interconnect."""
        return (self.totals.break_polls - self.polls) / self.seconds

    @property
    def evidence(self) -> Evidence:
        polled = self.polls > 0
        busy = self.totals.cpu_s >= BUSY_CPU_S
        return self.server.evidence(polled if polled or busy else None)

    @property
    def mode(self) -> BreakMode:
        return mode_of(self.server.engine, self.evidence)

    @property
    def why(self) -> Diagnosis:
        server = self.server
        return diagnosis(server.engine, self.evidence, server.settings, edited=server.edited)

    @property
    def reason(self) -> str:
        """Why an in-band session is in-band, or one checks or not; empty for others."""
        return self.why.reason if self.mode in EXPLAINED else ""

    @property
    def cpu_pct(self) -> float:
        return 100 * self.totals.cpu_s / self.seconds

    @property
    def polls_per_s(self) -> float:
        return self.polls / self.seconds


def ps_data(
    sessions: Sequence[ObservedServer], others: Sequence[OtherProcesses] = ()
) -> dict[str, Any]:
    """`sessions`, one object each; rates are over `seconds`. `not_watched` are the processes of a
    database that are no dedicated servers, by kind."""
    strays = stray_owners(session.server for session in sessions)
    return {
        "sessions": [
            _data(session, strays.get(session.server.identity, "")) for session in sessions
        ],
        "not_watched": others_data(others),
    }


def _data(session: ObservedServer, stray: str) -> dict[str, Any]:
    server, settings = session.server, session.server.settings
    return {
        "pid": server.pid,
        "engine": server.engine.name,
        "instance": server.instance,
        "user": user_name(server.uid) or None,
        "stray_owner": stray or None,
        "local": session.evidence.local,
        "client": session.client or None,
        "connections": [
            {
                "fd": connection.fd,
                "client": connection.client,
                "break_polls_per_s": connection.polls / session.seconds,
            }
            for connection in session.connections
        ],
        "client_server": asdict(server.linked_from) if server.linked_from else None,
        "session": asdict(session.database_session) if session.database_session else None,
        "break_mode": session.mode.value,
        "caution": session.why.caution or None,
        "cause": session.why.cause.value,
        "reason": session.reason or None,
        "evidence": {
            "catches_sigurg": session.evidence.catches_sigurg,
            "told_of_urgent_data": session.evidence.told_of_urgent_data,
            "polls_on_cpu": session.evidence.polls_on_cpu,
        },
        "sqlnet_ora": str(settings.path or "") or None,
        "sqlnet_ora_changed_since_start": server.edited,
        "sqlnet_ora_problem": settings.problem or None,
        "configured_skip": settings.known_skip,
        "configured_disable_oob": settings.disable_oob if _oob(server) != "-" else None,
        "seconds": session.seconds,
        "cpu_pct": session.cpu_pct,
        "break_polls_per_s": session.polls_per_s,
        "other_socket_polls_per_s": session.other_polls_per_s,
    }


def ps_table(sessions: Sequence[ObservedServer], others: Sequence[OtherProcesses] = ()) -> str:
    """The table of sessions, busiest poller first, and a line on processes that are not watched."""
    if not sessions:
        names = ", ".join(sorted({engine.name for engine in engines()}))
        none = f"No dedicated server process on this host (looked for those of {names})."
        return "\n".join(filter(None, [none, others_text(others)]))
    has_database = any(session.database_session for session in sessions)
    columns = (
        f"{'SID,SERIAL':<11} {'USER':<12} {'PROGRAM':<24} {'SQL_ID':<13}  " if has_database else ""
    )
    cancels = any(session.server.engine.has_out_of_band for session in sessions)
    how = f" {'EVID':<4} {'SKIP':>5} {'OOB':<3}" if cancels else ""
    strays = stray_owners(session.server for session in sessions)
    owners = {session.server.uid for session in sessions}
    owner = f" {'OWNER':<9}" if len(owners) > 1 else ""
    lines = [
        f"{'PID':>8}{owner} {'ENGINE':<6} {'INSTANCE':<9} {'CLIENT':<22} {'BREAK MODE':<12}{how}"
        f" {'%CPU':>6} {'POLLS/S':>9}  {columns}WHY"
    ]
    for session in sorted(sessions, key=lambda session: (-session.polls_per_s, session.server.pid)):
        server, settings = session.server, session.server.settings
        client = str(server.linked_from or session.client or "local")
        why_so = [short(session.why.cause, server.engine)] if session.reason else []
        if stray := strays.get(server.identity):
            why_so.insert(0, f"({stray})")
        if session.why.caution:
            why_so.append(session.why.caution)
        if server.edited:
            why_so.append(f"({server.engine.configuration_file} was changed since it started)")
        if session.other_polls_per_s >= 1:
            why_so.append(f"({session.other_polls_per_s:,.0f} polls/s of other sockets)")
        if settings.problem:
            why_so.append(f"({server.engine.configuration_file} not read: {settings.problem})")
        lines.append(
            f"{server.pid:>8}{f' {user_name(server.uid)[:9]:<9}' if owner else ''}"
            f" {server.engine.short:<6} {server.instance:<9} {client:<22}"
            f" {session.mode.value:<12}{_how(session) if cancels else ''}"
            f" {session.cpu_pct:>6.1f} {session.polls_per_s:>9,.0f}  "
            f"{_known(session.database_session) if has_database else ''}{' '.join(why_so)}".rstrip()
        )
        lines += [
            f"{server.pid:>8}{' ' * 10 if owner else ''} {server.engine.short:<6} {'':<9}"
            f" {connection.client:<22} {'':<12}{' ' * 15 if cancels else ''}"
            f" {'-':>6} {connection.polls / session.seconds:>9,.0f}  (fd {connection.fd})"
            for connection in session.connections
        ]
    lines.append(f"{LEGEND if cancels else ''}{WHY}")
    return "\n".join(filter(None, [*lines, others_text(others)]))


def _how(session: ObservedServer) -> str:
    """The columns on how the server learns of a cancel."""
    server = session.server
    return f" {_evidence(session):<4} {_skip(server.settings):>5} {_oob(server):<3}"


def _skip(settings: BreakSettings) -> str:
    return "-" if settings.known_skip is None else str(settings.known_skip)


def _oob(server: Server) -> str:
    settings = server.settings
    if settings.problem or not server.engine.disable_oob_parameter:
        return "-"
    return "off" if settings.disable_oob else "on"


def _known(session: DatabaseSession | None) -> str:
    if session is None:
        return " " * 65
    user, program = session.user[:12], session.program[:24]
    return f"{session.number:<11} {user:<12} {program:<24} {session.sql_id:<13}  "


def _evidence(session: ObservedServer) -> str:
    evidence = session.evidence

    def mark(letter: str, present: bool | None) -> str:
        return "?" if present is None else letter if present else "-"

    if not session.server.engine.has_out_of_band:
        return f"  {mark('P', evidence.polls_on_cpu)}"
    return (
        mark("O", evidence.told_of_urgent_data)
        + mark("U", evidence.catches_sigurg)
        + mark("P", evidence.polls_on_cpu)
    )
