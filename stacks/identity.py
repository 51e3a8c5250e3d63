# SPDX-License-Identifier: GPL-2.0-or-later
"""An object's own identity and that of its debug file: build-id and debuglink."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from polltrace.stacks.elf import PT_NOTE, SHT_NOTE, Elf
from polltrace.stacks.errors import ElfError

LONGEST_NOTES = 1 << 16
LONGEST_BUILD_ID = 64
NT_GNU_BUILD_ID = 3


@dataclass(frozen=True, slots=True)
class DebugLink:
    """File `name` (never a path) of the separate debug file and the CRC-32, `crc`, of its
    content."""

    name: str
    crc: int


def build_id(elf: Elf) -> bytes:
    """The GNU build-id, b"" where there is none."""
    # Sections first: the segments of a separate debug file point at bytes it does not have.
    places = [(s.offset, s.size) for s in elf.sections if s.type == SHT_NOTE]
    places += [(s.offset, s.file_size) for s in elf.segments if s.type == PT_NOTE]
    for offset, size in places[:64]:
        try:
            identity = _build_id_in(elf.source.read(offset, min(size, LONGEST_NOTES)), elf.order)
        except ElfError:
            continue
        if identity:
            return identity
    return b""


def _build_id_in(notes: bytes, order: str) -> bytes:
    offset = 0
    while offset + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from(f"{order}III", notes, offset)
        name_at, data_at = offset + 12, offset + 12 + (name_size + 3) // 4 * 4
        if kind == NT_GNU_BUILD_ID and notes[name_at : name_at + name_size] == b"GNU\0":
            identity = notes[data_at : data_at + size]
            return identity if len(identity) == size <= LONGEST_BUILD_ID else b""
        offset = data_at + (size + 3) // 4 * 4
    return b""


def debug_link(elf: Elf) -> DebugLink | None:
    """The content of .gnu_debuglink, None where there is none or it names another directory."""
    section = elf.section(".gnu_debuglink")
    if section is None:
        return None
    try:
        data = elf.content(section, 4096)
    except ElfError:
        return None
    name = data.split(b"\0", 1)[0]
    crc_at = len(name) // 4 * 4 + 4
    if not name or b"/" in name or name in (b".", b"..") or crc_at + 4 > len(data):
        return None
    return DebugLink(
        name.decode("utf-8", "surrogateescape"),
        struct.unpack_from(f"{elf.order}I", data, crc_at)[0],
    )
