# SPDX-License-Identifier: GPL-2.0-or-later
"""The names of symbols, left in their file until somebody asks."""

from __future__ import annotations

from dataclasses import dataclass

from stacks.errors import ElfError
from stacks.source import ByteSource, BytesSource

LONGEST_NAME = 2048
LARGEST_LOADED = 1 << 28


@dataclass(frozen=True, slots=True)
class Names:
    """A string table: `size` bytes at `offset` of the source."""

    source: ByteSource
    offset: int
    size: int

    def at(self, index: int) -> bytes:
        """The name at `index`, cut at LONGEST_NAME; b"" outside of the table or the file."""
        length = min(self.size - index, self.source.size - self.offset - index, LONGEST_NAME)
        if index < 0 or length <= 0:
            return b""
        try:
            return self.source.read(self.offset + index, length).partition(b"\0")[0]
        except ElfError:
            return b""

    def loaded(self) -> Names:
        """The same names in memory, for reading many; unchanged where that would be too much."""
        length = min(self.size, self.source.size - self.offset)
        if not 0 < length <= LARGEST_LOADED:
            return self
        try:
            return Names(BytesSource(self.source.read(self.offset, length)), 0, length)
        except ElfError:
            return self
