# SPDX-License-Identifier: GPL-2.0-or-later
"""The terminal: full screen and single keys while we run, as it was before when we end."""

from __future__ import annotations

import base64
import contextlib
import io
import os
import sys
import termios
import tty
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.text import Text

from polltrace.printable import one_line, styled
from polltrace.top.keyboard import keys

# Alternate screen, no cursor, no wrapping at the margin; and back, with plain colours.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
_LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"


class Terminal:
    """stdin and stdout as a full screen, from __enter__ to __exit__.

    Ctrl-C, Ctrl-Z and Ctrl-\\ stay signals.
    """

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(sys.stdin)
        try:
            self.take()
        except BaseException:
            self.give_back()
            raise
        return self

    def take(self) -> None:
        """Full screen and single keys; again, after a stop."""
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        self._write(_ENTER)

    def give_back(self) -> None:
        """Restore the terminal's modes, unless it is gone."""
        with contextlib.suppress(OSError, termios.error):
            self._write(_LEAVE)
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        size = os.get_terminal_size(sys.stdout.fileno())
        return size.columns or 80, size.lines or 24

    def draw(self, lines: Sequence[Text]) -> None:
        """Draw over the present lines, without flicker."""
        width, _ = self.size()
        # Cleared before it is written: at the margin, clearing after would take the last column.
        self._write("\x1b[H\x1b[2K" + "\r\n\x1b[2K".join(ansi(lines, width)))

    def copy(self, text: str) -> None:
        """Ask the terminal to put a text into the clipboard, by OSC 52, which has no answer."""
        encoded = base64.b64encode(text.encode()).decode()
        self._write(f"\x1b]52;c;{encoded}\x07")

    def keys(self) -> list[str]:
        """The keys pressed; "q" when the terminal is gone. To be called when stdin is readable."""
        typed = os.read(sys.stdin.fileno(), 1024)
        return keys(typed.decode(errors="replace")) if typed else ["q"]

    def _write(self, text: str) -> None:
        screen = styled(sys.stdout)
        screen.write(text)
        screen.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.give_back()


def ansi(lines: Sequence[Text], width: int) -> list[str]:
    """The lines with the terminal's colours, their text printable; NO_COLOR leaves bold and
    reverse."""
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    with console.capture() as captured:
        console.print(Text("\n").join(map(_safe, lines)), end="", soft_wrap=True)
    return captured.get().split("\n")


def _safe(line: Text) -> Text:
    safe = line.copy()
    safe.plain = one_line(line.plain)  # as long as before, so the styles stay in place
    return safe
