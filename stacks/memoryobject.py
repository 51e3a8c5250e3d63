# SPDX-License-Identifier: GPL-2.0-or-later
"""Objects without a file to open: the vdso, and files that are gone or not ours to open."""

from __future__ import annotations

import os

from polltrace.stacks.addrspace import AddressSpace, Mapping
from polltrace.stacks.dynamic import find_dynamic_symbols
from polltrace.stacks.elf import PT_LOAD, read_elf
from polltrace.stacks.errors import ElfError
from polltrace.stacks.objects import LoadedObject, nameless
from polltrace.stacks.source import read_memory
from polltrace.stacks.symbols import SymbolTable
from polltrace.stacks.tables import dynamic_table, section_tables

VDSO, VSYSCALL = "[vdso]", "[vsyscall]"
LARGEST_IMAGE = 1 << 24

_VSYSCALLS = ("gettimeofday", "time", "getcpu")


def vsyscall_name(address: int) -> str:
    """The call behind an address in the vsyscall page: three slots of 1 KiB each."""
    slot = (address & 0xFFF) >> 10
    return _VSYSCALLS[slot] if slot < len(_VSYSCALLS) else f"[vsyscall+{address & 0xFFF:#x}]"


def load_from_memory(space: AddressSpace, mapping: Mapping) -> LoadedObject:
    """The dynamic symbols of an object as it lies in the process's memory; never raises."""
    if mapping.path == VDSO:
        return _vdso(space, mapping)
    if not mapping.path.startswith("/"):
        return nameless("")
    image = [
        m
        for m in space.mappings
        if (m.device, m.inode, m.path) == (mapping.device, mapping.inode, mapping.path)
    ]
    first = image[0]
    try:
        if first.offset != 0:
            raise ElfError("its headers are not mapped")
        source = read_memory(space.pid, first.start, image[-1].end, LARGEST_IMAGE)
        elf = read_elf(source, with_sections=False)
        lowest = min((s.address & ~0xFFF for s in elf.segments if s.type == PT_LOAD), default=0)
        dynamic_symbols = find_dynamic_symbols(elf, lambda a: _in_image(a, lowest, first.start))
        tables = [] if dynamic_symbols is None else [dynamic_table(elf, dynamic_symbols)]
        return LoadedObject(elf.segments, SymbolTable(tables), "read from memory")
    except ElfError as error:
        return nameless(str(error))


def _in_image(address: int, lowest: int, start: int) -> int:
    """The place in an image that begins at `start` of an address its dynamic section gives.

    glibc's linker has replaced the link-time addresses there by run-time ones, musl's has not.
    """
    return address - start if address >= start else address - lowest


def _vdso(space: AddressSpace, mapping: Mapping) -> LoadedObject:
    """The kernel maps the same vdso into all: ours serves where another's cannot be read."""
    mine = next((m for m in AddressSpace.of(os.getpid()).mappings if m.path == VDSO), None)
    for pid, place in ((space.pid, mapping), (os.getpid(), mine)):
        if place is None:
            continue
        try:
            elf = read_elf(read_memory(pid, place.start, place.end))
            return LoadedObject(elf.segments, SymbolTable(section_tables(elf)))
        except ElfError:
            continue
    return nameless("the vdso cannot be read")
