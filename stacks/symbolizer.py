# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses of live processes to frames; objects are shared between processes and kept."""

from __future__ import annotations

import posixpath
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from stacks.addrspace import AddressSpace, Mapping
from stacks.errors import ElfError, ProcessError
from stacks.frame import Frame
from stacks.kallsyms import KernelSymbols
from stacks.memoryobject import VSYSCALL, load_from_memory, vsyscall_name
from stacks.objects import LoadedObject, load_object, nameless, open_mapped
from stacks.source import FileId
from stacks.text import printable

MOST_OBJECTS = 512
MOST_FRAMES = 1 << 18
TRAMPOLINES = frozenset({"__restore_rt", "__restore", "restore_rt", "__kernel_rt_sigreturn"})


class Symbolizer:
    """Resolves addresses while the process lives. Not thread-safe.

    Nothing is written to disk: reading the symbols of the largest executables takes a fraction of
    a second, and a cache that root reads and a user may write would be a way to forge names.
    """

    def __init__(self, most_bytes: int = 1 << 30) -> None:
        """most_bytes: memory the symbol tables kept may take in all."""
        self._most_bytes = most_bytes
        self._objects: OrderedDict[FileId, LoadedObject] = OrderedDict()
        self._spaces: dict[int, tuple[int, AddressSpace]] = {}
        self._loaded: WeakKeyDictionary[AddressSpace, dict[tuple[str, int, str], LoadedObject]]
        self._loaded = WeakKeyDictionary()
        self._frames: WeakKeyDictionary[AddressSpace, dict[tuple[int, int], Frame]]
        self._frames = WeakKeyDictionary()
        self.problems: dict[str, str] = {}

    @cached_property
    def _kernel(self) -> KernelSymbols:
        return KernelSymbols.read()

    def kernel(self, addresses: Sequence[int], leaf: bool = True) -> tuple[Frame, ...]:
        """Kernel frames, innermost first, as `user` does for user frames."""
        return self._kernel.frames(addresses, leaf)

    def user(self, pid: int, addresses: Sequence[int], leaf: bool = True) -> tuple[Frame, ...]:
        """Frames of a user stack of process `pid`, innermost first.

        addresses[0] is where execution stands (leaf=True) and is looked up as it is; all others
        are return addresses, which may already lie behind the end of the function that called, so
        the byte before decides. The mappings are read at first sight of a process and again when
        an address lies in none of them (dlopen). ProcessError when it is gone before that.
        """
        space = self._space(pid)
        if any(space.mapping(a) is None for a in addresses):
            with suppress(ProcessError):  # it ended; what was seen of it before still holds
                space = self._snapshot(pid)
        return self.stack(space, addresses, leaf)

    def stack(
        self, space: AddressSpace, addresses: Sequence[int], leaf: bool = True
    ) -> tuple[Frame, ...]:
        """As `user`, against a snapshot taken by the caller; never raises."""
        known = self._frames.setdefault(space, {})
        if len(known) > MOST_FRAMES:
            known.clear()
        frames = []
        for i, address in enumerate(addresses):
            key = (address, 0 if leaf and i == 0 else 1)
            frame = known.get(key)
            if frame is None:
                frame = known[key] = self._resolve(space, *key)
            frames.append(frame)
        return tuple(frames)

    def forget(self, pid: int) -> None:
        """Drop what is known of a process that ended."""
        self._spaces.pop(pid, None)

    def _space(self, pid: int) -> AddressSpace:
        known = self._spaces.get(pid)
        if known is not None and known[0] == _started(pid):
            return known[1]
        return self._snapshot(pid) if known is None or _started(pid) else known[1]

    def _snapshot(self, pid: int) -> AddressSpace:
        started = _started(pid)
        space = AddressSpace.of(pid)
        self._spaces[pid] = (started, space)
        return space

    def _resolve(self, space: AddressSpace, address: int, back: int) -> Frame:
        mapping = space.mapping(address) or space.mapping(address - back)
        if mapping is None:
            return Frame(f"[{address:#x}]", "", address, address)
        module = printable(mapping.path) or "[anonymous]"
        if mapping.path == VSYSCALL:
            return Frame(vsyscall_name(address), module, address & 0x3FF, address)
        found = self._object(space, mapping)
        virtual = found.virtual(address - mapping.start + mapping.offset)
        row = _row(found, virtual, back)
        if row >= 0 and (name := found.table.name(row)):
            return Frame(name, module, virtual - int(found.table.start[row]), address)
        label = posixpath.basename(module).strip("[]") or "anonymous"
        return Frame(f"[{label}+{virtual:#x}]", module, virtual, address)

    def _object(self, space: AddressSpace, mapping: Mapping) -> LoadedObject:
        loaded = self._loaded.setdefault(space, {})
        key = (mapping.device, mapping.inode, mapping.path)
        found = loaded.get(key)
        if found is None:
            found = loaded[key] = self._load(space, mapping)
            if found.problem:
                self.problems[printable(mapping.path)] = found.problem
        return found

    def _load(self, space: AddressSpace, mapping: Mapping) -> LoadedObject:
        if mapping.inode == 0:
            return load_from_memory(space, mapping)
        try:
            source = open_mapped(space.pid, mapping)
        except ElfError as error:
            found = load_from_memory(space, mapping)
            return found if len(found.table) else nameless(str(error))
        known = self._objects.get(source.id)
        if known is None:
            roots = (f"/proc/{space.pid}/root", "")
            known = self._objects[source.id] = load_object(source, mapping.path, roots)
            self._shrink()
        self._objects.move_to_end(source.id)
        return known

    def _shrink(self) -> None:
        """Let go of the objects used longest ago; a process that uses one keeps it alive."""
        while len(self._objects) > 1 and (
            len(self._objects) > MOST_OBJECTS
            or sum(o.table.nbytes for o in self._objects.values()) > self._most_bytes
        ):
            self._objects.popitem(last=False)


def _row(found: LoadedObject, virtual: int, back: int) -> int:
    """The function that holds the byte before a return address (back=1) or an address (back=0).

    A signal handler "returns" to the first byte of a trampoline that nothing has called: there
    the byte before belongs to a stranger.
    """
    if not 0 < virtual < 1 << 64:
        return -1
    before, at = found.table.rows(np.array([virtual - back, virtual], np.uint64)).tolist()
    is_trampoline = (
        before != at
        and at >= 0
        and int(found.table.start[at]) == virtual
        and found.table.name(at) in TRAMPOLINES
    )
    return int(at if is_trampoline else before)


def _started(pid: int) -> int:
    """Start time of a process in clock ticks: with the pid it names a process for good. 0: gone."""
    try:
        with Path(f"/proc/{pid}/stat").open("rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return 0
