# SPDX-License-Identifier: GPL-2.0-or-later
"""A part of a file in memory without a copy of it, for one thread at a time (scanner/window.h)."""

from __future__ import annotations

from polltrace.sqltrace.library import library

LARGEST = 1 << 24


class Window:
    """The lines of a file between two of its line ends; none until it is moved."""

    _pointer: int | None = None  # of an object whose __init__ failed, too

    def __init__(self) -> None:
        self._pointer = library().sqltrace_window_new()
        self.at = 0  # where it begins in the file

    def __del__(self) -> None:
        if self._pointer:
            library().sqltrace_window_delete(self._pointer)

    def move(self, file: int, offset: int, limit: int) -> int:
        """Show the lines in `most` bytes, LARGEST or fewer, of the file that is open as `file`; how
        many bytes they are, 0 where they have to be read."""
        if not self._pointer:
            return 0
        self.at = offset
        return int(library().sqltrace_window_move(self._pointer, file, offset, limit))

    @property
    def address(self) -> int:
        return int(library().sqltrace_window_data(self._pointer))

    def is_torn(self) -> bool:
        """True if the file has lost bytes of the window, which were read as zeros."""
        return bool(library().sqltrace_window_is_torn(self._pointer))
