# SPDX-License-Identifier: GPL-2.0-or-later
"""The report that `polltrace report` prints for a load's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polltrace.scenarios.analyse.run_file import figures_of
from polltrace.scenarios.load.load_file import read_load
from polltrace.scenarios.load.load_result import load_result
from polltrace.scenarios.load.page import load_page
from polltrace.scenarios.load.report import load_data, load_text


class LoadReport:
    """A `polltrace.file_reports.FileReport`.

    Raises FileError for a file that is no load.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        load = read_load(path)
        with figures_of(path):
            self._result = load_result(load)

    def text(self) -> str:
        with figures_of(self._path):
            return load_text(self._result)

    def data(self) -> Any:
        with figures_of(self._path):
            return load_data(self._result)

    def html(self) -> str:
        with figures_of(self._path):
            return load_page(self._result)
