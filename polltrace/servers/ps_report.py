# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace ps`: the sessions of a host as a table or as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from polltrace.breaks.break_mode import BreakMode, Evidence, break_mode
from polltrace.breaks.why import SHORT, Why, why
from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.database import DatabaseSession
from polltrace.servers.servers import Server

# Below this a process has hardly run, and that it made no break poll says nothing.
BUSY_CPU_S = 0.01

LEGEND = (
    "EVID: O the server owns the client's socket (is told of urgent data), U it catches "
    "SIGURG, P it break-polls; - no, ? not seen. 'polltrace why -p PID' says more."
)


@dataclass(frozen=True, slots=True)
class Session:
    """A server process, and what it did in the `seconds` it was watched; `known` is what the
    database says of it, where one was asked."""

    server: Server
    totals: ProcessTotals
    seconds: float
    known: DatabaseSession | None = None

    @property
    def polls(self) -> int:
        return self.server.client_polls(self.totals)

    @property
    def evidence(self) -> Evidence:
        polled = self.polls > 0
        busy = self.totals.cpu_s >= BUSY_CPU_S
        return self.server.evidence(polled if polled or busy else None)

    @property
    def mode(self) -> BreakMode:
        return break_mode(self.evidence)

    @property
    def why(self) -> Why:
        return why(self.evidence, self.server.settings, edited=self.server.edited)

    @property
    def reason(self) -> str:
        """Why an in-band session is in-band; empty for others."""
        return self.why.reason if self.mode is BreakMode.IN_BAND else ""

    @property
    def cpu_pct(self) -> float:
        return 100 * self.totals.cpu_s / self.seconds

    @property
    def polls_per_s(self) -> float:
        return self.polls / self.seconds


def ps_data(sessions: Sequence[Session]) -> dict[str, Any]:
    """`sessions`, one object each; rates are over `seconds`."""
    return {"sessions": [_data(session) for session in sessions]}


def _data(session: Session) -> dict[str, Any]:
    server, settings = session.server, session.server.settings
    others = session.totals.break_polls - session.polls
    return {
        "pid": server.pid,
        "engine": server.engine.name,
        "instance": server.instance,
        "local": session.evidence.local,
        "client": server.socket.peer if server.socket else None,
        "session": asdict(session.known) if session.known else None,
        "break_mode": session.mode.value,
        "cause": session.why.cause.value,
        "reason": session.reason or None,
        "evidence": {
            "catches_sigurg": session.evidence.catches_sigurg,
            "told_of_urgent_data": session.evidence.told_of_urgent_data,
            "polls_on_cpu": session.evidence.polls_on_cpu,
        },
        "sqlnet_ora": str(settings.path or "") or None,
        "sqlnet_ora_changed_since_start": server.edited,
        "configured_skip": settings.break_poll_skip,
        "configured_disable_oob": settings.disable_oob,
        "seconds": session.seconds,
        "cpu_pct": session.cpu_pct,
        "break_polls_per_s": session.polls_per_s,
        "other_socket_polls_per_s": others / session.seconds,
    }


def ps_table(sessions: Sequence[Session]) -> str:
    """One line a session, busiest poller first."""
    if not sessions:
        return "No dedicated server process on this host (looked for oracleSID (LOCAL=…))."
    asked = any(session.known for session in sessions)
    known = f"{'SID,SERIAL':<11} {'USER':<12} {'PROGRAM':<24} {'SQL_ID':<13}  " if asked else ""
    lines = [
        f"{'PID':>8} {'ENGINE':<6} {'INSTANCE':<9} {'CLIENT':<22} {'BREAK MODE':<12} {'EVID':<4}"
        f" {'SKIP':>5} {'OOB':<3} {'%CPU':>6} {'POLLS/S':>9}  {known}WHY"
    ]
    for session in sorted(sessions, key=lambda each: (-each.polls_per_s, each.server.pid)):
        server, settings = session.server, session.server.settings
        client = server.socket.peer if server.socket else "local"
        why_so = [SHORT[session.why.cause]] if session.mode is BreakMode.IN_BAND else []
        if server.edited:
            why_so.append("(sqlnet.ora was changed since it started)")
        lines.append(
            f"{server.pid:>8} {server.engine.short:<6} {server.instance:<9} {client:<22}"
            f" {session.mode.value:<12} {_evidence(session.evidence):<4}"
            f" {settings.break_poll_skip:>5} {'off' if settings.disable_oob else 'on':<3}"
            f" {session.cpu_pct:>6.1f} {session.polls_per_s:>9,.0f}  "
            f"{_known(session.known) if asked else ''}{' '.join(why_so)}".rstrip()
        )
    return "\n".join([*lines, LEGEND])


def _known(known: DatabaseSession | None) -> str:
    if known is None:
        return " " * 65
    return (
        f"{f'{known.sid},{known.serial}':<11} {known.user[:12]:<12} {known.program[:24]:<24}"
        f" {known.sql_id:<13}  "
    )


def _evidence(evidence: Evidence) -> str:
    def mark(letter: str, seen: bool | None) -> str:
        return "?" if seen is None else letter if seen else "-"

    return (
        mark("O", evidence.told_of_urgent_data)
        + mark("U", evidence.catches_sigurg)
        + mark("P", evidence.polls_on_cpu)
    )
