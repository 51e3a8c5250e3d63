# SPDX-License-Identifier: GPL-2.0-or-later
"""The call frame rules of .eh_frame: where a function's caller's registers are, at any address.

The format is the Linux Standard Base's, chapter 10.6, and DWARF's, section 6.4. A program writes
its own: every number is checked, and unknown contents are a ValueError.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

RSP, RETURN = 7, 16
_MOST_INSTRUCTIONS = 4096


@dataclass(slots=True)
class Rules:
    """The caller's stack pointer is register `base` plus `offset`; `saved` registers lie at an
    offset from that. A return address in `ended` is none: the stack ends here."""

    base: int = RSP
    offset: int = 8
    saved: dict[int, int] = field(default_factory=dict)
    ended: bool = False

    def copy(self) -> Rules:
        return Rules(self.base, self.offset, dict(self.saved), self.ended)


class Cursor:
    """Reads numbers from bytes that lie at `address`. Raises ValueError beyond their end."""

    def __init__(self, data: bytes, at: int, end: int, address: int) -> None:
        self._data, self.at, self.end, self._address = data, at, min(end, len(data)), address

    def fixed(self, code: str) -> int:
        size = struct.calcsize(code)
        if self.at + size > self.end:
            raise ValueError("cut short")
        (value,) = struct.unpack_from(f"<{code}", self._data, self.at)
        self.at += size
        return int(value)

    def uleb(self, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.fixed("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value
            if shift > 63:
                raise ValueError("number too long")

    def pointer(self, encoding: int, data_address: int = 0) -> int:
        position = self._address + self.at
        codes = {0: "Q", 2: "H", 3: "I", 4: "Q", 10: "h", 11: "i", 12: "q"}
        if encoding & 0x0F not in codes or encoding & 0x70 not in (0, 0x10, 0x30):
            raise ValueError(f"pointer encoding {encoding:#x}")
        start = {0: 0, 0x10: position, 0x30: data_address}[encoding & 0x70]
        return (self.fixed(codes[encoding & 0x0F]) + start) & (1 << 64) - 1

    def skip(self, count: int) -> None:
        if count < 0 or self.at + count > self.end:
            raise ValueError("cut short")
        self.at += count


@dataclass(frozen=True, slots=True)
class _Common:
    """A common information entry: `code_unit` and `data_unit`, the units of offsets in bytes, the
    pointer `encoding`, `has_length`: its descriptions state the length of their augmentation, and
    where its instructions `start` and `end` in the section."""

    code_unit: int
    data_unit: int
    encoding: int
    has_length: bool
    start: int
    end: int


def rules_at(eh_frame: bytes, address: int, fde: int, pc: int) -> Rules:
    """The rules at `pc` by the description at `fde`, an address in the section at `address`.

    Raises ValueError when it is for other code, or is not understood.
    """
    entry, at = _entry(eh_frame, fde - address, address)
    link = entry.fixed("I")
    common = _common(eh_frame, at - link, address)
    first = entry.pointer(common.encoding)
    if not first <= pc < first + entry.pointer(common.encoding & 0x0F):
        raise ValueError("of another function")
    if common.has_length:
        entry.skip(entry.uleb())
    rules = Rules()
    start = Cursor(eh_frame, common.start, common.end, address)
    _run(start, common, rules, Rules(), range(first, 1 << 63))
    _run(entry, common, rules, rules.copy(), range(first, pc))
    if RETURN not in rules.saved and not rules.ended:
        raise ValueError("no rule for the return address")
    return rules


def _entry(data: bytes, offset: int, address: int) -> tuple[Cursor, int]:
    """A cursor behind an entry's length, and where that is."""
    if offset < 0:
        raise ValueError("outside the section")
    length = Cursor(data, offset, len(data), address).fixed("I")
    if not 4 <= length < 0xFFFFFFF0:
        raise ValueError("no entry")
    return Cursor(data, offset + 4, offset + 4 + length, address), offset + 4


def _common(data: bytes, offset: int, address: int) -> _Common:
    c, _ = _entry(data, offset, address)
    if c.fixed("I") != 0 or c.fixed("B") not in (1, 3):
        raise ValueError("no common entry")
    letters = bytearray()
    while byte := c.fixed("B"):
        letters.append(byte)
    code_unit, data_unit, _return = c.uleb(), c.uleb(signed=True), c.uleb()
    encoding, augmentation_end = 0, c.at
    if letters.startswith(b"z"):
        augmentation_end = c.uleb() + c.at
    elif letters:
        raise ValueError("unknown augmentation")
    for letter in letters[1:].decode(errors="replace"):
        if letter == "R":
            encoding = c.fixed("B")
        elif letter == "P":
            c.pointer(c.fixed("B") & 0x7F)
        elif letter == "L":
            c.skip(1)
        elif letter not in "SB":
            raise ValueError("unknown augmentation")
    return _Common(code_unit, data_unit, encoding, bool(letters), augmentation_end, c.end)


def _run(c: Cursor, by: _Common, rules: Rules, initial: Rules, code: range) -> None:
    """Run the instructions for `code`, from the function's start to the address in question."""
    at = code.start
    saved: list[Rules] = []
    for _ in range(_MOST_INSTRUCTIONS):
        if c.at >= c.end:
            return
        op = c.fixed("B")
        high, low = op & 0xC0, op & 0x3F
        if high == 0x40 or op in (2, 3, 4):
            step = low if high else c.fixed({2: "B", 3: "H", 4: "I"}[op])
            at += step * by.code_unit
            if at > code.stop:
                return
        elif high == 0x80:
            rules.saved[low] = c.uleb() * by.data_unit
        elif high == 0xC0 or op == 6:
            _restore(rules, initial, low if high else c.uleb())
        elif op == 0x0A:
            saved.append(rules.copy())
        elif op == 0x0B and saved:
            old = saved.pop()
            rules.base, rules.offset, rules.saved = old.base, old.offset, old.saved
        else:
            _other(c, op, by, rules)
    raise ValueError("too many instructions")


def _restore(rules: Rules, initial: Rules, register: int) -> None:
    rules.saved.pop(register, None)
    if register in initial.saved:
        rules.saved[register] = initial.saved[register]


def _other(c: Cursor, op: int, by: _Common, rules: Rules) -> None:
    if op == 0x0C:
        rules.base, rules.offset = c.uleb(), c.uleb()
    elif op == 0x0D:
        rules.base = c.uleb()
    elif op == 0x0E:
        rules.offset = c.uleb()
    elif op in (5, 0x11):
        rules.saved[c.uleb()] = c.uleb(signed=op == 0x11) * by.data_unit
    elif op in (7, 8):
        register = c.uleb()
        rules.saved.pop(register, None)
        rules.ended |= op == 7 and register == RETURN
    elif op == 0x2E:
        c.uleb()
    elif op != 0:
        raise ValueError(f"instruction {op:#x}")  # an expression: of a signal's frame, of PLT
