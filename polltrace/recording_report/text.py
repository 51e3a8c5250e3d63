# SPDX-License-Identifier: GPL-2.0-or-later
"""The report for a terminal."""

from __future__ import annotations

import textwrap

from polltrace.overhead.advice_report import session_advice_text
from polltrace.profiles.latch_report import latch_lines
from polltrace.profiles.off_cpu_report import off_cpu_lines, off_cpu_notes
from polltrace.recording.summary import RecordingSummary, SessionSummary
from polltrace.recording_report.sentences import (
    about,
    client,
    instance,
    pct,
    quality,
    torn,
    verdict,
)
from polltrace.stacks.text import printable

_SHOWN = 40
_WIDTH = 120


def report_text(summary: RecordingSummary) -> str:
    """The result, the sessions, the forecast for the one that loses most, and the limits of the
    figures.
    """
    head = [about(summary), *_filled(torn(summary))]
    lines = [*head, "", *_filled(verdict(summary)), "", *_table(summary)]
    worst = summary.worst
    if worst is not None and worst.advice is not None and worst.advice.forecast:
        lines += ["", printable_lines(session_advice_text(worst.advice, worst.limits))]
    return "\n".join([*lines, *_waits(summary), "", *_filled(quality(summary))])


def _waits(summary: RecordingSummary) -> list[str]:
    """The parts of the time off CPU, and the paths to latches."""
    off_cpu, paths = summary.off_cpu, summary.latches
    lines = []
    if off_cpu is not None:
        lines += [
            "",
            *off_cpu_lines(off_cpu, summary.followed_s),
            "",
            *_filled(list(off_cpu_notes(off_cpu))),
        ]
    if paths:
        sample_ns = summary.latch_sample_ns
        latches = latch_lines(paths, sample_ns=sample_ns, slept=off_cpu is not None)
        lines += ["", *map(printable, latches)]
    return lines


def _table(summary: RecordingSummary) -> list[str]:
    skip = f" {'SKIP':>5}" if summary.has_skips else ""
    lines = [
        f"{'PID':>8} {'INSTANCE':<9} {'CLIENT':<22} {'BREAK MODE':<12}{skip} {'%CPU':>6}"
        f" {'POLLS':>13} {'POLLS/S':>10} {'LOST % [95 %]':>22}"
    ]
    lines += [_row(session, summary.has_skips) for session in summary.sessions[:_SHOWN]]
    if len(summary.sessions) > _SHOWN:
        lines.append(f"… and {len(summary.sessions) - _SHOWN:,} more; --json has them all")
    return lines


def _row(session: SessionSummary, has_skips: bool) -> str:
    configured_skip = (session.server and session.server.settings.known_skip) or "-"
    skip = f" {configured_skip:>5}" if has_skips else ""
    ended = " (ended)" if session.ended else ""
    return printable(
        f"{session.identity[0]:>8} {instance(session):<9.40} {client(session):<22}"
        f" {session.mode.value:<12}{skip} {session.cpu_pct:>6.1f} {session.break_polls:>13,}"
        f" {session.polls_per_s:>10,.0f} {pct(session.share):>22}{ended}"
    )


def printable_lines(text: str) -> str:
    return "\n".join(printable(line) for line in text.split("\n"))


def _filled(sentences: list[str]) -> list[str]:
    return [line for sentence in sentences for line in textwrap.wrap(sentence, _WIDTH)]
