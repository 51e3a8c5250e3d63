# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a script's lines go: standard output, and the file that SPOOL names."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TextIO

from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.words import CommandError


class Output:
    """SET TERMOUT OFF keeps lines from `terminal`, not from the spool file."""

    def __init__(self, settings: Settings, terminal: TextIO) -> None:
        self._settings = settings
        self._terminal = terminal
        self._spool: IO[str] | None = None
        self._spooled = ""

    def line(self, text: str = "", *, row: bool = False) -> None:
        """One line; of a `row`, blanks at its end are trimmed as TRIMOUT and TRIMSPOOL have it."""
        if self._settings.termout:
            shown = text.rstrip(" ") if row and self._settings.trimout else text
            self._terminal.write(shown + "\n")
        if self._spool:
            if row:
                trim = self._settings.trimspool
                text = text.rstrip(" ") if trim else text.ljust(self._settings.linesize)
            self._write(text + "\n")

    def prompt(self, text: str) -> None:
        """Without a line's end, at once."""
        self._terminal.write(text)
        self._terminal.flush()

    def flush(self) -> None:
        self._terminal.flush()

    def spool(self, path: Path, mode: str) -> None:
        """Begin a spool file. Raises CommandError."""
        self.spool_off()
        try:
            self._spool = open(path, mode, encoding="utf-8")  # noqa: SIM115 - until it is closed
        except OSError as error:
            raise CommandError(
                f'SP2-0606: Cannot create SPOOL file "{path}": {error.strerror}'
            ) from None
        self._spooled = str(path)

    def spooling(self) -> str:
        """The file; empty without one."""
        return self._spooled if self._spool else ""

    def spool_off(self) -> None:
        """End it, where there is one. Raises CommandError."""
        spool, self._spool = self._spool, None
        if spool:
            try:
                spool.close()
            except OSError as error:
                raise CommandError(
                    f'SP2-0308: cannot close spool file "{self._spooled}": {error.strerror}'
                ) from None

    def _write(self, text: str) -> None:
        assert self._spool
        try:
            self._spool.write(text)
        except OSError as error:
            self._spool = None
            raise CommandError(
                f'SP2-0308: cannot write spool file "{self._spooled}": {error.strerror}'
            ) from None
