# SPDX-License-Identifier: GPL-2.0-or-later
"""The object behind a mapping: found without trusting its path, opened, its symbols loaded."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.addrspace import Mapping
from polltrace.stacks.debugfile import find_debug_file
from polltrace.stacks.dynamic import file_offset, find_dynamic_symbols
from polltrace.stacks.elf import PT_LOAD, Elf, Segment, read_elf
from polltrace.stacks.errors import ElfError, RefusedError
from polltrace.stacks.gopclntab import go_table
from polltrace.stacks.plt import stub_table
from polltrace.stacks.source import ByteSource, FileSource
from polltrace.stacks.symbols import RawSymbols, SymbolTable
from polltrace.stacks.tables import dynamic_table, has_full_table, minidebug_tables, section_tables

_MOST = (1 << 64) - 1


@dataclass(frozen=True, eq=False)
class LoadedObject:
    """An object's functions, `table`, and how `segments` lay its file out in memory.

    problem: why there are no or fewer names, "" when all is well. absolute: its addresses are the
    process's own, as of code that was made at run time.
    """

    segments: tuple[Segment, ...]
    table: SymbolTable
    problem: str = ""
    absolute: bool = False

    def virtual(self, offsets: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The virtual addresses of file offsets; the offset itself where no segment holds it."""
        result = offsets.copy()
        # The kernel maps whole pages, so code may lie in the rest of one, around its segment;
        # a segment that holds the offset itself comes later and counts.
        for slack in (0xFFF, 0):
            for s in self.segments:
                if s.type == PT_LOAD:
                    first, last = s.offset & ~slack, s.offset + s.file_size + slack
                    inside = (offsets >= min(first, _MOST)) & (offsets < min(last, _MOST))
                    result[inside] = offsets[inside] + np.uint64((s.address - s.offset) & _MOST)
        return result


def nameless(problem: str) -> LoadedObject:
    """An object of which nothing could be read."""
    return LoadedObject((), SymbolTable(()), problem)


def open_mapped(pid: int, mapping: Mapping) -> FileSource:
    """The very file that is mapped. ElfError with the reason when it cannot be had: RefusedError
    where a file is there and may not be read.

    map_files and exe lead to the file itself, even deleted or replaced; a path leads to whatever
    lies there now, so there the inode must be the mapped one.
    """
    problem, refused = "file not found", False
    for path, trust in _candidates(pid, mapping):
        try:
            source = FileSource(path)
        except (OSError, ValueError) as error:
            if isinstance(error, PermissionError):
                problem = "not permitted to open the file"
            refused = refused or _refuses(error, trust)
            continue
        except ElfError as error:
            problem, refused = str(error), True
            continue
        if _is_mapped(source, mapping, trust):
            return source
        source.close()
        if trust is not Trust.INODE:
            problem = "file was replaced since it was mapped"
    problem = f"{problem} (deleted)" if mapping.deleted else problem
    raise RefusedError(problem) if refused else ElfError(problem)


def _refuses(error: OSError | ValueError, trust: Trust) -> bool:
    """Whether opening failed although the file is there. EPERM in map_files, whose files need no
    more trust, is for want of a capability."""
    if isinstance(error, FileNotFoundError | NotADirectoryError | ProcessLookupError | ValueError):
        return False
    return not (trust is Trust.NOTHING and error.errno == errno.EPERM)


class Trust(Enum):
    """The properties that a candidate must share with the mapping to be its file."""

    NOTHING = 0
    INODE = 1
    INODE_AND_DEVICE = 2


def _candidates(pid: int, mapping: Mapping) -> Iterator[tuple[str, Trust]]:
    yield f"/proc/{pid}/map_files/{mapping.start:x}-{mapping.end:x}", Trust.NOTHING
    yield f"/proc/{pid}/exe", Trust.INODE
    if not mapping.deleted and mapping.path.startswith("/"):
        # In a mount namespace of its own maps has the path from there, after chroot from here;
        # from here also works for a process that ended.
        yield f"/proc/{pid}/root{mapping.path}", Trust.INODE
        yield mapping.path, Trust.INODE_AND_DEVICE


def _is_mapped(source: FileSource, mapping: Mapping, trust: Trust) -> bool:
    if trust is Trust.NOTHING:
        return True
    major, minor = (int(part, 16) for part in mapping.device.split(":"))
    same_device = os.makedev(major, minor) == source.id.device
    if trust is Trust.INODE:  # btrfs and overlayfs show a device in maps that stat(2) does not
        same_device = same_device or major == 0
    return source.id.inode == mapping.inode and same_device


def load_object(source: ByteSource, path: str, roots: tuple[str, ...]) -> LoadedObject:
    """Segments and symbols of an open object; never raises, `problem` has the reason of a failure.

    path, roots: where to look for a separate debug file, see find_debug_file.
    """
    try:
        elf = read_elf(source)
    except ElfError as error:
        return nameless(str(error))
    problems: list[str] = []
    tables: list[RawSymbols] = []
    for load in (
        section_tables,
        stub_table,
        _sectionless,
        _mini,
        _go,
        lambda e: _separate(e, path, roots),
    ):
        try:
            tables += load(elf)
        except ElfError as error:
            problems.append(str(error))
    table = SymbolTable(tables)
    if not len(table):
        problems.append("no symbols")
    return LoadedObject(elf.segments, table, "; ".join(problems))


def _sectionless(elf: Elf) -> list[RawSymbols]:
    if elf.sections:
        return []
    result = find_dynamic_symbols(elf, lambda address: file_offset(elf, address))
    return [] if result is None else [dynamic_table(elf, result)]


def _mini(elf: Elf) -> list[RawSymbols]:
    return [] if has_full_table(elf) else minidebug_tables(elf)


def _go(elf: Elf) -> list[RawSymbols]:
    return [] if has_full_table(elf) else go_table(elf)


def _separate(elf: Elf, path: str, roots: tuple[str, ...]) -> list[RawSymbols]:
    result = None if has_full_table(elf) else find_debug_file(elf, path, roots)
    return [] if result is None else section_tables(result)
