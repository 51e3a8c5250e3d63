# SPDX-License-Identifier: GPL-2.0-or-later
"""Text from watched processes and files, made safe for the terminal where it is written.

A process chooses its title, its paths and the names of its functions. Escape sequences in them
would command the terminal of root, and bidirectional controls would reorder its text. So all
that polltrace writes to its standard streams passes here, whichever report made it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

# C0 and C1 controls except tab and newline; what Unicode reorders, joins or hides text with
# (UAX #9 and #36); lone surrogates, by which Python keeps bytes that are no UTF-8.
_UNSAFE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """The text with a question mark for each character that a terminal would obey or hide."""
    if text.replace("\n", "").isprintable():
        return (
            text  # most is, and to compile the expression takes longer than many a command prints
        )
    return re.sub(_UNSAFE, "?", text)


def one_line(text: str) -> str:
    """The text as a single line: a name within a line must not start a line of its own."""
    return printable(text).replace("\n", "?").replace("\t", "?")


def note(text: str) -> None:
    """Print one line on stderr, apart from the command's output."""
    print(f"polltrace: {one_line(text)}", file=sys.stderr, flush=True)


class PrintableStream:
    """A text stream whose text is printable; all else, its bytes too, is the stream's own.

    JSON passes unchanged, because json escapes all of that already.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(printable(text))

    def writelines(self, lines: Iterable[str]) -> None:
        self.stream.writelines(map(printable, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def styled(stream: TextIO) -> TextIO:
    """The stream without the filter, for a screen that filters its text before it adds styles."""
    return stream.stream if isinstance(stream, PrintableStream) else stream
