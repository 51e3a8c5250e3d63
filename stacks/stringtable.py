# SPDX-License-Identifier: GPL-2.0-or-later
"""The names of symbols, read from their file on first use."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.errors import ElfError
from polltrace.stacks.source import ByteSource, BytesSource
from polltrace.stacks.text import LONGEST

LONGEST_NAME = 2048
LARGEST_LOADED = 1 << 27

_PLAIN, _END, _ODD = 0, 1, 2
_KIND = np.full(256, _ODD, np.uint8)
_KIND[0x21:0x7F] = _PLAIN
_KIND[ord("@")] = _ODD
_KIND[0] = _END
_MARKS = np.zeros(256, bool)
_MARKS[[ord("."), ord("$")]] = True


@dataclass(frozen=True, slots=True)
class Names:
    """A string table: `size` bytes at `offset` of the source."""

    source: ByteSource
    offset: int
    size: int

    @property
    def nbytes(self) -> int:
        """Memory it takes: none, unless its source is a buffer."""
        return self.source.size if isinstance(self.source, BytesSource) else 0

    def at(self, index: int) -> bytes:
        """The name at `index`, cut at LONGEST_NAME; b"" outside of the table or the file."""
        length = min(self.size - index, self.source.size - self.offset - index, LONGEST_NAME)
        if index < 0 or length <= 0:
            return b""
        try:
            return self.source.read(self.offset + index, length).partition(b"\0")[0]
        except ElfError:
            return b""

    def places(self, prefix: bytes) -> NDArray[np.int64]:
        """The indexes of all names that begin with `prefix`, followed by an end, `.` or `@`.

        A name may begin inside another, so every occurrence counts. Empty for a table larger than
        LARGEST_LOADED.
        """
        length = min(self.size, self.source.size - self.offset)
        if not 0 < length <= LARGEST_LOADED:
            return np.empty(0, np.int64)
        try:
            data = self.source.read(self.offset, length)
        except ElfError:
            return np.empty(0, np.int64)
        pattern = re.compile(re.escape(prefix) + rb"(?=[\0.@])")
        return np.fromiter((match.start() for match in pattern.finditer(data)), np.int64)

    def has_beginning(self, prefix: bytes) -> bool:
        """True if a name begins with `prefix`; False for a table larger than LARGEST_LOADED."""
        length = min(self.size, self.source.size - self.offset)
        if not 0 < length <= LARGEST_LOADED:
            return False
        try:
            return b"\0" + prefix in self.source.read(self.offset, length)
        except ElfError:
            return False

    def ordinary(self, indexes: NDArray[np.uint32]) -> list[str]:
        """The names at many indexes, as far as they are ordinary: ASCII, visible, without `@`.

        "" stands for one that is not, or is too long, or begins like an assembler's mark: these
        must be read one by one. Reads the whole table at once, so worth it for thousands.
        """
        length = min(self.size, self.source.size - self.offset)
        if not 0 < length <= LARGEST_LOADED:
            return [""] * len(indexes)
        try:
            data = self.source.read(self.offset, length)
        except ElfError:
            return [""] * len(indexes)
        kinds = _KIND[np.frombuffer(data, np.uint8)]
        ends = np.append(np.flatnonzero(kinds == _END), length)
        odd = np.append(np.flatnonzero(kinds == _ODD), length)
        begin = np.minimum(indexes.astype(np.int64), length)
        end = ends[np.searchsorted(ends, begin)]
        marked = _MARKS[np.frombuffer(data, np.uint8)[np.minimum(begin, length - 1)]]
        good = (odd[np.searchsorted(odd, begin)] >= end) & (end - begin <= LONGEST) & ~marked
        end = np.where(good, end, begin)
        text = data.decode("latin-1")
        return [text[b:e] for b, e in zip(begin.tolist(), end.tolist(), strict=True)]
