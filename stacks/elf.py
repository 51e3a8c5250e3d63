# SPDX-License-Identifier: GPL-2.0-or-later
"""The headers of an ELF object: classes 32 and 64, both byte orders, every offset checked.

Anyone can run a malformed program on the host this reads as root, so every count is capped and
every table is read through ByteSource, which refuses ranges outside the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polltrace.stacks import elflayout as layout
from polltrace.stacks.errors import ElfError
from polltrace.stacks.source import ByteSource

MOST_SECTIONS = 1 << 16
MOST_SEGMENTS = 1 << 12
LONGEST_SECTION_NAMES = 1 << 20

PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
SHT_SYMTAB, SHT_RELA, SHT_NOTE, SHT_NOBITS, SHT_DYNSYM = 2, 4, 7, 8, 11
SHF_EXECINSTR, SHF_COMPRESSED = 0x4, 0x800
PF_X = 1
X86_64 = 62


@dataclass(frozen=True, slots=True)
class Section:
    """A section header: `type` (SHT_*) and `flags` (SHF_*) as in elf(5), `name` as text, `address`
    as linked, `offset` and `size` in bytes of the file; `link` is the index of the section that it
    refers to."""

    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A program header: `type` (PT_*) and `flags` (PF_*) as in elf(5); `file_size` bytes from
    `offset` on in the file, which take `memory_size` bytes at `address`, as linked."""

    type: int
    flags: int
    offset: int
    address: int
    file_size: int
    memory_size: int


@dataclass(frozen=True, slots=True)
class Elf:
    """The headers, `sections` and `segments`; `source` still holds the bytes. `order` is "<" or
    ">", `bits` 32 or 64, `machine` ELF's number of the processor."""

    source: ByteSource
    bits: int
    order: str
    machine: int
    sections: tuple[Section, ...]
    segments: tuple[Segment, ...]

    def section(self, name: str) -> Section | None:
        return next((s for s in self.sections if s.name == name), None)

    def content(self, section: Section, limit: int) -> bytes:
        """The bytes of a section; ElfError when there are more than `limit`."""
        if section.type == SHT_NOBITS or section.flags & SHF_COMPRESSED:
            raise ElfError(f"section {section.name} holds no plain bytes")
        if section.size > limit:
            raise ElfError(f"section {section.name} is {section.size} bytes, more than {limit}")
        return self.source.read(section.offset, section.size)


def read_elf(source: ByteSource, with_sections: bool = True) -> Elf:
    """Parse the headers of `source`. ElfError when they do not hold together.

    with_sections: False for an image in memory, which lacks the section headers.
    """
    if source.size < 52:
        raise ElfError("too short for an ELF header")
    ident = source.read(0, 16)
    if ident[:4] != b"\x7fELF":
        raise ElfError("not an ELF file")
    if ident[4] not in (1, 2) or ident[5] not in (1, 2):
        raise ElfError(f"unknown ELF class {ident[4]} or byte order {ident[5]}")
    bits, order = 32 * ident[4], "<" if ident[5] == 1 else ">"
    kind = layout.header(bits, order)
    head = np.frombuffer(source.read(0, kind.itemsize), kind)[0]
    segments = _segments(source, head, bits, order)
    sections = _sections(source, head, bits, order) if with_sections else ()
    return Elf(source, bits, order, int(head["machine"]), sections, segments)


def _segments(source: ByteSource, head: np.void, bits: int, order: str) -> tuple[Segment, ...]:
    count = int(head["phnum"])
    if count > MOST_SEGMENTS:
        raise ElfError(f"{count} program headers")
    kind = layout.segment(bits, order)
    rows = _table(source, int(head["phoff"]), count, int(head["phentsize"]), kind)
    fields = ("type", "flags", "offset", "vaddr", "filesz", "memsz")
    return tuple(Segment(*(int(row[f]) for f in fields)) for row in rows)


def _sections(source: ByteSource, head: np.void, bits: int, order: str) -> tuple[Section, ...]:
    offset, count, names = int(head["shoff"]), int(head["shnum"]), int(head["shstrndx"])
    if offset == 0:
        return ()
    size, kind = int(head["shentsize"]), layout.section(bits, order)
    if count == 0 or names == 0xFFFF:  # more sections than the header can hold: see the first one
        first = _table(source, offset, 1, size, kind)[0]
        count = count or int(first["size"])
        names = int(first["link"]) if names == 0xFFFF else names
    if count > MOST_SECTIONS:
        raise ElfError(f"{count} sections")
    rows = _table(source, offset, count, size, kind)
    text = b""
    if 0 < names < count and int(rows[names]["type"]) != SHT_NOBITS:
        length = min(int(rows[names]["size"]), LONGEST_SECTION_NAMES)
        text = source.read(int(rows[names]["offset"]), length)
    fields = ("type", "flags", "addr", "offset", "size", "link")
    return tuple(
        Section(_name(text, int(row["name"])), *(int(row[f]) for f in fields)) for row in rows
    )


def _table(
    source: ByteSource, offset: int, count: int, size: int, kind: np.dtype[np.void]
) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    if count and size != kind.itemsize:
        raise ElfError(f"header entries of {size} bytes instead of {kind.itemsize}")
    return np.frombuffer(source.read(offset, count * kind.itemsize), kind)


def _name(text: bytes, offset: int) -> str:
    return text[offset : offset + 64].split(b"\0", 1)[0].decode("ascii", "replace")
