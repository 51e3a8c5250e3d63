# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses of live processes to frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.addrspace import AddressSpace
from polltrace.stacks.errors import ProcessError
from polltrace.stacks.frame import KERNEL, Frame
from polltrace.stacks.kallsyms import KernelSymbols
from polltrace.stacks.objectstore import ObjectStore
from polltrace.stacks.resolving import MappedObject, resolve

MOST_FRAMES = 1 << 18
MOST_PROCESSES = 1 << 14


class Symbolizer:
    """Resolves addresses while the process lives. Not thread-safe."""

    def __init__(self, most_bytes: int = 1 << 29) -> None:
        """most_bytes: memory the symbol tables kept may take in all."""
        self._objects = ObjectStore(most_bytes)
        self._spaces: dict[int, tuple[tuple[bytes, ...] | None, AddressSpace]] = {}
        self._frames: WeakKeyDictionary[AddressSpace, dict[tuple[int, bool], Frame]]
        self._frames = WeakKeyDictionary()

    @property
    def problems(self) -> Mapping[str, str]:
        """Objects with no or fewer names than they should have, the kernel too: path, reason."""
        asked = self.__dict__.get("_kernel")
        if asked is None or not asked.problem:
            return self._objects.problems
        return {KERNEL: asked.problem, **self._objects.problems}

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
        known = self._frames.get(space, {})
        new = [a for a in addresses if (a, True) not in known and (a, False) not in known]
        if new and (space.indexes(_clipped(new)) < 0).any():
            with suppress(ProcessError):  # it ended; what was seen of it before still holds
                space = self._snapshot(pid)
        return self.stack(space, addresses, leaf)

    def stack(
        self, space: AddressSpace, addresses: Sequence[int], leaf: bool = True
    ) -> tuple[Frame, ...]:
        """As `user`, against a snapshot taken by the caller; never raises."""
        known = self._frames.setdefault(space, {})
        keys = [(address, i > 0 or not leaf) for i, address in enumerate(addresses)]
        new = [key for key in dict.fromkeys(keys) if key not in known]
        if len(known) + len(new) > MOST_FRAMES:
            known.clear()
            new = list(dict.fromkeys(keys))
        if new:
            known |= zip(new, self._resolved(space, new), strict=True)
        return tuple(known[key] for key in keys)

    def names(self, space: AddressSpace, addresses: NDArray[np.uint64]) -> list[str]:
        """The names of many addresses at once, each looked up as it is; see Frame.name."""
        found = np.empty(len(addresses), object)
        for where, place in self._places(space, addresses):
            names = resolve(place, addresses[where]).names()
            if len(names) == len(addresses):  # all in one mapping, as they mostly are
                found = names
            else:
                found[where] = names
        listed: list[str] = found.tolist()
        return listed

    def forget(self, pid: int) -> None:
        """Drop what is known of a process that ended."""
        self._spaces.pop(pid, None)

    def _resolved(self, space: AddressSpace, keys: Sequence[tuple[int, bool]]) -> list[Frame]:
        addresses = _clipped([a for a, _ in keys])
        returns = np.array([is_return for _, is_return in keys], bool)
        frames = np.empty(len(keys), object)
        for where, place in self._places(space, addresses):
            frames[where] = resolve(place, addresses[where], returns[where]).frames()
        resolved: list[Frame] = frames.tolist()
        return resolved

    def _places(
        self, space: AddressSpace, addresses: NDArray[np.uint64]
    ) -> Iterable[tuple[NDArray[np.int64], MappedObject | None]]:
        """The addresses by mapping: their indexes, and where they lie (None: nowhere)."""
        mapped = space.indexes(addresses)
        for index in np.unique(mapped).tolist():
            where = np.flatnonzero(mapped == index)
            if index < 0:
                yield where, None
            else:
                mapping = space.mappings[index]
                yield where, MappedObject(mapping, self._objects.of(space, mapping))

    def _space(self, pid: int) -> AddressSpace:
        known = self._spaces.get(pid)
        image = _image(pid)
        if known is not None and image in (known[0], None):
            return known[1]
        return self._snapshot(pid)

    def _snapshot(self, pid: int) -> AddressSpace:
        image = _image(pid)
        space = AddressSpace.of(pid)
        known = self._spaces.get(pid)
        if known is not None and known[1].mappings == space.mappings:
            space = known[1]  # with all that is loaded for it
        self._spaces.pop(pid, None)
        while len(self._spaces) >= MOST_PROCESSES:
            self.forget(next(iter(self._spaces)))
        self._spaces[pid] = (image, space)
        return space


def _clipped(addresses: Sequence[int]) -> NDArray[np.uint64]:
    """As an array; what is no address of this machine becomes 0, where nothing is ever mapped."""
    return np.array([a if 0 <= a < 1 << 64 else 0 for a in addresses], np.uint64)


def _image(pid: int) -> tuple[bytes, ...] | None:
    """The key that distinguishes a process, and the program it runs, from any other under this pid;
    None: gone.

    Its start time, and where its code and its stack begin: exec keeps the first and not the last.
    """
    try:
        with Path(f"/proc/{pid}/stat").open("rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else (fields[19], fields[23], fields[25])
    except (OSError, IndexError):
        return None
