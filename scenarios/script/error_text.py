# SPDX-License-Identifier: GPL-2.0-or-later
"""An error of a statement, with its place, in SQL*Plus's form."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PLACE = re.compile(r"ORA-06550: line (\d+), column (\d+)")


def error_lines(sql: str, error: str, offset: int) -> Iterator[str]:
    """The line of `sql` with the error, a star below its place, the error.

    `offset` is the place of the first character in UTF-8 bytes, as the server counts. The text of a
    block's compilation error contains line and column.
    """
    lines = sql.split("\n")
    if match := _PLACE.match(error):
        line, column = int(match[1]), int(match[2])
    else:
        preceding = sql.encode()[:offset].decode(errors="ignore").split("\n")
        line, column = len(preceding), len(preceding[-1]) + 1
    line = min(max(line, 1), len(lines))
    yield lines[line - 1].replace("\t", " ")
    if line == 1 and sql.endswith("\n"):  # EXECUTE's block
        yield ""
    yield " " * (max(column, 1) - 1) + "*"
    yield f"ERROR at line {line}:"
    yield from error.split("\n")
    yield ""
