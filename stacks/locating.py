# SPDX-License-Identifier: GPL-2.0-or-later
"""A function's place in a file, from its name: the other way round from a symbolizer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from polltrace.stacks.addrspace import AddressSpace, Mapping
from polltrace.stacks.elf import PT_LOAD
from polltrace.stacks.errors import ProcessError, UnansweredError
from polltrace.stacks.function_names import mangled_prefixes
from polltrace.stacks.objects import LoadedObject
from polltrace.stacks.objectstore import ObjectStore
from polltrace.stacks.reading_process import read_within

# Seconds to search all objects of a process.
PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class FunctionPlace:
    """The first instruction of a function: `offset` bytes into the file at `path`.

    `path` leads to the file itself from the host, whatever the process's mount namespace, as long
    as the process lives. Many paths lead to one file: `file` is its device and inode.
    """

    path: str
    offset: int
    file: tuple[str, int]


def locate_function(pid: int, name: str, most_bytes: int = 1 << 29) -> FunctionPlace | None:
    """Where process `pid` has the function `name`; None where nothing it maps has that name.

    The program comes first, its libraries after it. A clone that a compiler made (`name.isra.0`)
    counts where the function itself is not there. Raises ProcessError when the process is gone, not
    ours to read, or does not answer.
    """
    try:
        return read_within(lambda: _search(pid, name, most_bytes), PATIENCE_S)
    except UnansweredError as error:
        raise ProcessError(f"cannot read the symbols of process {pid}: {error}") from None


def has_function(pid: int, names: Sequence[str], most_bytes: int = 1 << 29) -> bool:
    """True if a file that process `pid` maps has one of these functions, by the names of
    function_name(). Raises ProcessError as locate_function() does.
    """
    try:
        return read_within(lambda: _has_any(pid, names, most_bytes), PATIENCE_S)
    except UnansweredError as error:
        raise ProcessError(f"cannot read the symbols of process {pid}: {error}") from None


def _has_any(pid: int, names: Sequence[str], most_bytes: int) -> bool:
    prefixes = [prefix for name in names for prefix in mangled_prefixes(name)]
    for _, loaded in _objects(pid, most_bytes):
        if any(loaded.table.row_named(name) is not None for name in names):
            return True
        if any(loaded.table.has_name_beginning(prefix) for prefix in prefixes):
            return True
    return False


def _search(pid: int, name: str, most_bytes: int) -> FunctionPlace | None:
    for mapping, loaded in _objects(pid, most_bytes):
        offset = _offset(loaded, name)
        if offset is not None:
            return FunctionPlace(_path(pid, mapping), offset, (mapping.device, mapping.inode))
    return None


def _objects(pid: int, most_bytes: int) -> Iterator[tuple[Mapping, LoadedObject]]:
    """The files with code that the process maps, each once, with their symbols."""
    space = AddressSpace.of(pid)
    store = ObjectStore(most_bytes)
    visited: set[tuple[str, int]] = set()
    for mapping in space.mappings:
        if "x" not in mapping.permissions or not mapping.inode:
            continue
        if (mapping.device, mapping.inode) in visited:
            continue
        visited.add((mapping.device, mapping.inode))
        yield mapping, store.of(space, mapping)


def _path(pid: int, mapping: Mapping) -> str:
    program = f"/proc/{pid}/exe"
    with suppress(OSError):
        if Path(program).stat().st_ino == mapping.inode:
            return program
    return f"/proc/{pid}/map_files/{mapping.start:x}-{mapping.end:x}"


def _offset(loaded: LoadedObject, name: str) -> int | None:
    row = loaded.table.row_named(name)
    if row is None:
        return None
    address = int(loaded.table.start[row])
    for segment in loaded.segments:
        if segment.type == PT_LOAD and 0 <= address - segment.address < segment.file_size:
            return address - segment.address + segment.offset
    return None
