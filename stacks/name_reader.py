# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads mappings and names in a child process, within limits for each process and each user."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.addrspace import AddressSpace
from polltrace.stacks.demangling import Demangler, is_mangled
from polltrace.stacks.errors import ProcessError, UnansweredError
from polltrace.stacks.frame import Frame
from polltrace.stacks.objects import nameless
from polltrace.stacks.objectstore import ObjectStore
from polltrace.stacks.reading_process import ReadingProcess
from polltrace.stacks.resolving import Key, resolve_frames, resolve_names

# Seconds for one request, and for all requests about one process.
PATIENCE_S = 5.0
MOST_S_PER_PROCESS = 20.0
# A user whose processes made so many requests fail gets no names any more: else many processes
# could each cost PATIENCE_S.
MOST_FAILURES_PER_USER = 3
_MOST_SPACES = 4096
_MOST_PROBLEMS = 512


class _UnknownSpaceError(Exception):
    """The child has not seen this address space, or has dropped it."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A request: mappings of process `pid`, or the frames of `keys` or names of `addresses` in the
    address space `number`, which is `space` where the child may not know it yet."""

    pid: int
    number: int = 0
    space: AddressSpace | None = None
    keys: Sequence[Key] | None = None
    addresses: NDArray[np.uint64] | None = None


class NameReader:
    """Frames, names and mappings of processes that may be hostile; never waits for long.

    `problems` are objects (paths) without all of their names, with the reason.
    """

    def __init__(self, most_bytes: int) -> None:
        """most_bytes: memory that the symbol tables may take in all."""
        self._most_bytes = most_bytes
        self._process: ReadingProcess[_Look, Any] | None = None
        self._numbers: WeakKeyDictionary[AddressSpace, int] = WeakKeyDictionary()
        self._next = count(1)
        self._seconds: defaultdict[int, float] = defaultdict(float)
        self._refused: dict[int, str] = {}
        self._failures: Counter[int] = Counter()
        self._demangler = Demangler()
        self.problems: dict[str, str] = {}

    def address_space(self, pid: int) -> AddressSpace:
        """The mappings of a live process. ProcessError when they cannot be read."""
        try:
            space, _ = self._ask(_Look(pid))
        except UnansweredError as error:
            raise ProcessError(f"cannot read the mappings of process {pid}: {error}") from None
        assert isinstance(space, AddressSpace)
        return space

    def frames(self, space: AddressSpace, keys: Sequence[Key]) -> list[Frame]:
        """The frames of (address, whether it is a return address); notes where nothing answers."""
        try:
            frames: list[Frame] = self._ask_in(space, keys=keys)
        except UnansweredError as error:
            self._note(space, error)
            frames = resolve_frames(space, keys, lambda _: nameless(""))
        if not any(is_mangled(frame.name) for frame in frames):
            return frames
        names = self._demangler.names([frame.name for frame in frames], _user(space.pid))
        return [replace(frame, name=name) for frame, name in zip(frames, names, strict=True)]

    def names(self, space: AddressSpace, addresses: NDArray[np.uint64]) -> list[str]:
        """The names of addresses, each looked up as it is; notes where nothing answers."""
        try:
            names: list[str] = self._ask_in(space, addresses=addresses)
        except UnansweredError as error:
            self._note(space, error)
            names = resolve_names(space, addresses, lambda _: nameless(""))
        if not any(map(is_mangled, names)):
            return names
        return self._demangler.names(names, _user(space.pid))

    def forget(self, pid: int) -> None:
        """Drop the limits of a process that ended."""
        self._refused.pop(pid, None)
        self._seconds.pop(pid, None)

    def _ask_in(self, space: AddressSpace, **wanted: Any) -> Any:
        number = self._numbers.get(space)
        new = number is None
        if number is None:
            number = self._numbers[space] = next(self._next)
        try:
            answer, problems = self._ask(_Look(space.pid, number, space if new else None, **wanted))
        except _UnknownSpaceError:
            answer, problems = self._ask(_Look(space.pid, number, space, **wanted))
        for path, problem in problems.items():
            if len(self.problems) < _MOST_PROBLEMS:
                self.problems[path] = problem
        return answer

    def _ask(self, look: _Look) -> tuple[Any, Mapping[str, str]]:
        if look.pid in self._refused:
            raise UnansweredError(self._refused[look.pid])
        user = _user(look.pid)
        if user is not None and self._failures[user] >= MOST_FAILURES_PER_USER:
            raise UnansweredError("too many processes of its user do not answer")
        patience_s = min(PATIENCE_S, MOST_S_PER_PROCESS - self._seconds[look.pid])
        if patience_s <= 0:
            raise UnansweredError(f"it has taken {MOST_S_PER_PROCESS:g} s already")
        began_s = time.monotonic()
        try:
            if self._process is None:
                self._process = ReadingProcess(_Lookup(self._most_bytes))
            (answer,) = self._process.replies(look, patience_s)
        except UnansweredError as error:
            self._process = None
            self._refused[look.pid] = str(error)
            if user is not None:
                self._failures[user] += 1
            raise
        finally:
            self._seconds[look.pid] += time.monotonic() - began_s
        return answer  # type: ignore[no-any-return]

    def _note(self, space: AddressSpace, error: UnansweredError) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems[f"process {space.pid}"] = str(error)


class _Lookup:
    """The work of the child: answers each request with (answer, problems)."""

    def __init__(self, most_bytes: int) -> None:
        self._store = ObjectStore(most_bytes)
        self._spaces: OrderedDict[int, AddressSpace] = OrderedDict()

    def __call__(self, look: _Look) -> Iterable[tuple[Any, Mapping[str, str]]]:
        yield self._answer(look), self._store.problems

    def _answer(self, look: _Look) -> Any:
        if look.number == 0:
            return AddressSpace.of(look.pid)
        if look.space is not None:
            self._spaces[look.number] = look.space
            while len(self._spaces) > _MOST_SPACES:
                self._spaces.popitem(last=False)
        if look.number not in self._spaces:
            raise _UnknownSpaceError
        self._spaces.move_to_end(look.number)
        space = self._spaces[look.number]
        if look.keys is not None:
            return resolve_frames(space, look.keys, lambda m: self._store.of(space, m))
        assert look.addresses is not None
        return resolve_names(space, look.addresses, lambda m: self._store.of(space, m))


def _user(pid: int) -> int | None:
    """The real user of a process; None where it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_bytes()
        return int(status.partition(b"\nUid:")[2].split(None, 1)[0])
    except (OSError, IndexError, ValueError):
        return None
