# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses of one mapping to names and frames, as arrays."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.addrspace import AddressSpace, Mapping, clipped
from polltrace.stacks.frame import Frame
from polltrace.stacks.memoryobject import VSYSCALL, vsyscall_name
from polltrace.stacks.objects import LoadedObject
from polltrace.stacks.text import printable

# "Return" addresses that no call left: a signal handler's. The byte before belongs to a stranger.
TRAMPOLINES = frozenset({"__restore_rt", "__restore", "restore_rt", "__kernel_rt_sigreturn"})


@dataclass(frozen=True, slots=True)
class MappedObject:
    """A mapping and the object it shows."""

    mapping: Mapping
    object: LoadedObject

    @property
    def is_code(self) -> bool:
        """Whether the mapping may be executed; data there has no functions."""
        return "x" in self.mapping.permissions

    @property
    def module(self) -> str:
        return printable(self.mapping.path) or "[anonymous]"


@dataclass(frozen=True, slots=True)
class Resolved:
    """Arrays of one length: `address` as captured, `virtual` as the object at `place` knows it, and
    the `row` of its symbol, -1 for none."""

    place: MappedObject | None
    address: NDArray[np.uint64]
    virtual: NDArray[np.uint64]
    row: NDArray[np.int64]

    def names(self) -> NDArray[np.object_]:
        """The functions' names (str), notes where none is known."""
        if self.place is None:
            return _texts([f"[{a:#x}]" for a in self.address.tolist()])
        if self.place.mapping.path == VSYSCALL:
            return _texts([vsyscall_name(a) for a in self.address.tolist()])
        names = self.place.object.table.names(self.row)
        nameless = np.flatnonzero(self.place.object.table.nameless(self.row))
        label = posixpath.basename(self.place.module).strip("[]") or "anonymous"
        names[nameless] = [f"[{label}+{v:#x}]" for v in self.virtual[nameless].tolist()]
        return names

    def frames(self) -> list[Frame]:
        """The frames; their module is empty where the addresses lie in no code."""
        module = self.place.module if self.place and self.place.is_code else ""
        columns = (self.names().tolist(), self._offsets().tolist(), self.address.tolist())
        return [Frame(name, module, offset, a) for name, offset, a in zip(*columns, strict=True)]

    def _offsets(self) -> NDArray[np.uint64]:
        if self.place is None or not len(self.place.object.table):
            return self.virtual
        start = np.where(self.row >= 0, self.place.object.table.start[self.row], np.uint64(0))
        return self.virtual - start


def resolve(
    place: MappedObject | None,
    address: NDArray[np.uint64],
    returns: NDArray[np.bool_] | None = None,
) -> Resolved:
    """Find the functions that hold the addresses.

    returns: which of them are return addresses; there the function that holds the byte before is
    the one that called.
    """
    if place is None:
        return Resolved(place, address, address, np.full(len(address), -1, np.int64))
    offset = address - np.uint64(place.mapping.start) + np.uint64(place.mapping.offset)
    virtual = address if place.object.absolute else place.object.virtual(offset)
    table = place.object.table
    if not place.is_code:
        return Resolved(place, address, virtual, np.full(len(address), -1, np.int64))
    row = table.rows(virtual)
    if returns is not None and returns.any():
        row_before = table.rows(virtual - returns)
        for i in np.flatnonzero(row_before != row).tolist():
            starts_here = row[i] >= 0 and table.start[row[i]] == virtual[i]
            if not (starts_here and table.name(int(row[i])) in TRAMPOLINES):
                row[i] = row_before[i]
    return Resolved(place, address, virtual, row)


def _texts(texts: list[str]) -> NDArray[np.object_]:
    return np.array(texts, object)


Key = tuple[int, bool]
"""An address, and whether it is a return address."""
ObjectOf = Callable[[Mapping], LoadedObject]


def resolve_frames(space: AddressSpace, keys: Sequence[Key], object_of: ObjectOf) -> list[Frame]:
    """The frames of addresses in the objects that `object_of` gives for a mapping."""
    addresses = clipped([address for address, _ in keys])
    returns = np.array([is_return for _, is_return in keys], bool)
    frames = np.empty(len(keys), object)
    for where, place in _places(space, addresses, object_of):
        frames[where] = resolve(place, addresses[where], returns[where]).frames()
    resolved: list[Frame] = frames.tolist()
    return resolved


def resolve_names(
    space: AddressSpace, addresses: NDArray[np.uint64], object_of: ObjectOf
) -> list[str]:
    """The names of addresses, each looked up as it is; see Frame.name."""
    names = np.empty(len(addresses), object)
    for where, place in _places(space, addresses, object_of):
        some = resolve(place, addresses[where]).names()
        if len(some) == len(addresses):  # all in one mapping, as they mostly are
            names = some
        else:
            names[where] = some
    listed: list[str] = names.tolist()
    return listed


def _places(
    space: AddressSpace, addresses: NDArray[np.uint64], object_of: ObjectOf
) -> Iterator[tuple[NDArray[np.int64], MappedObject | None]]:
    """The indexes of the addresses in each mapping, with its object; None where nothing is."""
    mapped = space.indexes(addresses)
    for index in np.unique(mapped).tolist():
        where = np.flatnonzero(mapped == index)
        if index < 0:
            yield where, None
        else:
            mapping = space.mappings[index]
            yield where, MappedObject(mapping, object_of(mapping))
