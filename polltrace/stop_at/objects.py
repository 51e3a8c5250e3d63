# SPDX-License-Identifier: GPL-2.0-or-later
"""The call frame rules of the objects that a process has mapped, found by .eh_frame_hdr."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks import AddressSpace, ElfError, Mapping
from polltrace.stacks.elf import PT_LOAD, Segment, read_elf
from polltrace.stacks.objects import open_mapped
from polltrace.stop_at.callframes import Cursor, Rules, rules_at

_LARGEST = 256 << 20
_MOST_KNOWN = 1 << 14
_SORTED_PAIRS = 0x3B  # two 32-bit numbers relative to the header, as every linker writes


@dataclass(frozen=True, eq=False)
class _Frames:
    """`data` is the .eh_frame of an object with `segments`; it lies at `address`. `starts` are
    functions' addresses as linked, in order; `entries` their descriptions'."""

    segments: tuple[Segment, ...]
    address: int
    data: bytes
    starts: NDArray[np.int64]
    entries: NDArray[np.int64]


class FrameRules:
    """The mapped objects of one process, each file read once. The process may end before."""

    def __init__(self, space: AddressSpace) -> None:
        self._space = space
        self._objects: dict[tuple[str, int, str], _Frames | None] = {}
        self._known: dict[int, Rules | None] = {}

    def read_all(self) -> None:
        """Read every object now, so that no later query has to."""
        for mapping in self._space.mappings:
            if "x" in mapping.permissions:
                self._frames(mapping)

    def at(self, pc: int) -> Rules | None:
        """The rules at an address; None where nothing gives any."""
        if pc not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[pc] = self._at(pc)
        return self._known[pc]

    def _at(self, pc: int) -> Rules | None:
        mapping = self._space.mapping(pc)
        if mapping is None or "x" not in mapping.permissions:
            return None
        frames = self._frames(mapping)
        if frames is None:
            return None
        offset = pc - mapping.start + mapping.offset
        for segment in frames.segments:
            if segment.type == PT_LOAD and 0 <= offset - segment.offset < segment.file_size:
                return _lookup(frames, offset - segment.offset + segment.address)
        return None

    def _frames(self, mapping: Mapping) -> _Frames | None:
        key = (mapping.device, mapping.inode, mapping.path)
        if key not in self._objects:
            self._objects[key] = None
            if mapping.inode:
                with suppress(ElfError, ValueError, OSError):
                    self._objects[key] = _load(self._space.pid, mapping)
        return self._objects[key]

    def is_code(self, pc: int) -> bool:
        mapping = self._space.mapping(pc)
        return mapping is not None and "x" in mapping.permissions


def _load(pid: int, mapping: Mapping) -> _Frames | None:
    elf = read_elf(open_mapped(pid, mapping))
    header, frames = elf.section(".eh_frame_hdr"), elf.section(".eh_frame")
    if header is None or frames is None or (elf.bits, elf.order) != (64, "<"):
        return None
    table = elf.content(header, _LARGEST)
    c = Cursor(table, 0, len(table), header.address)
    version, frame_encoding, count_encoding, encoding = (c.fixed("B") for _ in range(4))
    if version != 1 or encoding != _SORTED_PAIRS:
        return None
    c.pointer(frame_encoding, header.address)
    count = c.pointer(count_encoding, header.address)
    pairs = np.frombuffer(table[c.at : c.at + 8 * count], "<i4").astype(np.int64).reshape(-1, 2)
    pairs += header.address
    data = elf.content(frames, _LARGEST)
    return _Frames(elf.segments, frames.address, data, pairs[:, 0].copy(), pairs[:, 1].copy())


def _lookup(frames: _Frames, pc: int) -> Rules | None:
    index = int(np.searchsorted(frames.starts, pc, "right")) - 1
    if index < 0:
        return None
    try:
        return rules_at(frames.data, frames.address, int(frames.entries[index]), pc)
    except ValueError:
        return None
