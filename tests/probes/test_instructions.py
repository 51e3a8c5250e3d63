# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs consist of instructions that the oldest kernels take.

clang has no option for that: with any -mcpu it turns some additions into the atomic instructions
that came with Linux 5.12, and an older kernel refuses the whole program, for no reason that its
log names.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from polltrace.stacks.elf import SHF_EXECINSTR, read_elf
from polltrace.stacks.source import BytesSource
from tests.conftest import ROOT

OBJECT = ROOT / "probes" / "build" / "polltrace.bpf.o"
MOST = 1 << 24

# linux/bpf.h: the class of an instruction, and whole codes.
CLASS, JMP32 = 0x07, 0x06
ATOMIC = {0xC3, 0xDB}  # of 32 and of 64 bits; `imm` is 0 where it only adds
LOAD_64 = 0x18  # takes two instructions' room


def instructions() -> Iterator[tuple[str, int, int, int]]:
    """Section, number in it, code, and `imm` of each instruction of the object."""
    elf = read_elf(BytesSource(OBJECT.read_bytes()))
    for section in elf.sections:
        if not section.flags & SHF_EXECINSTR:
            continue
        rows = list(struct.iter_unpack("<BBhi", elf.content(section, MOST)))
        number = 0
        while number < len(rows):
            code, _, _, imm = rows[number]
            yield section.name, number, code, imm
            number += 2 if code == LOAD_64 else 1


def test_no_instruction_is_newer_than_linux_4_14() -> None:
    found = list(instructions())
    assert len(found) > 10_000
    atomics = [each for each in found if each[2] in ATOMIC]
    assert atomics
    assert [each for each in atomics if each[3]] == []
    assert [each for each in found if each[2] & CLASS == JMP32] == []
