# SPDX-License-Identifier: GPL-2.0-or-later
"""Loaded objects, shared between the processes that map the same file."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TypeVar
from weakref import WeakKeyDictionary

from polltrace.stacks.addrspace import AddressSpace, Mapping
from polltrace.stacks.elf import read_elf
from polltrace.stacks.errors import ElfError, RefusedError
from polltrace.stacks.identity import build_id
from polltrace.stacks.jitdump import dump_mapping, parse_dump
from polltrace.stacks.jitmap import map_identity, parse_map, read_map
from polltrace.stacks.memoryobject import load_from_memory
from polltrace.stacks.objects import LoadedObject, load_object, nameless, open_mapped
from polltrace.stacks.source import BuildId, FileId, FileSource
from polltrace.stacks.symbols import SymbolTable
from polltrace.stacks.text import printable

MOST_OBJECTS = 512
MOST_MAPS = 16
# Seconds between two readings of a file that grows while its process runs.
RELOAD_S = 1.0

_Key = tuple[str, int, str]
_AnyKey = TypeVar("_AnyKey")


class ObjectStore:
    """Keyed by the identity of a file (FileId) and by the identity that it claims (BuildId).

    Nothing is written to disk: reading the symbols of the largest executables takes a fraction of
    a second, and a cache that root reads and a user may write would be a way to forge names.
    """

    def __init__(self, most_bytes: int) -> None:
        """most_bytes: memory the symbol tables kept may take in all."""
        self._most_bytes = most_bytes
        self._by_file: dict[FileId, LoadedObject] = {}
        self._by_build: dict[BuildId, LoadedObject] = {}
        self._by_mapping: WeakKeyDictionary[AddressSpace, dict[_Key, LoadedObject]]
        self._by_mapping = WeakKeyDictionary()
        self._recent: OrderedDict[LoadedObject, int] = OrderedDict()
        self._run_time_code = RunTimeCode()
        self.problems: dict[str, str] = {}

    def of(self, space: AddressSpace, mapping: Mapping) -> LoadedObject:
        """The object of a mapping; never raises, `problems` has the reasons of failures."""
        if mapping.inode == 0 and not mapping.path and "x" in mapping.permissions:
            return self._run_time_code.of(space)
        loaded = self._by_mapping.setdefault(space, {})
        key = (mapping.device, mapping.inode, mapping.path)
        entry = loaded.get(key)
        if entry is None:
            entry = loaded[key] = self._load(space, mapping)
            if entry.problem and len(self.problems) < MOST_OBJECTS:
                self.problems[printable(mapping.path)] = entry.problem
            self._recent[entry] = entry.table.nbytes
            self._shrink(entry)
        self._recent.move_to_end(entry)
        return entry

    def _load(self, space: AddressSpace, mapping: Mapping) -> LoadedObject:
        if mapping.inode == 0:
            return load_from_memory(space, mapping)
        try:
            source = open_mapped(space.pid, mapping)
        except RefusedError as error:
            # Its memory may lie in a file system that never answers: the file's refusal counts.
            return nameless(str(error))
        except ElfError as error:
            entry = load_from_memory(space, mapping)
            return entry if len(entry.table) else nameless(str(error))
        shared = self._by_file.get(source.id)
        if shared is None:
            shared = self._by_file[source.id] = self._build(source, space.pid, mapping.path)
        return shared

    def _build(self, source: FileSource, pid: int, path: str) -> LoadedObject:
        """The object of a file not seen before: a copy of one that was, or read now."""
        build = _build_of(source)
        if build in self._by_build:
            source.close()
            return self._by_build[build]
        entry = load_object(source, path, (f"/proc/{pid}/root", ""))
        if build is not None and not entry.problem:
            self._by_build[build] = entry
        return entry

    def _shrink(self, newest: LoadedObject) -> None:
        """Let go of the objects used longest ago; they are read again when they are needed."""
        while len(self._recent) > 1 and (
            len(self._recent) > MOST_OBJECTS or sum(self._recent.values()) > self._most_bytes
        ):
            self._recent.move_to_end(newest)
            oldest, _ = self._recent.popitem(last=False)
            _remove(self._by_file, oldest)
            _remove(self._by_build, oldest)
            for loaded in self._by_mapping.values():
                _remove(loaded, oldest)


class RunTimeCode:
    """The functions that processes made at run time, by their map file or else their jitdump file.

    A file is read again once it has changed, not more often than once in RELOAD_S. Of many
    processes with such a file those of MOST_MAPS are kept.
    """

    def __init__(self) -> None:
        self._maps: OrderedDict[int, tuple[float, tuple[int, ...], LoadedObject]] = OrderedDict()

    def of(self, space: AddressSpace) -> LoadedObject:
        """The code of a process; without names where it has neither file."""
        pid, now_s = space.pid, time.monotonic()
        read_s, identity, code = self._maps.get(pid, (-RELOAD_S, (), nameless("")))
        if now_s - read_s >= RELOAD_S:
            newest = map_identity(pid)
            # Of a process that ended the last map counts.
            if newest not in (identity, ()):
                identity, code = _mapped_code(pid)
            elif newest == () and (dump := dump_mapping(space.mappings)) is not None:
                identity, code = _dumped_code(pid, dump, identity, code)
            self._maps[pid] = now_s, identity, code
            while len(self._maps) > MOST_MAPS:
                self._maps.popitem(last=False)
        self._maps.move_to_end(pid)
        return code


def _mapped_code(pid: int) -> tuple[tuple[int, ...], LoadedObject]:
    try:
        data, identity = read_map(pid)
        return identity, LoadedObject((), SymbolTable([parse_map(data)]), absolute=True)
    except ElfError as error:
        return (), nameless(str(error))


def _dumped_code(
    pid: int, dump: Mapping, identity: tuple[int, ...], code: LoadedObject
) -> tuple[tuple[int, ...], LoadedObject]:
    """The code by the process's jitdump file; `code` where the file has not changed."""
    try:
        source = open_mapped(pid, dump)
        try:
            if source.id == identity:
                return identity, code
            return source.id, LoadedObject((), SymbolTable([parse_dump(source)]), absolute=True)
        finally:
            source.close()
    except ElfError as error:
        return identity, code if len(code.table) else nameless(str(error))


def _build_of(source: FileSource) -> BuildId | None:
    """Build-id of a file; None without one, or where others than its owner may have written."""
    if source.written_by_others:
        return None
    try:
        identity = build_id(read_elf(source))
    except ElfError:
        return None
    return BuildId(identity, source.owner, source.size) if identity else None


def _remove(entries: dict[_AnyKey, LoadedObject], removed: LoadedObject) -> None:
    for key in [key for key, entry in entries.items() if entry is removed]:
        del entries[key]
