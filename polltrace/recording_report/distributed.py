# SPDX-License-Identifier: GPL-2.0-or-later
"""The report on recordings of several hosts: the sessions over database links, then each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polltrace.intervals import Estimate
from polltrace.recording.distributed import Distributed, DistributedSession, distributed
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

    found: Distributed

    def text(self) -> str:
        lines = [_TITLE, *self._torn(), "", *(_text_table(self.found.sessions) or [_NONE])]
        parts = ["\n".join(lines), *map(report_text, self.found.recordings)]
        return "\n\n".join(parts)

    def data(self) -> dict[str, Any]:
        return {
            "distributed": [_data(each) for each in self.found.sessions],
            "recordings": [report_data(each) for each in self.found.recordings],
        }

    def html(self) -> str:
        hosts = [each.recording.header.host for each in self.found.recordings]
        bodies = [page_body(each) for each in self.found.recordings]
        rows = list(_rows(self.found.sessions))
        links = (
            table([*_HEADS, *_HEADS_OF_LOSS], rows, left=[0, 2, 3, 4], caption=_MEANING)
            if rows
            else f"<p>{html_text(_NONE)}</p>"
        )
        tears = [f'<p class="torn">{html_text(each)}</p>' for each in self._torn()]
        body = [f"<h1>{_TITLE}</h1>", *tears, links, *(each for each, _ in bodies)]
        title = f"Break polling on {', '.join(hosts)}"
        return shell(title, "\n".join(body), has_graph=any(graph for _, graph in bodies))

    def _torn(self) -> list[str]:
        """The files that are not whole: figures of both ends lack what one of them lost."""
        return [
            f"{printable(each.recording.header.host)}: {line}"
            for each in self.found.recordings
            for line in torn(each)
        ]


def distributed_report(paths: Sequence[Path]) -> DistributedReport:
    """Raises FileError for an unreadable file, FileFormatError for one that is no recording,
    UsageError for two of the same processes."""
    return DistributedReport(distributed([summary(read(path)) for path in paths]))


def _rows(sessions: Sequence[DistributedSession]) -> list[list[str]]:
    """For each distributed session: the sessions of it, and their sum."""
    rows = []
    for each in sessions:
        for depth, part in each.every():
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
        share = each.lost_cpu_s.scaled(100 / each.cpu_s) if each.lost_cpu_s and each.cpu_s else None
        total = ["together", "", "", "", "", f"{each.cpu_s:,.2f}", f"{each.break_polls:,}"]
        rows.append([*total, _seconds(each.lost_cpu_s), pct(share)])
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


def _data(each: DistributedSession) -> dict[str, Any]:
    """It and what is beneath; `together` are the sums."""
    lost = each.lost_cpu_s
    return {
        "host": each.host,
        **each.session.facts(),
        "lost_cpu_s": _estimate(each.session.lost_cpu_s),
        "together": {
            "cpu_s": each.cpu_s,
            "break_polls": each.break_polls,
            "lost_cpu_s": _estimate(lost),
        },
        "remote": [_data(beneath) for beneath in each.remote],
    }


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    return asdict(estimate) if estimate else None


def _seconds(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{estimate.value:z.3f} [{estimate.low:z.3f}, {estimate.high:z.3f}]"
