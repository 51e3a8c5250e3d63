# SPDX-License-Identifier: GPL-2.0-or-later
"""Output of a script: standard output, and the file that SPOOL names."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TextIO

from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.words import CommandError


class Output:
    """Destinations of a script's lines; SET TERMOUT OFF silences `terminal` only."""

    def __init__(self, settings: Settings, terminal: TextIO) -> None:
        self._settings = settings
        self._terminal = terminal
        self._spool: IO[str] | None = None
        self._spooled = ""

    def line(self, text: str = "", *, row: bool = False) -> None:
        """Print one line; TRIMOUT and TRIMSPOOL decide on trailing blanks of a `row`."""
        if self._settings.termout:
            printed = text.rstrip(" ") if row and self._settings.trimout else text
            self._terminal.write(printed + "\n")
        if self._spool:
            if row:
                trim = self._settings.trimspool
                text = text.rstrip(" ") if trim else text.ljust(self._settings.linesize)
            self._write(text + "\n")

    def prompt(self, text: str) -> None:
        """Print a prompt at once, without a newline."""
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
        """Name of the spool file; empty without one."""
        return self._spooled if self._spool else ""

    def spool_off(self) -> None:
        """Close the spool file, if there is one. Raises CommandError."""
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
