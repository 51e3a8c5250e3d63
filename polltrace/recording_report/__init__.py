# SPDX-License-Identifier: GPL-2.0-or-later
"""The report on a recording as text, as JSON-ready data, and as an HTML page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polltrace.recording.fold import read
from polltrace.recording.summary import RecordingSummary, summary


@dataclass(frozen=True, slots=True)
class RecordingReport:
    """The report on one recording, from its `summary`; see `polltrace.file_reports`."""

    summary: RecordingSummary

    def text(self) -> str:
        from polltrace.recording_report.text import report_text

        return report_text(self.summary)

    def data(self) -> dict[str, Any]:
        from polltrace.recording_report.data import report_data

        return report_data(self.summary)

    def html(self) -> str:
        from polltrace.recording_report.page import report_page

        return report_page(self.summary)


def recording_report(path: Path) -> RecordingReport:
    """Read the recording. Raises FileError for an unreadable file, FileFormatError for one that is
    no recording.
    """
    return RecordingReport(summary(read(path)))
