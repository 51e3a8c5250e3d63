# SPDX-License-Identifier: GPL-2.0-or-later
"""The changes that a site can make: the test before each, the lines to write, the check, and how to
undo them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.breaks.break_mode import BreakMode
from polltrace.breaks.why import Cause
from polltrace.overhead.advice import Advice
from polltrace.overhead.advice_report.units import ms, span
from polltrace.overhead.forecast import SkipForecast

_ANEW = "sessions that connect from then on have it; connect anew, then"
_BY_CANCEL = "run 'polltrace oob-check --cancel DSN' on the client's host: no cancel may be lost"
_TEST = (
    "'polltrace oob-check --listen' here and 'polltrace oob-check HOST:PORT' on the client's host, "
    "by the route of its sessions"
)


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A change of configuration.

    `title` names it and its saving; `before` is a test without which the change may do harm,
    `lines` are the text to write and the place, `check` is how to see that it took effect, `undo`
    how to revert it; `cancels` the time that a cancel then takes.
    """

    title: str
    before: str
    lines: Sequence[str]
    check: str
    undo: str
    cancels: str

    def sentences(self) -> list[tuple[str, str]]:
        """Pairs of (label, text) in the order of execution."""
        change = [("change" if not number else "", line) for number, line in enumerate(self.lines)]
        last = [("cancel", self.cancels), ("check", self.check), ("undo", self.undo)]
        return [("before", self.before), *change, *last]


def changes(advice: Advice, best: SkipForecast | None) -> list[SettingChange]:
    """The possible changes, best first: the cure of the cause, then the recommended skip `best`
    where that is not the one in force. Empty for a session that makes no break polls.
    """
    if advice.mode is not BreakMode.IN_BAND or not advice.forecast:
        return []
    candidates = [_out_of_band(advice)]
    if best is not None and best.break_poll_skip != advice.skip:
        candidates.append(_skip(advice, best))
    return [change for change in candidates if change is not None]


def _out_of_band(advice: Advice) -> SettingChange | None:
    lines, undo = _cure(advice)
    if not lines:
        return None
    saved = advice.out_of_band_saved
    return SettingChange(
        f"Out-of-band breaks: {saved.value:.1f} % of its CPU saved "
        f"[{saved.low:.1f}, {saved.high:.1f}], and cancels at once",
        _path_test(advice),
        lines,
        f"{_ANEW} {_BY_CANCEL}, and 'polltrace ps' names the session out-of-band",
        undo,
        "at once, also while it waits for a row lock",
    )


def _path_test(advice: Advice) -> str:
    """The test of the route, which keeps a client from losing its cancels on one that drops urgent
    data."""
    if advice.why.cause is Cause.PATH:
        return f"{_TEST}: it shows what becomes of urgent data"
    testing = advice.server.engine.clients_test_path
    if not testing or advice.server.settings.disable_oob_auto:
        return f"{_TEST}: unless urgent data is carried, every cancel would be lost"
    return (
        f"{_TEST}: unless urgent data is carried, cancels are lost with every client that does not "
        f"test its path as it connects (these do: {', '.join(testing)})"
    )


def _cure(advice: Advice) -> tuple[Sequence[str], str]:
    path, engine = advice.server.settings.path, advice.server.engine
    match advice.why.cause:
        case Cause.CLIENT:
            return engine.clients_ask, "set what was set before"
        case Cause.SERVER:
            parameter = engine.disable_oob_parameter
            path = advice.server.settings.disabled_in
            return (f"{path} on the server: {parameter}=OFF",), f"{path}: {parameter}=ON"
        case Cause.PATH:
            return (
                "firewall, proxy or NAT between client and server: let TCP urgent data pass",
                "then repeat the test: urgent data must be carried",
            ), "none needed: nothing was set here"
        case _:
            return (), ""


def _skip(advice: Advice, best: SkipForecast) -> SettingChange:
    settings, engine = advice.server.settings, advice.server.engine
    where = advice.server.configuration
    saved, name = best.saved_pct, engine.parameter
    if settings.problem:
        undo = "what it had before, which could not be read"
    elif settings.skip_is_default:
        undo = f"take the line out; {engine.default} is the default"
    else:
        undo = f"{name}={settings.break_poll_skip}"
    is_higher = best.break_poll_skip > advice.skip
    size, effect = (saved, "saved") if is_higher else (saved.negated, "more")
    return SettingChange(
        f"{name}={best.break_poll_skip}: {size.value:.1f} % of its CPU {effect} "
        f"[{size.low:.1f}, {size.high:.1f}], and {'slower' if is_higher else 'quicker'} cancels",
        f"keep a copy of {where}",
        (f"{where} on the server: {name}={best.break_poll_skip}",),
        f"{_ANEW} 'polltrace advise -p PID' says {name}={best.break_poll_skip} is in force",
        f"{where}: {undo}",
        f"{cancel_words(best)} (now {span(engine.wait_slice_s * advice.skip)})",
    )


def cancel_words(best: SkipForecast) -> str:
    """The time that a cancel takes at that skip, in words."""
    running = f"up to {ms(best.cancel_ms.worst)} ms while it runs and " if best.cancel_ms else ""
    return f"{running}up to {span(best.cancel_waiting_s)} while it waits for a row lock"
