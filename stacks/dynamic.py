# SPDX-License-Identifier: GPL-2.0-or-later
"""The dynamic symbols of an object that has no section headers: by PT_DYNAMIC alone.

`sstrip` leaves no more of a file, and an object that is read out of a process's memory has no more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polltrace.stacks.elf import PT_DYNAMIC, PT_LOAD, Elf
from polltrace.stacks.errors import ElfError

DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_GNU_HASH = 4, 5, 6, 10, 0x6FFFFEF5
MOST_ENTRIES = 4096
MOST_BUCKETS = 1 << 22


@dataclass(frozen=True, slots=True)
class DynamicSymbols:
    """Where the symbols, `count` of them, lie from `symbols_at` on, and their names, `names_size`
    bytes from `names_at` on: offsets into the source."""

    symbols_at: int
    count: int
    names_at: int
    names_size: int


def find_dynamic_symbols(elf: Elf, place: Callable[[int], int]) -> DynamicSymbols | None:
    """Locate the dynamic symbols. None where there are none; ElfError where they are malformed.

    place: from an address as the dynamic section has it to an offset in the source.
    """
    segment = next((s for s in elf.segments if s.type == PT_DYNAMIC), None)
    if segment is None:
        return None
    word = elf.bits // 8
    size = min(segment.memory_size, 2 * word * MOST_ENTRIES) // (2 * word) * (2 * word)
    data = elf.source.read(place(segment.address), size)
    rows = np.frombuffer(data, f"{elf.order}u{word}").reshape(-1, 2)
    tags = {int(tag): int(value) for tag, value in reversed(rows.tolist())}
    if DT_SYMTAB not in tags or DT_STRTAB not in tags:
        return None
    if DT_HASH in tags:
        count = _u32(elf, place(tags[DT_HASH]) + 4, 1)[0]
    elif DT_GNU_HASH in tags:
        count = _gnu_hash_count(elf, place(tags[DT_GNU_HASH]))
    else:
        return None
    return DynamicSymbols(
        place(tags[DT_SYMTAB]), int(count), place(tags[DT_STRTAB]), tags.get(DT_STRSZ, 0)
    )


def file_offset(elf: Elf, address: int) -> int:
    """The file offset of a virtual address. ElfError when no loaded segment holds it."""
    for s in elf.segments:
        if s.type == PT_LOAD and s.address <= address < s.address + s.file_size:
            return address - s.address + s.offset
    raise ElfError(f"address {address:#x} lies in no segment")


def _gnu_hash_count(elf: Elf, address: int) -> int:
    """Symbols counted through the GNU hash: the last chain ends with the last symbol."""
    buckets, first, bloom, _ = (int(n) for n in _u32(elf, address, 4))
    if buckets > MOST_BUCKETS or bloom > MOST_BUCKETS:
        raise ElfError("GNU hash table too large")
    buckets_at = address + 16 + bloom * (elf.bits // 8)
    last = int(_u32(elf, buckets_at, buckets).max(initial=0))
    if last < first:
        return first
    chains_at = buckets_at + 4 * buckets
    for index in range(last, last + MOST_ENTRIES):
        if _u32(elf, chains_at + 4 * (index - first), 1)[0] & 1:
            return index + 1
    raise ElfError("GNU hash chain without an end")


def _u32(elf: Elf, address: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.frombuffer(elf.source.read(address, 4 * count), f"{elf.order}u4")
