# SPDX-License-Identifier: GPL-2.0-or-later
"""Engines without out-of-band breaks: does a session check its client's socket while it works, and
why.

The engine's file declares what a check reveals. An engine whose check reveals only a lost client
learns of a cancel by another way, and works on for a client that has vanished until its next
attempt to send.
"""

from __future__ import annotations

from polltrace.breaks.break_mode import BreakMode, Evidence
from polltrace.breaks.why import Cause, Diagnosis
from polltrace.engines import Engine


def check_mode(engine: Engine, evidence: Evidence) -> BreakMode:
    """The mode of a session: checking while it works, or not."""
    if engine.never_checks:
        return BreakMode.NO_CHECK
    if evidence.polls_on_cpu is None:
        return BreakMode.UNKNOWN
    return BreakMode.CHECKING if evidence.polls_on_cpu else BreakMode.NOT_CHECKING


def check_diagnosis(engine: Engine, evidence: Evidence) -> Diagnosis:
    """The mode of a session with its evidence, and how to be sure."""
    mode = check_mode(engine, evidence)
    over = "a unix socket" if evidence.local else "TCP"
    client = f"its client is connected over {over}"
    if mode is BreakMode.NO_CHECK:
        fact = f"no server of {engine.name} looks at its client's socket while it works"
        return Diagnosis(Cause.NO_CHECK, engine.no_check, (client, fact), (), "")
    facts = {
        BreakMode.CHECKING: "it checked its client's socket while it was observed",
        BreakMode.NOT_CHECKING: "it was on CPU and did not check its client's socket",
        BreakMode.UNKNOWN: "too little was seen of it on CPU: the absence of checks proves nothing",
    }[mode]
    seen = (client, facts)
    if mode is BreakMode.CHECKING:
        return Diagnosis(_CAUSES[engine.polls_by_count], _checking(engine), seen, _ask(engine), "")
    if mode is BreakMode.UNKNOWN:
        settles = ("repeat it while a long statement runs: an idle session does not check",)
        return Diagnosis(Cause.UNKNOWN, "too little was seen of it on CPU", seen, settles, "")
    return Diagnosis(Cause.OFF, _not_checking(engine), seen, _ask(engine), _cure(engine))


_CAUSES = {True: Cause.COUNT, False: Cause.INTERVAL}


def _checking(engine: Engine) -> str:
    if engine.polls_by_count:
        return (
            f"it looks at its client's socket once in {engine.parameter} checks: that is how soon "
            f"it would notice that {engine.revealed}"
        )
    return f"{engine.parameter} is set: it would notice within that time that {engine.revealed}"


def _not_checking(engine: Engine) -> str:
    if engine.polls_by_count:
        return f"too few checks came for {engine.parameter}, or none"
    off = "off, or " if not engine.default else ""
    return f"{engine.parameter} is {off}longer than its statements, or than it was observed"


def _cure(engine: Engine) -> str:
    if engine.default:
        return ""
    how = f" ({engine.set_command()})" if engine.set else ""
    return (
        f"nothing, unless statements run on although {engine.revealed}: then set "
        f"{engine.parameter}{how}, and 'polltrace advise' shows what that costs"
    )


def _ask(engine: Engine) -> tuple[str, ...]:
    how = f"{engine.ask} in the session" if engine.ask else ""
    if engine.scope:
        how = f"{how or 'the setting in force'}: {engine.scope}"
    return (how or f"the setting of {engine.parameter} in force",)
