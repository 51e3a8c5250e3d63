# SPDX-License-Identifier: GPL-2.0-or-later
"""A file's bytes in blocks that end with a line's end."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from polltrace.printable import note
from polltrace.sqltrace.file_formats import ContentStream
from polltrace.sqltrace.inputs import PackedError
from polltrace.sqltrace.library import PADDING
from polltrace.sqltrace.window import LARGEST, Window

BLOCK = 1 << 20  # threads seldom wait for their turn, and processors' own caches hold most of it
_FIRST = 1 << 16  # it mostly tells the clock, which the scanner then knows for all others
# Records of a block that caches hold, and so few that a block may be twice as large.
_MANY, _FEW = 1 << 15, 1 << 12
LONGEST_LINE = 1 << 24

# A record, of which a part is none: its last number may lack digits.
_RECORD = (
    rb"(WAIT|PARSE|EXEC|FETCH|CLOSE|UNMAP|SORT UNMAP|ERROR|STAT|BINDS|PARSING IN CURSOR) ?#?[^\n]*|"
    rb"(XCTEND|LOB[A-Z]+:)[^\n]*"
)
_TIM = rb"\btim=([0-9]+)\r?$"


class Readable(ContentStream, Protocol):
    """A trace, and its name in messages."""

    path: str

    def show(self, window: Window, most: int, /) -> int: ...

    def read_torn(self, window: Window, buffer: memoryview, /) -> int: ...


class FilledBlock(NamedTuple):
    """`length` bytes of `data` are lines; `passed` bytes before them were one that is too long."""

    data: bytearray | Window
    length: int
    passed: int = 0

    @property
    def address(self) -> int:
        if isinstance(self.data, Window):
            return self.data.address
        return ctypes.addressof(ctypes.c_char.from_buffer(self.data))


class BlockReader:
    """Cuts a file into blocks. One thread reads at a time."""

    def __init__(self, file: Readable, size: int = BLOCK) -> None:
        self._file = file
        self._size = size
        self._carry = b""
        self._ended = False
        self._free: list[bytearray] = []
        self._shown = _FIRST  # bytes of the next window
        self.cut = 0  # bytes of a last line that has no end

    def next(self, last_tim: Callable[[], int], window: Window | None = None) -> FilledBlock | None:
        """The next block, None at the end, in the window where it can be. `last_tim` tells whether
        the file's last line, where it has no line end, is whole."""
        if window and not self._carry and (length := self._file.show(window, self._shown)):
            self._shown = max(self._shown, self._size)
            return FilledBlock(window, length)
        passed = 0
        while not self._ended:
            data, filled = self._fill()
            end = data.rfind(b"\n", 0, filled) + 1
            self._carry = bytes(data[end:filled])
            if end:
                return FilledBlock(data, end, passed)
            if not self._ended:
                passed = self._pass_line(filled)
        return self._last(last_tim, passed)

    def read_torn(self, block: FilledBlock) -> FilledBlock:
        """The remaining lines of a block whose window is torn."""
        assert isinstance(block.data, Window)
        data = bytearray(block.length + PADDING)
        filled = self._file.read_torn(block.data, memoryview(data)[: block.length])
        end = data.rfind(b"\n", 0, filled) + 1
        self.cut += filled - end
        return FilledBlock(data, end, block.passed)

    def adapt(self, records: int) -> None:
        """Choose the size of further windows by the number of `records` in a block."""
        if records > _MANY:
            self._shown = max(self._size, self._shown // 2)
        elif records < _FEW:
            self._shown = min(LARGEST, 2 * self._shown)

    def give_back(self, block: FilledBlock) -> None:
        """The block is through: the next one may have its memory."""
        if isinstance(block.data, bytearray) and len(block.data) < 2 * self._size:
            self._free.append(block.data)

    def _fill(self) -> tuple[bytearray, int]:
        """Bytes with a line's end in them, unless the line is too long or the file ends."""
        data = self._free.pop() if self._free else bytearray(self._size + PADDING)
        filled = len(self._carry)
        data += bytes(max(0, filled + self._size + PADDING - len(data)))
        data[:filled] = self._carry
        while True:
            room = len(data) - PADDING
            searched = filled
            filled += self._read(memoryview(data)[filled:room])
            if filled < room and not self._ended:
                continue
            if self._ended or data.find(b"\n", searched, filled) >= 0 or filled > LONGEST_LINE:
                return data, filled
            data += bytes(len(data))

    def _read(self, room: memoryview) -> int:
        try:
            count = self._file.readinto(room)
        except PackedError as error:
            note(f"{self._file.path}: its compressed data is damaged ({error}); read up to there")
            count = 0
        self._ended = count == 0
        return count

    def _pass_line(self, passed: int) -> int:
        """Read to the end of a line that is too long; its bytes in all."""
        self._carry = b""
        data = bytearray(self._size)
        while count := self._read(memoryview(data)):
            end = data.find(b"\n", 0, count) + 1
            if end:
                self._carry = bytes(data[end:count])
                return passed + end
            passed += count
        return passed

    def _last(self, last_tim: Callable[[], int], passed: int) -> FilledBlock | None:
        """The last line, which has no line end."""
        line, self._carry = self._carry, b""
        if line and is_cut(line, last_tim()):
            self.cut += len(line)
            line = b""
        if not line and not passed:
            return None
        data = bytearray(line + b"\n" if line else b"")
        length = len(data)
        return FilledBlock(data + bytes(PADDING), length, passed)


def is_cut(line: bytes, last_tim: int) -> bool:
    """True if a last line without a line end is an incomplete record.

    It is whole where its tim has as many digits as the one before it and is not far from it.
    """
    if not re.match(_RECORD, line):
        return False
    if not last_tim:
        return False
    tim = re.search(_TIM, line)
    return not tim or len(tim[1]) != len(str(last_tim))
