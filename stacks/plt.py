# SPDX-License-Identifier: GPL-2.0-or-later
"""Names for the stubs of the procedure linkage table: `poll@plt`.

A sample may fall between a call and the function it is meant for. No symbol covers these few
bytes; they are named by the slot of the offset table that the stub jumps through.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.elf import SHT_DYNSYM, SHT_RELA, X86_64, Elf, Section
from polltrace.stacks.source import BytesSource
from polltrace.stacks.stringtable import Names
from polltrace.stacks.symbols import RawSymbols
from polltrace.stacks.tables import symbol_entries, symbol_names

MOST_RELOCATIONS = 1 << 20
LARGEST_STUBS = 1 << 24
RELOCATION = np.dtype([("offset", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])
_GLOB_DAT, _JUMP_SLOT = 6, 7
_STUBS = {".plt": 16, ".plt.sec": 16, ".plt.got": 8}


def stub_table(elf: Elf) -> list[RawSymbols]:
    """The stubs of an x86-64 object as functions, none for other machines.

    ElfError when the tables that lead to them are malformed.
    """
    dynsym = next((s for s in elf.sections if s.type == SHT_DYNSYM), None)
    if elf.machine != X86_64 or elf.bits != 64 or dynsym is None:
        return []
    slot, symbol = _slots(elf)
    starts, sizes, symbols = [], [], []
    for section in elf.sections:
        size = _STUBS.get(section.name)
        if size is not None and len(slot):
            position, target = _jumps(elf, section)
            slot_index = np.minimum(np.searchsorted(slot, target), len(slot) - 1)
            hit = slot[slot_index] == target
            starts.append(np.uint64(section.address) + position[hit] // size * size)
            sizes.append(np.full(int(hit.sum()), size, np.uint64))
            symbols.append(symbol[slot_index[hit]])
    if not starts:
        return []
    return [_functions(elf, dynsym, *(np.concatenate(c) for c in (starts, sizes, symbols)))]


def _slots(elf: Elf) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Addresses of the offset table's slots, sorted, and the dynamic symbol each stands for."""
    tables = []
    for section in elf.sections:
        if section.type == SHT_RELA:
            data = elf.content(section, RELOCATION.itemsize * MOST_RELOCATIONS)
            whole_size = len(data) // RELOCATION.itemsize * RELOCATION.itemsize
            tables.append(np.frombuffer(data[:whole_size], RELOCATION))
    rows = np.concatenate(tables) if tables else np.empty(0, RELOCATION)
    rows = rows[np.isin(rows["type"], (_GLOB_DAT, _JUMP_SLOT))]
    rows = rows[np.argsort(rows["offset"], kind="stable")]
    return rows["offset"].astype(np.uint64), rows["symbol"].astype(np.uint64)


def _jumps(elf: Elf, section: Section) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Where in the section `jmp *slot(%rip)` stands, and the address of the slot."""
    code = np.frombuffer(elf.content(section, LARGEST_STUBS), np.uint8)
    position = np.flatnonzero((code[:-5] == 0xFF) & (code[1:-4] == 0x25)).astype(np.uint64)
    distance = np.zeros(len(position), np.int64)
    for i in range(4):
        distance |= code[position + np.uint64(2 + i)].astype(np.int64) << (8 * i)
    distance -= (distance >> 31) << 32  # 32 bits, signed
    behind = np.uint64(section.address) + position + np.uint64(6)
    return position, behind + distance.astype(np.uint64)


def _functions(
    elf: Elf,
    dynsym: Section,
    start: NDArray[np.uint64],
    size: NDArray[np.uint64],
    symbol: NDArray[np.uint64],
) -> RawSymbols:
    entries = symbol_entries(elf, dynsym)
    names = symbol_names(elf, dynsym)
    good = symbol < len(entries)
    start, size, symbol = start[good], size[good], symbol[good]
    texts = [names.at(int(n)) for n in entries["name"][symbol]]
    stubs = [(text.partition(b"@")[0] + b"@plt\0") if text else b"\0" for text in texts]
    lengths = np.array([len(stub) for stub in stubs], np.int64)
    table = b"".join(stubs)
    return RawSymbols(
        Names(BytesSource(table), 0, len(table)),
        start,
        start + size,
        start + size,
        (np.cumsum(lengths) - lengths).astype(np.uint32),
        np.zeros(len(start), np.uint8),
    )
