# SPDX-License-Identifier: GPL-2.0-or-later
"""A session's state, as text and as data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from polltrace.dump.session_state import DatabaseState, SessionState
from polltrace.latency.time_budget import TimeBudget
from polltrace.profiles.sampled import NamedStack
from polltrace.servers.activity_report import activity_data, change_lines, sql_line, state_line
from polltrace.servers.why_report import verdict, why_data

_WIDTH, _LABEL = 100, 12
_MOST_STACKS, _MOST_EVENTS, _MOST_STATISTICS = 4, 4, 8
_LEAST_SHOWN, _LEAST_TOLD = 0.001, 0.01


def dump_text(state: SessionState) -> str:
    """A screen of text: break mode, polls, time, stacks, then the database's view."""
    lines = [line for label, text in _facts(state) for line in _labelled(label, text)]
    stacks = [
        _labelled_line("stack" if number == 0 else "", _stack(stack, state.samples))
        for number, stack in enumerate(state.stacks[:_MOST_STACKS])
    ]
    lines += stacks or _labelled("stack", "it was not on CPU")
    return "\n".join([*lines, *(database_lines(state.database) if state.database else [])])


def _facts(state: SessionState) -> Iterator[tuple[str, str]]:
    session = state.session
    server, engine = session.server, session.server.engine
    yield engine.short, verdict(session)
    for line in session.why.evidence:
        yield "seen", f"{line}"
    if engine.configuration_file:
        skip = server.settings.known_skip
        value = "?" if skip is None else skip
        yield "set", f"{engine.parameter}={value}: {server.settings.source}"
    unit = "break polls" if engine.polls_by_count else "checks of its client"
    other_polls = session.other_polls_per_s
    other_sockets = f", and {other_polls:,.0f} of other sockets" if other_polls >= 1 else ""
    yield "polls", f"{session.polls_per_s:,.0f} {unit} a second{other_sockets}"
    yield "time", time_line(state.budget, f"{on_cpu(state.budget)}{_checking(state)}")


def _checking(state: SessionState) -> str:
    checks = state.checks
    if checks is None or not state.budget.cpu:
        return ""
    return (
        f" (of that {checks.value:.1f} % [{checks.low:.1f}, {checks.high:.1f}] in the break check,"
        " by samples)"
    )


def on_cpu(budget: TimeBudget) -> str:
    return f"on CPU {_pct(budget.cpu)}"


def time_line(budget: TimeBudget, first: str) -> str:
    """`of 0.5 s: on CPU 93.1 %, …`; `first` says how much of it was on CPU."""
    parts = [first, f"waiting for a CPU {_pct(budget.queued)}"]
    parts += [f"for its client {_pct(budget.idle.value)}"]
    if budget.sending.value >= _LEAST_SHOWN:
        parts.append(f"to send to its client {_pct(budget.sending.value)}")
    parts += [
        f"blocked in {name} {_pct(share.value)}"
        for name, share in budget.blocked
        if share.value >= _LEAST_SHOWN
    ]
    if budget.unknown >= _LEAST_TOLD:
        parts.append(f"not accounted for {_pct(budget.unknown)}")
    return f"of {budget.seconds:.1f} s: {', '.join(parts)}"


def database_lines(
    state: DatabaseState, width: int = _WIDTH, most_sql: int | None = None
) -> list[str]:
    """The session, its statement and state, wrapped at `width`; then the changes. The statement
    takes `most_sql` lines at most."""
    database_session, activity = state.session, state.activity
    lines = [
        *_labelled(
            "session",
            f"{database_session.number}  {database_session.user}  {database_session.client}",
            width,
        ),
        *_labelled("sql", sql_line(activity), width, most_sql),
        *_labelled("state", state_line(activity), width),
        *(line for reason in activity.unread for line in _labelled("not read", reason, width)),
    ]
    changed = list(change_lines(state.change, _MOST_EVENTS, _MOST_STATISTICS))
    return [*lines, "", *changed] if changed else lines


def _stack(stack: NamedStack, samples: int) -> str:
    names = " < ".join(frame.name for frame in stack.frames) or "(no user stack)"
    return f"{100 * stack.count / samples:5.1f} % {names}"


def _labelled(
    label: str, text: str, width: int = _WIDTH, max_lines: int | None = None
) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=f"{label:<{_LABEL}}",
        subsequent_indent=" " * _LABEL,
        break_on_hyphens=False,
        max_lines=max_lines,
        placeholder=" …",
    )


def _labelled_line(label: str, text: str) -> str:
    line = f"{label:<{_LABEL}}{text}"
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _pct(share: float) -> str:
    return f"{100 * share:.1f} %"


def dump_data(state: SessionState) -> dict[str, Any]:
    """Shares of time are from 0 to 1, those of samples in per cent; null is unknown."""
    session, budget = state.session, state.budget
    server, checks = session.server, state.checks
    database = state.database
    return {
        **why_data(session),
        "engine": server.engine.name,
        "instance": server.instance,
        "client": session.client or None,
        "parameter": server.engine.parameter,
        "configured_skip": server.settings.known_skip,
        "polls_per_s": session.polls_per_s,
        "other_socket_polls_per_s": session.other_polls_per_s,
        "time": {
            "seconds": budget.seconds,
            "samples": budget.samples,
            "on_cpu": budget.cpu,
            "waiting_for_cpu": budget.queued,
            "waiting_for_client": asdict(budget.idle),
            "waiting_to_send": asdict(budget.sending),
            "blocked": [{"in": name, **asdict(share)} for name, share in budget.blocked],
            "not_accounted_for": budget.unknown,
        },
        "on_cpu_samples": state.samples,
        "break_check_pct": checks.value if checks else None,
        "break_check_pct_ci95": [checks.low, checks.high] if checks else None,
        "stacks": [
            {
                "samples": stack.count,
                "break_check": stack.is_break_check,
                "frames": [frame.name for frame in stack.frames],
            }
            for stack in state.stacks
        ],
        "session": asdict(database.session) if database else None,
        "activity": activity_data(database.activity, database.change) if database else None,
    }
