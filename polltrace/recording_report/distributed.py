# SPDX-License-Identifier: GPL-2.0-or-later
"""The report on recordings of several hosts: the sessions over database links, then each
recording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polltrace.intervals import Estimate
from polltrace.recording.distributed import DistributedSession, DistributedSessions, distributed
from polltrace.recording.fold import read
from polltrace.recording.summary import summary
from polltrace.recording_report.data import report_data
from polltrace.recording_report.html import shell, table
from polltrace.recording_report.page import page_body
from polltrace.recording_report.plots import text as html_text
from polltrace.recording_report.sentences import client, instance, pct, torn
from polltrace.recording_report.text import report_text
from polltrace.stacks.text import printable

_TITLE = "Sessions over database links"
_NONE = (
    "No session of these recordings is the other end of another's database link: their addresses "
    "do not fit together, or they were not recorded at the same time."
)
_MEANING = (
    "A recording has sessions, not statements: these are the figures of a distributed statement "
    "where the session did nothing else while it was recorded."
)
_HEADS = ("Host", "PID", "Instance", "Client", "Break mode", "CPU s", "Break polls")
_HEADS_OF_LOSS = ("Lost CPU s [95 %]", "Lost, % of its CPU [95 %]")


@dataclass(frozen=True, slots=True)
class DistributedReport:
    """The report on several recordings; see `polltrace.file_reports`."""

    distributed: DistributedSessions

    def text(self) -> str:
        lines = [_TITLE, *self._torn(), "", *(_text_table(self.distributed.sessions) or [_NONE])]
        parts = ["\n".join(lines), *map(report_text, self.distributed.recordings)]
        return "\n\n".join(parts)

    def data(self) -> dict[str, Any]:
        return {
            "distributed": [_data(session) for session in self.distributed.sessions],
            "recordings": [report_data(recording) for recording in self.distributed.recordings],
        }

    def html(self) -> str:
        hosts = [recording.recording.header.host for recording in self.distributed.recordings]
        bodies = [page_body(recording) for recording in self.distributed.recordings]
        rows = list(_rows(self.distributed.sessions))
        links = (
            table([*_HEADS, *_HEADS_OF_LOSS], rows, text_columns=[0, 2, 3, 4], caption=_MEANING)
            if rows
            else f"<p>{html_text(_NONE)}</p>"
        )
        tears = [f'<p class="torn">{html_text(line)}</p>' for line in self._torn()]
        body = [f"<h1>{_TITLE}</h1>", *tears, links, *(body_html for body_html, _ in bodies)]
        title = f"Break polling on {', '.join(hosts)}"
        return shell(title, "\n".join(body), has_graph=any(graph for _, graph in bodies))

    def _torn(self) -> list[str]:
        """Lines on incomplete files: figures of both ends lack the data that one of them lost."""
        return [
            f"{printable(recording.recording.header.host)}: {line}"
            for recording in self.distributed.recordings
            for line in torn(recording)
        ]


def distributed_report(paths: Sequence[Path]) -> DistributedReport:
    """Read the recordings. Raises FileError for an unreadable file, FileFormatError for one that is
    no recording, UsageError for two of the same processes.
    """
    return DistributedReport(distributed([summary(read(path)) for path in paths]))


def _rows(sessions: Sequence[DistributedSession]) -> list[list[str]]:
    """The rows of each distributed session: its sessions, and their sum."""
    rows = []
    for distributed_session in sessions:
        for depth, part in distributed_session.every():
            session = part.session
            rows.append(
                [
                    "  " * depth + part.host,
                    str(session.identity[0]),
                    instance(session),
                    "the session above" if depth else client(session),
                    session.mode.value,
                    f"{session.cpu_s:,.2f}",
                    f"{session.break_polls:,}",
                    _seconds(session.lost_cpu_s),
                    pct(session.share),
                ]
            )
        share = (
            distributed_session.lost_cpu_s.scaled(100 / distributed_session.cpu_s)
            if distributed_session.lost_cpu_s and distributed_session.cpu_s
            else None
        )
        total = [
            "together",
            "",
            "",
            "",
            "",
            f"{distributed_session.cpu_s:,.2f}",
            f"{distributed_session.break_polls:,}",
        ]
        rows.append([*total, _seconds(distributed_session.lost_cpu_s), pct(share)])
    return rows


def _text_table(sessions: Sequence[DistributedSession]) -> list[str]:
    rows = [[*_HEADS, *_HEADS_OF_LOSS], *_rows(sessions)]
    if len(rows) == 1:
        return []
    widths = [max(len(printable(row[column])) for row in rows) for column in range(len(rows[0]))]
    right = {1, 5, 6, 7, 8}
    lines = [
        "  ".join(
            f"{printable(cell):{'>' if column in right else '<'}{widths[column]}}"
            for column, cell in enumerate(row)
        ).rstrip()
        for row in rows
    ]
    return [*lines, "", _MEANING]


def _data(distributed_session: DistributedSession) -> dict[str, Any]:
    """A distributed session and its remote ones; `together` has the sums."""
    lost = distributed_session.lost_cpu_s
    return {
        "host": distributed_session.host,
        **distributed_session.session.facts(),
        "lost_cpu_s": _estimate(distributed_session.session.lost_cpu_s),
        "together": {
            "cpu_s": distributed_session.cpu_s,
            "break_polls": distributed_session.break_polls,
            "lost_cpu_s": _estimate(lost),
        },
        "remote": [_data(remote) for remote in distributed_session.remote],
    }


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    return asdict(estimate) if estimate else None


def _seconds(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{estimate.value:z.3f} [{estimate.low:z.3f}, {estimate.high:z.3f}]"
