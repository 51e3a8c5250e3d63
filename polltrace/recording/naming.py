# SPDX-License-Identifier: GPL-2.0-or-later
"""Look-up of the functions of recorded stacks while their processes live."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from polltrace import procfs
from polltrace.profiles.frames import Identity
from polltrace.recording.names import KERNEL, StackAddress, stack_addresses, symbols_data
from polltrace.recording.stream import identity_of
from polltrace.stacks import AddressSpace, Frame, ProcessError, Symbolizer

Resolve = Callable[[Sequence[int], bool], Sequence[Frame]]
"""Frames of addresses; the flag is set if the first is where execution stands."""


class Naming:
    """Looks up every address once, and drops a process when it ends."""

    def __init__(self) -> None:
        self._names = Symbolizer()
        self._spaces: dict[Identity, AddressSpace] = {}
        self._known: dict[Identity, dict[StackAddress, Frame]] = {}
        self.unnamed = 0

    def seen(self, identity: Identity) -> None:
        """Store the mappings of a process that is new or has executed another program."""
        pid, start_ticks = identity
        with contextlib.suppress(ProcessError):
            space = self._names.address_space(pid)
            # Read after the mappings: if it is still the same process, it was then, too.
            if procfs.start_ticks(pid) == start_ticks:
                self._spaces[identity] = space

    def forget(self, identity: Identity) -> None:
        self._spaces.pop(identity, None)
        self._known.pop(identity, None)
        self._names.forget(identity[0])

    def new(self, process: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The `symbols` records for the new addresses in the stacks of one process of a frame."""
        identity = identity_of(process)
        stacks = process.get("stacks", ())
        user = self._unknown(identity, [stack["addresses"] for stack in stacks])
        if user:
            names = self._looked_up(identity, user)
            if names:
                yield symbols_data(identity, names)
            else:
                self.unnamed += len(stacks)
        kernel = self._unknown(KERNEL, [stack.get("kernel", ()) for stack in stacks])
        if kernel:
            yield symbols_data(KERNEL, self._keep(KERNEL, kernel, self._names.kernel))

    def all(self) -> Iterator[dict[str, Any]]:
        """The names of the present processes."""
        for identity, names in self._known.items():
            yield symbols_data(identity, names)

    def _unknown(self, identity: Identity, stacks: Sequence[Sequence[int]]) -> list[StackAddress]:
        named = self._known.get(identity, {})
        places = dict.fromkeys(place for stack in stacks for place in stack_addresses(stack))
        return [place for place in places if place not in named]

    def _looked_up(
        self, identity: Identity, places: list[StackAddress]
    ) -> Mapping[StackAddress, Frame]:
        space = self._spaces.get(identity)
        if space is None or (space.indexes(_array(places)) < 0).any():
            self.seen(identity)  # it has mapped another file since
            space = self._spaces.get(identity)
        if space is None:
            return {}
        live = space
        return self._keep(
            identity, places, lambda some, leaf: self._names.stack(live, some, leaf=leaf)
        )

    def _keep(
        self, identity: Identity, places: list[StackAddress], resolve: Resolve
    ) -> Mapping[StackAddress, Frame]:
        callers = [address for address, is_caller in places if is_caller]
        frames = {
            (frame.address, True): frame for frame in (resolve(callers, False) if callers else ())
        }
        for address, is_caller in places:
            if not is_caller:
                frames[address, False] = resolve([address], True)[0]
        self._known.setdefault(identity, {}).update(frames)
        return frames


def _array(places: Sequence[StackAddress]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    return np.array([address if 0 <= address < 1 << 64 else 0 for address, _ in places], np.uint64)
