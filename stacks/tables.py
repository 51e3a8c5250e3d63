# SPDX-License-Identifier: GPL-2.0-or-later
"""The symbol tables of one object, wherever it keeps them, as arrays of functions."""

from __future__ import annotations

import lzma

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks import elflayout as layout
from polltrace.stacks.dynamic import DynamicSymbols
from polltrace.stacks.elf import (
    PF_X,
    PT_LOAD,
    SHF_EXECINSTR,
    SHT_DYNSYM,
    SHT_SYMTAB,
    Elf,
    Section,
    read_elf,
)
from polltrace.stacks.errors import ElfError
from polltrace.stacks.source import BytesSource
from polltrace.stacks.stringtable import Names
from polltrace.stacks.symbols import RawSymbols

MOST_SYMBOLS = 1 << 21
LARGEST_MINIDEBUG = 1 << 26

_NOTYPE, _FUNC, _IFUNC = 0, 2, 10
_LOCAL, _DEFAULT = 0, 0
_UNDEFINED, _RESERVED, _EXTENDED = 0, 0xFF00, 0xFFFF
_NO_LIMIT = np.uint64(0)


def section_tables(elf: Elf) -> list[RawSymbols]:
    """.symtab and .dynsym, those there are. ElfError when one is malformed."""
    kinds = (SHT_SYMTAB, SHT_DYNSYM)
    return [_from_section(elf, s) for s in elf.sections if s.type in kinds][:4]


def minidebug_tables(elf: Elf) -> list[RawSymbols]:
    """.gnu_debugdata: an xz-compressed ELF with the local functions (RHEL, Oracle Linux)."""
    section = elf.section(".gnu_debugdata")
    if section is None:
        return []
    packed = elf.content(section, LARGEST_MINIDEBUG)
    try:
        xz = lzma.LZMADecompressor(memlimit=LARGEST_MINIDEBUG)
        data = xz.decompress(packed, max_length=LARGEST_MINIDEBUG)
    except lzma.LZMAError as error:
        raise ElfError(f"mini debug info: {error}") from error
    return section_tables(read_elf(BytesSource(data)))


def dynamic_table(elf: Elf, dynamic_symbols: DynamicSymbols) -> RawSymbols:
    """The symbols that PT_DYNAMIC leads to; sections are unknown, so segments bound them."""
    names = Names(elf.source, dynamic_symbols.names_at, dynamic_symbols.names_size)
    return _functions(elf, _entries(elf, dynamic_symbols.symbols_at, dynamic_symbols.count), names)


def has_full_table(elf: Elf) -> bool:
    """Whether the object still has its own .symtab (not stripped)."""
    return any(s.type == SHT_SYMTAB for s in elf.sections)


def _from_section(elf: Elf, section: Section) -> RawSymbols:
    return _functions(elf, symbol_entries(elf, section), symbol_names(elf, section))


def symbol_entries(elf: Elf, section: Section) -> NDArray[np.void]:
    """The rows of a symbol section, as elflayout.symbol has them."""
    return _entries(
        elf, section.offset, section.size // layout.symbol(elf.bits, elf.order).itemsize
    )


def symbol_names(elf: Elf, section: Section) -> Names:
    """The string table that belongs to a symbol section. ElfError when it does not exist."""
    if not 0 < section.link < len(elf.sections):
        raise ElfError(f"{section.name} names string table {section.link}, which does not exist")
    strings = elf.sections[section.link]
    return Names(elf.source, strings.offset, strings.size)


def _entries(elf: Elf, offset: int, count: int) -> NDArray[np.void]:
    if count > MOST_SYMBOLS:
        raise ElfError(f"{count} symbols, more than {MOST_SYMBOLS}")
    kind = layout.symbol(elf.bits, elf.order)
    return np.frombuffer(elf.source.read(offset, count * kind.itemsize), kind)


def _functions(elf: Elf, entries: NDArray[np.void], names: Names) -> RawSymbols:
    kind, binding = entries["info"] & 0xF, entries["info"] >> 4
    index = entries["section"]
    defined = (index != _UNDEFINED) & ((index < _RESERVED) | (index == _EXTENDED))
    function = (kind == _FUNC) | (kind == _IFUNC)
    limit = _limits(elf, entries)
    # Assembler code often leaves the type out; a limit means the place is executable.
    label = (kind == _NOTYPE) & (limit != _NO_LIMIT)
    chosen = defined & (function | label) & (entries["value"] != 0) & (entries["name"] != 0)
    entries, limit = entries[chosen], limit[chosen]
    exported = (binding[chosen] != _LOCAL) & ((entries["other"] & 3) == _DEFAULT)
    start = entries["value"].astype(np.uint64)
    size = entries["size"].astype(np.uint64)
    end = np.where(size > np.iinfo(np.uint64).max - start, start, start + size)
    rank = np.where(exported, 0, 1) + np.where(label[chosen], 2, 0)
    return RawSymbols(
        names, start, end, limit, entries["name"].astype(np.uint32), rank.astype(np.uint8)
    )


def _limits(elf: Elf, entries: NDArray[np.void]) -> NDArray[np.uint64]:
    """For each symbol the end of the executable section or segment it lies in, else 0."""
    value = entries["value"].astype(np.uint64)
    if elf.sections:
        spans = [
            (s.address, s.address + s.size) if s.flags & SHF_EXECINSTR else (0, 0)
            for s in elf.sections
        ]
        low, high = _columns(spans)
        index = np.minimum(entries["section"].astype(np.int64), len(spans) - 1)
        inside = (low[index] <= value) & (value < high[index])
        return np.where(inside, high[index], _NO_LIMIT)
    limit = np.zeros(len(value), np.uint64)
    for s in elf.segments:
        if s.type == PT_LOAD and s.flags & PF_X:
            (low,), (high,) = _columns([(s.address, s.address + s.memory_size)])
            limit[(low <= value) & (value < high)] = high
    return limit


def _columns(spans: list[tuple[int, int]]) -> NDArray[np.uint64]:
    largest = (1 << 64) - 1
    return np.array([[min(n, largest) for n in span] for span in spans], np.uint64).T
