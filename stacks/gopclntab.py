# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions of a stripped Go program: `.gopclntab`, which the Go runtime itself needs.

Go 1.18 and later; the layout is that of `pcHeader` and `_func` in runtime/symtab.go.
"""

from __future__ import annotations

import numpy as np

from polltrace.stacks.elf import Elf
from polltrace.stacks.errors import ElfError
from polltrace.stacks.stringtable import Names
from polltrace.stacks.symbols import RawSymbols

MOST_FUNCTIONS = 1 << 21
LARGEST_TABLE = 1 << 28
_GO_1_18, _GO_1_20 = 0xFFFFFFF0, 0xFFFFFFF1


def go_table(elf: Elf) -> list[RawSymbols]:
    """The functions of a Go program; none for other programs and other releases of Go."""
    section = elf.section(".gopclntab") or elf.section(".data.rel.ro.gopclntab")
    if section is None or elf.bits != 64:
        return []
    header = np.frombuffer(elf.source.read(section.offset, 72), f"{elf.order}u4")
    if int(header[0]) not in (_GO_1_18, _GO_1_20):
        return []
    count, _, text, names_at, _, _, _, table_at = (
        int(word) for word in np.frombuffer(header[2:].tobytes(), f"{elf.order}u8")
    )
    text = text or next((s.address for s in elf.sections if s.name == ".text"), 0)
    if (
        count > MOST_FUNCTIONS
        or section.size > LARGEST_TABLE
        or max(names_at, table_at) >= section.size
    ):
        raise ElfError("malformed table of Go's functions")
    pairs = np.frombuffer(
        elf.source.read(section.offset + table_at, 8 * count + 4), f"{elf.order}u4"
    )
    # One row more than there are functions: the end of the last, and half a row.
    entry, record = pairs[0::2].astype(np.uint64), np.append(pairs[1::2], 0).astype(np.int64)
    records = np.frombuffer(
        elf.source.read(section.offset + table_at, section.size - table_at), np.uint8
    )
    if count and int(record[:-1].max()) + 8 > len(records):
        raise ElfError("malformed table of Go's functions")
    # The name's offset is the second field of a record.
    name = records[record[:-1, None] + np.arange(4, 8)].copy().view(f"{elf.order}u4").ravel()
    return [
        RawSymbols(
            Names(elf.source, section.offset + names_at, section.size - names_at),
            entry[:-1] + np.uint64(text),
            entry[1:] + np.uint64(text),
            entry[1:] + np.uint64(text),
            name.astype(np.uint32),
            np.full(count, 1, np.uint8),
        )
    ]
