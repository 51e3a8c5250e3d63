# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of a run as text, as data, and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import figures_of, read_run
from polltrace.scenarios.report.run.data import run_data
from polltrace.scenarios.report.run.page import run_page
from polltrace.scenarios.report.run.text import run_text


class RunReport:
    """A `polltrace.file_reports.FileReport`.

    Raises FileError for a file that is no whole run.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        run = read_run(path)
        with figures_of(path):
            self._result = analysed(run)

    def text(self) -> str:
        with figures_of(self._path):
            return run_text(self._result)

    def data(self) -> Any:
        with figures_of(self._path):
            return run_data(self._result)

    def html(self) -> str:
        with figures_of(self._path):
            return run_page(self._result)
