# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace ps`: the sessions of a host as a table or as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.break_mode import BreakMode, Evidence, break_mode, why_in_band
from polltrace.frames import ProcessTotals
from polltrace.servers import Server

# Below this a process has hardly run, and that it made no break poll says nothing.
BUSY_CPU_S = 0.01


@dataclass(frozen=True, slots=True)
class Session:
    """A server process, and what it did in the `seconds` it was watched."""

    server: Server
    totals: ProcessTotals
    seconds: float

    @property
    def evidence(self) -> Evidence:
        polled = self.totals.break_polls > 0
        busy = self.totals.cpu_s >= BUSY_CPU_S
        return self.server.evidence(polled if polled or busy else None)

    @property
    def mode(self) -> BreakMode:
        return break_mode(self.evidence)

    @property
    def reason(self) -> str:
        """Why an in-band session is in-band; empty for others."""
        if self.mode is not BreakMode.IN_BAND:
            return ""
        return why_in_band(self.evidence, self.server.settings)

    @property
    def cpu_pct(self) -> float:
        return 100 * self.totals.cpu_s / self.seconds

    @property
    def polls_per_s(self) -> float:
        return self.totals.break_polls / self.seconds


def ps_data(sessions: Sequence[Session]) -> dict[str, Any]:
    """`sessions`, one object each; rates are over `seconds`."""
    return {
        "sessions": [
            {
                "pid": session.server.pid,
                "engine": session.server.engine.name,
                "instance": session.server.instance,
                "local": session.evidence.local,
                "client": session.server.socket.peer if session.server.socket else None,
                "break_mode": session.mode.value,
                "reason": session.reason or None,
                "evidence": {
                    "catches_sigurg": session.evidence.catches_sigurg,
                    "told_of_urgent_data": session.evidence.told_of_urgent_data,
                    "polls_on_cpu": session.evidence.polls_on_cpu,
                },
                "sqlnet_ora": str(session.server.settings.path or "") or None,
                "configured_skip": session.server.settings.break_poll_skip,
                "seconds": session.seconds,
                "cpu_pct": session.cpu_pct,
                "break_polls_per_s": session.polls_per_s,
            }
            for session in sessions
        ]
    }


def ps_table(sessions: Sequence[Session]) -> str:
    """One line a session, busiest poller first."""
    if not sessions:
        return "No dedicated server process on this host (looked for oracleSID (LOCAL=…))."
    lines = [
        f"{'PID':>8} {'INSTANCE':<9} {'CLIENT':<22} {'BREAK MODE':<12}"
        f" {'SKIP':>5} {'%CPU':>6} {'POLLS/S':>10}  WHY"
    ]
    for session in sorted(sessions, key=lambda each: (-each.polls_per_s, each.server.pid)):
        server = session.server
        client = server.socket.peer if server.socket else "local"
        lines.append(
            f"{server.pid:>8} {server.instance:<9} {client:<22} {session.mode.value:<12}"
            f" {server.settings.break_poll_skip:>5} {session.cpu_pct:>6.1f}"
            f" {session.polls_per_s:>10,.0f}  {session.reason}".rstrip()
        )
    return "\n".join(lines)
