# SPDX-License-Identifier: GPL-2.0-or-later
"""Engines whose check only finds a client that is gone: does a session check, and why.

A cancel reaches such a server over another connection, so it is noticed at once with and without
checks. What the check is for: without it a server works on for a client that has vanished, until
its next attempt to send.
"""

from __future__ import annotations

from polltrace.breaks.break_mode import BreakMode, Evidence
from polltrace.breaks.why import Cause, Diagnosis
from polltrace.engines import Engine


def check_mode(evidence: Evidence) -> BreakMode:
    """The mode of a session: checking while it works, or not."""
    if evidence.polls_on_cpu is None:
        return BreakMode.UNKNOWN
    return BreakMode.CHECKING if evidence.polls_on_cpu else BreakMode.NOT_CHECKING


def lost_client_diagnosis(engine: Engine, evidence: Evidence) -> Diagnosis:
    """The mode of a session with its evidence, and how to be sure."""
    mode = check_mode(evidence)
    over = "a unix socket" if evidence.local else "TCP"
    facts = {
        BreakMode.CHECKING: "it checked its client's socket while it was observed",
        BreakMode.NOT_CHECKING: "it was on CPU and did not check its client's socket",
        BreakMode.UNKNOWN: "too little was seen of it on CPU: the absence of checks proves nothing",
    }[mode]
    evidence_lines = (f"its client is connected over {over}", facts)
    if mode is BreakMode.CHECKING:
        reason = f"{engine.parameter} is set: it would notice within that time that its client is "
        return Diagnosis(Cause.INTERVAL, f"{reason}gone", evidence_lines, (_ask(engine),), "")
    if mode is BreakMode.UNKNOWN:
        settles = ("repeat it while a long statement runs: an idle session does not check",)
        return Diagnosis(
            Cause.UNKNOWN, "too little was seen of it on CPU", evidence_lines, settles, ""
        )
    cure = (
        f"nothing, unless statements run on for clients that are gone: then set {engine.parameter}"
        + (f" ({engine.set_command()})" if engine.set else "")
        + ", and 'polltrace advise' shows what that costs"
    )
    return Diagnosis(
        Cause.OFF,
        f"{engine.parameter} is off, or longer than its statements, or than it was observed",
        evidence_lines,
        (_ask(engine),),
        cure,
    )


def _ask(engine: Engine) -> str:
    how = f"{engine.ask} in the session" if engine.ask else "the session's own setting"
    return f"{how}: {engine.scope}" if engine.scope else how
