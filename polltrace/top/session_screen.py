# SPDX-License-Identifier: GPL-2.0-or-later
"""The screen of one session: break mode and reason, cost, forecast, stacks."""

from __future__ import annotations

import textwrap
from itertools import zip_longest

from rich.text import Text

from polltrace.breaks.break_mode import BreakMode, Evidence
from polltrace.breaks.meaning import diagnosis, mode_of
from polltrace.intervals import Estimate, proportion
from polltrace.overhead.advice import Advice
from polltrace.overhead.advice_report.client_check import client_check_lines
from polltrace.overhead.client_check import ClientCheckAdvice
from polltrace.overhead.session_advice import SessionAdvice
from polltrace.profiles.sampled import NamedStack
from polltrace.servers.servers import Server
from polltrace.top.columns import duration
from polltrace.top.session_panes import flame, gaps, syscalls
from polltrace.top.session_view import SessionView
from polltrace.top.state import Pane
from polltrace.watch.host_monitor import UNSEEN
from polltrace.watch.snapshot import ServerRow

_MOST_STACKS = 12
_NAMES = {Pane.SYSCALLS: "Calls", Pane.SQL: "SQL"}


def session_screen(  # noqa: PLR0913 - all that it shows
    row: ServerRow | None,
    session: SessionView,
    pane: Pane = Pane.FORECAST,
    status: str = "",
    *,
    width: int,
    height: int,
) -> list[Text]:
    """Exactly `height` lines of at most `width`; `row` is None once the process is gone. `status`
    stands above the keys."""
    status_lines = [Text(line, style="bold") for line in textwrap.wrap(status, width)]
    footer = [*status_lines, _keys(pane)]
    lines = [_title(row), *_mode(row, session, width), *_cost(session)]
    pane_lines = _shown(session, pane, width, height - 1 - len(footer) - len(lines))
    lines += [Text(""), *pane_lines] if pane_lines else []
    room = max(height - len(footer), 0)
    lines += [Text("")] * (room - len(lines))
    lines = [*lines[:room], *footer][-height:]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _shown(session: SessionView, pane: Pane, width: int, height: int) -> list[Text]:
    match pane:
        case Pane.FLAME:
            return flame(session, width, height)
        case Pane.GAPS:
            server = session.server
            return gaps(session.gaps, width, server.engine if server else None)
        case Pane.SYSCALLS:
            return syscalls(session)
        case Pane.NOW | Pane.SQL | Pane.TIME:
            return [Text(line) for line in session.doing or ["Measuring …"]]
        case Pane.FORECAST:
            stacks = _stacks(session, width)
            ahead = _forecast(session.advice) if session.advice else []
            return [*ahead, *([Text("")] if ahead and stacks else []), *stacks]


def _keys(pane: Pane) -> Text:
    line = Text(style="dim")
    for other_pane in Pane:
        style = "bold not dim reverse" if other_pane is pane else ""
        name = _NAMES.get(other_pane, other_pane.name.capitalize())
        line.append(f"{other_pane.value} {name}", style)
        line.append(" ")
    return line.append("c Cure R Record Esc Back ?")


def _title(row: ServerRow | None) -> Text:
    if row is None:
        return Text("The process has ended.", style="bold")
    client = row.client or "a local client"
    cpu = "" if row.cpu_pct is None else f"  CPU {row.cpu_pct:.1f} %"
    rate = "" if row.polls_per_s is None else f"  {row.polls_per_s:,.0f} polls/s"
    return Text(f"{row.pid}  {row.engine} {row.instance}  {client}{cpu}{rate}", style="bold")


def _mode(row: ServerRow | None, session: SessionView, width: int) -> list[Text]:
    server, evidence = session.server, session.evidence
    if server is None or evidence is None:
        mode_line = Text(f"Break mode: {row.mode.value if row else 'unknown'}")
        return [mode_line, Text(session.note or "Attaching to it …", style="dim")]
    mode = mode_of(server.engine, evidence)
    line = Text("Break mode: ").append(
        mode.value, "bold yellow" if mode is BreakMode.IN_BAND else "bold"
    )
    if mode is BreakMode.IN_BAND:
        line.append(":")
    reason = ""
    if mode is BreakMode.IN_BAND and not server.looked_at:
        reason = UNSEEN
    elif mode is BreakMode.IN_BAND:
        reason = diagnosis(server.engine, evidence, server.settings, edited=server.edited).reason
    lines = [
        line,
        *(Text(f"  {part}") for part in textwrap.wrap(reason, width - 2)),
        Text(f"  {_seen(server, evidence)}"),
        Text(f"  {_settings(server)}"),
    ]
    return [*lines, Text(session.note, style="bold")] if session.note else lines


def _seen(server: Server, evidence: Evidence) -> str:
    if server.engine.has_out_of_band:
        return _evidence(evidence)
    return "; ".join(diagnosis(server.engine, evidence, server.settings).evidence)


def _evidence(evidence: Evidence) -> str:
    handler = {True: "catches SIGURG", False: "does NOT catch SIGURG"}
    owns = {True: "owns its socket", False: "does NOT own its socket"}
    polls = {True: "polls on CPU", False: "makes no break polls on CPU"}
    return ", ".join(
        [
            handler[evidence.catches_sigurg]
            if evidence.catches_sigurg is not None
            else "not known if it catches SIGURG",
            owns[evidence.told_of_urgent_data]
            if evidence.told_of_urgent_data is not None
            else "its socket could not be asked",
            polls[evidence.polls_on_cpu]
            if evidence.polls_on_cpu is not None
            else "has hardly run meanwhile",
        ]
    )


def _settings(server: Server) -> str:
    settings = server.settings
    if not server.engine.configuration_file:
        return f"{server.engine.parameter} is a setting of the session, not read from here"
    if not server.looked_at:
        return f"{server.engine.parameter} not known from here, taken to be the default"
    if settings.problem:
        return f"{server.engine.parameter} not known: {settings.unread}"
    skip = f"{server.engine.parameter}={settings.break_poll_skip}"
    if settings.path is None:
        return f"{skip}, the default: no {server.engine.configuration_file}"
    return f"{skip}{', the default;' if settings.skip_is_default else ' in'} {settings.path}"


def _cost(session: SessionView) -> list[Text]:
    advice = session.advice
    lines = []
    if isinstance(advice, ClientCheckAdvice) and advice.cpu_pct and advice.check_cost_s:
        lines.append(
            Text(
                f"Counted: {_pct(advice.cpu_pct)} of its CPU,"
                f" {advice.load.rate.per_s:,.1f} checks a second"
                f" x {1e6 * advice.check_cost_s.value:.1f} us"
            )
        )
    elif isinstance(advice, Advice):
        lines.append(
            Text(
                f"Counted: {_pct(advice.counted)} of its CPU,"
                f" {advice.load.rate.per_s:,.0f} polls a second"
                f" x {1e9 * advice.poll_cost_s.value:.0f} ns"
            )
        )
        lines += _cancel(advice)
    if session.checks:
        lines.append(Text(_sampled(session, session.checks)))
    if session.spun:
        spun = _pct(proportion(session.spun, session.samples))
        lines.append(Text(f"Spinning for latches: {spun} of its CPU"))
    if not lines and session.server:
        lines.append(Text(f"Nothing on CPU in {session.seconds:.0f} s of measuring.", style="dim"))
    return lines


def _sampled(session: SessionView, checks: Estimate) -> str:
    """The estimate from samples, and the combination of both estimates."""
    advice, samples = session.advice, f"{session.samples:,} samples"
    if not isinstance(advice, Advice) or advice.sampled is None:
        return f"Sampled: {_pct(checks)} of {samples} on CPU"
    sentence = f"Sampled: {_pct(advice.sampled)} of its CPU, by {samples}"
    if not advice.choice.agree:
        return f"{sentence}; they DISAGREE"
    return f"{sentence}; both: {advice.cpu_pct.value:.2f} %"


def _cancel(advice: Advice) -> list[Text]:
    """The wait of a cancel while the session is on CPU, where gaps were timed."""
    in_force = (skip for skip in advice.forecast if skip.break_poll_skip == advice.skip)
    current = next(in_force, None)
    if current is None or current.cancel_ms is None:
        return []
    cancel = current.cancel_ms
    waits = f"median {cancel.median:.3g}, p99 {cancel.p99:.3g}, worst gap {cancel.worst:.3g} ms"
    return [Text(f"Timed: a cancel on CPU waits {waits} (1 s)")]


def _forecast(advice: SessionAdvice) -> list[Text]:
    if isinstance(advice, Advice):
        return _skips(advice)
    first, *remaining = client_check_lines(advice)
    return [Text(first, style="reverse"), *map(Text, remaining)]


def _skips(advice: Advice) -> list[Text]:
    """A line a skip. How long a cancel waits on CPU is known once gaps were timed."""
    lines = [
        Text(
            f"{'SKIP':>6} {'LOST% [95 %]':>20} {'SAVED% [95 %]':>18}"
            f" {'CANCEL p99':>10} {'WORST':>8} {'WAITING':>9}",
            style="reverse",
        )
    ]
    for forecast in advice.forecast:
        share, saved = forecast.cpu_pct, forecast.saved_pct
        is_current = forecast.break_poll_skip == advice.skip
        cancel = forecast.cancel_ms
        p99, worst = (
            (duration(1e-3 * cancel.p99), duration(1e-3 * cancel.worst)) if cancel else ("-", "-")
        )
        lines.append(
            Text(
                f"{forecast.break_poll_skip:>6}"
                f" {f'{share.value:.2f} [{share.low:.2f}, {share.high:.2f}]':>20}"
                f" {f'{saved.value:.1f} [{saved.low:.1f}, {saved.high:.1f}]':>18}"
                f" {p99:>10} {worst:>8}"
                f" {f'{forecast.cancel_waiting_s:,.0f} s':>9}{' <-' if is_current else ''}",
                style="bold" if is_current else "",
            )
        )
    return lines


def _stacks(session: SessionView, width: int) -> list[Text]:
    if not session.stacks:
        return []
    checks = [stack for stack in session.stacks if stack.is_break_check]
    other_stacks = [stack for stack in session.stacks if not stack.is_break_check]
    lines = [Text(f"On-CPU stacks in {session.seconds:.0f} s, innermost first", style="reverse")]
    # A dozen of either, interleaved, so that a small screen shows both.
    for pair in zip_longest(checks[:_MOST_STACKS], other_stacks[:_MOST_STACKS]):
        lines += [_stack(stack, session.samples, width) for stack in pair if stack]
    return lines


def _stack(stack: NamedStack, samples: int, width: int) -> Text:
    share = f"{100 * stack.count / samples:5.1f} % "
    line = Text(share, style="yellow" if stack.is_break_check else "")
    names = " < ".join(frame.name for frame in stack.frames) or "(no user stack)"
    line.append(names[: max(0, width)])
    return line


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} % [{estimate.low:.2f}, {estimate.high:.2f}]"
