# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that `polltrace report FILE` takes: their first line states their format.

The first line, plain or under zstd, is a JSON object whose `format` names an entry point of the
group `polltrace.reports`; that is a function from the file's path to a `FileReport`. So
`scenarios` adds its own formats without being known here.
"""

from __future__ import annotations

import json
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

import zstandard

from polltrace.errors import FileError

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_LONGEST_FIRST_LINE = 1 << 20


class FileReport(Protocol):
    """The report of a file that was read; a method for each output format."""

    def text(self) -> str:
        """The report for a terminal, verdict first, without a final newline."""
        ...

    def data(self) -> Any:
        """JSON-ready."""
        ...

    def html(self) -> str:
        """The report as a self-contained HTML page."""
        ...


def file_report(path: Path) -> FileReport:
    """Raises FileError for a file that cannot be read or is of no known format."""
    name = file_format(path)
    for entry in entry_points(group="polltrace.reports"):
        if entry.name == name:
            report: FileReport = entry.load()(path)
            return report
    raise FileError(f"{path} is of format {name!r}, which this release does not know")


def file_format(path: Path) -> str:
    """The `format` of a file's first line. Raises FileError where it has none."""
    try:
        with path.open("rb") as file:
            start = file.read(_LONGEST_FIRST_LINE)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None
    try:
        if start.startswith(_ZSTD_MAGIC):
            start = zstandard.ZstdDecompressor().decompressobj().decompress(start[: 1 << 12])
        return str(json.loads(start.partition(b"\n")[0])["format"])
    except (ValueError, KeyError, TypeError, RecursionError, zstandard.ZstdError):
        raise FileError(
            f"{path} is no recording, run or load: 'polltrace record', 'run' and 'load' make those"
        ) from None
