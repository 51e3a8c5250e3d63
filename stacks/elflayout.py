# SPDX-License-Identifier: GPL-2.0-or-later
"""The records of an ELF file as numpy types, from the field lists of the System V ABI."""

from __future__ import annotations

import numpy as np

# name:bytes, W standing for a word of the file's class.
_HEADER = (
    "ident0:8 ident1:8 type:2 machine:2 version:4 entry:W phoff:W shoff:W flags:4"
    " ehsize:2 phentsize:2 phnum:2 shentsize:2 shnum:2 shstrndx:2"
)
_SECTION = "name:4 type:4 flags:W addr:W offset:W size:W link:4 info:4 addralign:W entsize:W"
# The classes differ in where the flags of a segment and the size of a symbol stand.
_SEGMENT = {
    32: "type:4 offset:4 vaddr:4 paddr:4 filesz:4 memsz:4 flags:4 align:4",
    64: "type:4 flags:4 offset:8 vaddr:8 paddr:8 filesz:8 memsz:8 align:8",
}
_SYMBOL = {
    32: "name:4 value:4 size:4 info:1 other:1 section:2",
    64: "name:4 info:1 other:1 section:2 value:8 size:8",
}


def header(bits: int, order: str) -> np.dtype[np.void]:
    """The file header; order is "<" or ">"."""
    return _record(_HEADER, bits, order)


def section(bits: int, order: str) -> np.dtype[np.void]:
    return _record(_SECTION, bits, order)


def segment(bits: int, order: str) -> np.dtype[np.void]:
    return _record(_SEGMENT[bits], bits, order)


def symbol(bits: int, order: str) -> np.dtype[np.void]:
    return _record(_SYMBOL[bits], bits, order)


def _record(fields: str, bits: int, order: str) -> np.dtype[np.void]:
    pairs = (field.split(":") for field in fields.split())
    return np.dtype([(n, f"{order}u{bits // 8 if w == 'W' else w}") for n, w in pairs])
