# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace why`: the verdict, then the evidence, a line each."""

from __future__ import annotations

import textwrap
from typing import Any

from polltrace.breaks.break_mode import BreakMode
from polltrace.servers.ps_report import ObservedServer

_WIDTH = 100


def why_data(session: ObservedServer) -> dict[str, Any]:
    """`cause` is one of server-disabled, client-never-asked, path-eats-urgent-data, unknown and
    not-in-band; for an engine without out-of-band breaks interval-set, count-set, interval-off,
    engine-never-checks and unknown."""
    diagnosis = session.why
    return {
        "pid": session.server.pid,
        "break_mode": session.mode.value,
        "caution": diagnosis.caution or None,
        "cause": diagnosis.cause.value,
        "reason": diagnosis.reason,
        "evidence": list(diagnosis.evidence),
        "would_settle": list(diagnosis.settles),
        "cure": diagnosis.cure or None,
    }


def verdict(session: ObservedServer) -> str:
    """A sentence with the session's break mode and the reason."""
    server, diagnosis = session.server, session.why
    client = server.socket.peer if server.socket else "a local client"
    if server.engine.sessions_are_threads:
        client = session.client
    linked = f", a link of server {server.linked_from}" if server.linked_from else ""
    label = "" if server.engine.sessions_are_threads else "client "
    session_name = f"{server.pid} ({server.instance}, {label}{client}{linked})"
    if not session.reason:
        caution = f", {diagnosis.caution}" if diagnosis.caution else ""
        return f"{session_name} is {session.mode.value}{caution}."
    if session.mode is BreakMode.NO_CHECK:
        return f"{session_name} makes no checks: {diagnosis.reason}."
    return f"{session_name} is {session.mode.value} because {diagnosis.reason}."


def why_text(session: ObservedServer) -> str:
    """The verdict in a sentence, its evidence, the missing evidence, and the cure."""
    diagnosis = session.why
    lines = [
        verdict(session),
        *(f"seen:       {line}" for line in diagnosis.evidence),
        *(f"to be sure: {line}" for line in diagnosis.settles),
        *([f"cure:       {diagnosis.cure}"] if diagnosis.cure else []),
    ]
    return "\n".join(
        textwrap.fill(line, _WIDTH, subsequent_indent=" " * 12, break_on_hyphens=False)
        for line in lines
    )
