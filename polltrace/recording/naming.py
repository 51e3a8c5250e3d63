# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks up the functions of recorded stacks while their processes live."""

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
    """Looks up every address once, and forgets a process when it ends."""

    def __init__(self) -> None:
        self._names = Symbolizer()
        self._spaces: dict[Identity, AddressSpace] = {}
        self._known: dict[Identity, dict[StackAddress, Frame]] = {}
        self.unnamed = 0

    def seen(self, identity: Identity) -> None:
        """A process has come, or runs another program: note what it has mapped."""
        pid, start_ticks = identity
        with contextlib.suppress(ProcessError):
            space = AddressSpace.of(pid)
            # Asked afterwards: if it is still the same process now, it was then.
            if procfs.start_ticks(pid) == start_ticks:
                self._spaces[identity] = space

    def forget(self, identity: Identity) -> None:
        self._spaces.pop(identity, None)
        self._known.pop(identity, None)
        self._names.forget(identity[0])

    def new(self, process: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The `symbols` records for the stacks of one process of a frame: what is new in them."""
        identity = identity_of(process)
        taken = process.get("stacks", ())
        user = self._unknown(identity, [stack["addresses"] for stack in taken])
        if user:
            found = self._looked_up(identity, user)
            if found:
                yield symbols_data(identity, found)
            else:
                self.unnamed += len(taken)
        kernel = self._unknown(KERNEL, [stack.get("kernel", ()) for stack in taken])
        if kernel:
            yield symbols_data(KERNEL, self._keep(KERNEL, kernel, self._names.kernel))

    def all(self) -> Iterator[dict[str, Any]]:
        """Everything known of the processes there are."""
        for identity, names in self._known.items():
            yield symbols_data(identity, names)

    def _unknown(self, identity: Identity, stacks: Sequence[Sequence[int]]) -> list[StackAddress]:
        known = self._known.get(identity, {})
        wanted = dict.fromkeys(place for stack in stacks for place in stack_addresses(stack))
        return [place for place in wanted if place not in known]

    def _looked_up(
        self, identity: Identity, wanted: list[StackAddress]
    ) -> Mapping[StackAddress, Frame]:
        space = self._spaces.get(identity)
        if space is None or (space.indexes(_array(wanted)) < 0).any():
            self.seen(identity)  # it has loaded something since
            space = self._spaces.get(identity)
        if space is None:
            return {}
        live = space
        return self._keep(
            identity, wanted, lambda some, leaf: self._names.stack(live, some, leaf=leaf)
        )

    def _keep(
        self, identity: Identity, wanted: list[StackAddress], resolve: Resolve
    ) -> Mapping[StackAddress, Frame]:
        callers = [address for address, is_caller in wanted if is_caller]
        found = {
            (frame.address, True): frame for frame in (resolve(callers, False) if callers else ())
        }
        for address, is_caller in wanted:
            if not is_caller:
                found[address, False] = resolve([address], True)[0]
        self._known.setdefault(identity, {}).update(found)
        return found


def _array(wanted: Sequence[StackAddress]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    return np.array([address if 0 <= address < 1 << 64 else 0 for address, _ in wanted], np.uint64)
