# SPDX-License-Identifier: GPL-2.0-or-later
"""The progress of a measurement: a line on a terminal's stderr, removed at the end."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Self

from polltrace.printable import note, one_line, styled

_CLEARED = "\r\x1b[K"


class ProgressLine:
    """The Observer of a command. A terminal that knows no escape sequences gets lines of their
    own; a file or pipe gets remarks alone."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._erases = os.environ.get("TERM", "dumb") != "dumb"

    def __enter__(self) -> Self:
        return self

    def step(self, text: str) -> None:
        if self._shown and self._erases:
            self._write(f"{_CLEARED}polltrace: {one_line(text)} …")
        elif self._shown:
            note(f"{text} …")

    def remark(self, text: str) -> None:
        self._clear()
        note(text)

    def _clear(self) -> None:
        if self._shown and self._erases:
            self._write(_CLEARED)

    def _write(self, text: str) -> None:
        stream = styled(sys.stderr)
        stream.write(text)
        stream.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._clear()
