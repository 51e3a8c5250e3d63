# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses of live processes to frames."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.addrspace import AddressSpace, clipped
from polltrace.stacks.errors import ProcessError
from polltrace.stacks.frame import KERNEL, Frame
from polltrace.stacks.kallsyms import KernelSymbols
from polltrace.stacks.name_reader import NameReader

MOST_FRAMES = 1 << 18
MOST_PROCESSES = 1 << 14
# Seconds between two looks at data of a process that may have become code.
RECHECK_S = 1.0


class Symbolizer:
    """Resolves addresses while the process lives. Not thread-safe.

    A process whose mappings or files do not answer gets notes instead of names, after seconds.
    """

    def __init__(self, most_bytes: int = 1 << 29) -> None:
        """most_bytes: memory the symbol tables kept may take in all."""
        self._reader = NameReader(most_bytes)
        self._spaces: dict[int, tuple[tuple[bytes, ...] | None, AddressSpace]] = {}
        self._rechecked_s: dict[int, float] = {}
        self._frames: WeakKeyDictionary[AddressSpace, dict[tuple[int, bool], Frame]]
        self._frames = WeakKeyDictionary()

    @property
    def problems(self) -> Mapping[str, str]:
        """Objects with no or fewer names than they should have, the kernel too: path, reason."""
        kernel_symbols = self.__dict__.get("_kernel")
        if kernel_symbols is None or not kernel_symbols.problem:
            return self._reader.problems
        return {KERNEL: kernel_symbols.problem, **self._reader.problems}

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
        an address lies in none of them (dlopen), or in anonymous memory that was not executable (a
        compiler at run time). ProcessError when it is gone before that.
        """
        space = self._space(pid)
        frames = self._frames.get(space, {})
        new = [a for a in addresses if (a, True) not in frames and (a, False) not in frames]
        if new and (space.indexes(clipped(new)) < 0).any():
            with suppress(ProcessError):  # it ended; the earlier mappings still hold
                space = self._snapshot(pid)
        stack = self.stack(space, addresses, leaf)
        no_code = [frame.address for frame in stack if not frame.module]
        if no_code and self._may_be_code_now(pid, space, no_code):
            with suppress(ProcessError):
                stack = self.stack(self._snapshot(pid), addresses, leaf)
        return stack

    def stack(
        self, space: AddressSpace, addresses: Sequence[int], leaf: bool = True
    ) -> tuple[Frame, ...]:
        """As `user`, against a snapshot taken by the caller; never raises."""
        frames = self._frames.setdefault(space, {})
        keys = [(address, i > 0 or not leaf) for i, address in enumerate(addresses)]
        new = [key for key in dict.fromkeys(keys) if key not in frames]
        if len(frames) + len(new) > MOST_FRAMES:
            frames.clear()
            new = list(dict.fromkeys(keys))
        if new:
            frames |= zip(new, self._reader.frames(space, new), strict=True)
        return tuple(frames[key] for key in keys)

    def address_space(self, pid: int) -> AddressSpace:
        """The mappings of a live process now. ProcessError when they cannot be read."""
        return self._reader.address_space(pid)

    def names(self, space: AddressSpace, addresses: NDArray[np.uint64]) -> list[str]:
        """The names of many addresses at once, each looked up as it is; see Frame.name."""
        return self._reader.names(space, addresses)

    def forget(self, pid: int) -> None:
        """Drop the frames of a process that ended."""
        self._spaces.pop(pid, None)
        self._rechecked_s.pop(pid, None)
        self._reader.forget(pid)

    def _may_be_code_now(self, pid: int, space: AddressSpace, addresses: Sequence[int]) -> bool:
        """Whether anonymous data at an address may have become code since `space` was read. Walks
        that go astray lead into data again and again, so the answer is yes once in RECHECK_S."""
        indexes = np.unique(space.indexes(clipped(addresses)))
        mappings = (space.mappings[index] for index in indexes.tolist() if index >= 0)
        if not any(m.inode == 0 and not m.path and "x" not in m.permissions for m in mappings):
            return False
        now_s = time.monotonic()
        if now_s - self._rechecked_s.get(pid, -RECHECK_S) < RECHECK_S:
            return False
        self._rechecked_s[pid] = now_s
        return True

    def _space(self, pid: int) -> AddressSpace:
        entry = self._spaces.get(pid)
        image = _image(pid)
        if entry is not None and image in (entry[0], None):
            return entry[1]
        return self._snapshot(pid)

    def _snapshot(self, pid: int) -> AddressSpace:
        image = _image(pid)
        space = self._reader.address_space(pid)
        entry = self._spaces.get(pid)
        if entry is not None and entry[1].mappings == space.mappings:
            space = entry[1]  # with all that is loaded for it
        self._spaces.pop(pid, None)
        while len(self._spaces) >= MOST_PROCESSES:
            self.forget(next(iter(self._spaces)))
        self._spaces[pid] = (image, space)
        return space


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
