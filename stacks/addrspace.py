# SPDX-License-Identifier: GPL-2.0-or-later
"""The mappings of a process: /proc/PID/maps, read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.errors import ProcessError

LARGEST_MAPS = 1 << 26
DELETED = " (deleted)"


@dataclass(frozen=True, slots=True)
class Mapping:
    """One line of maps: [start, end) holds the file `path` from byte `offset` on.

    permissions are four letters, "r-xp"; deleted: the file has no name any more.
    device is "major:minor" in hex; inode is 0 for memory that is no file; path is from the
    root of the process's mount namespace, "" for anonymous memory, "[vdso]" and the like for the
    kernel's own mappings.
    """

    start: int
    end: int
    permissions: str
    offset: int
    device: str
    inode: int
    path: str
    deleted: bool


@dataclass(frozen=True, eq=False)
class AddressSpace:
    """The mappings of process `pid` at one moment, ordered by address."""

    pid: int
    mappings: tuple[Mapping, ...]

    @classmethod
    def of(cls, pid: int) -> AddressSpace:
        """Snapshot of a live process. ProcessError when it is gone or not ours to read."""
        try:
            with Path(f"/proc/{pid}/maps").open("rb") as file:
                mappings = parse_maps(file.read(LARGEST_MAPS))
        except PermissionError as error:
            raise ProcessError(f"not permitted to read the mappings of process {pid}") from error
        except (FileNotFoundError, ProcessLookupError) as error:
            raise ProcessError(f"no process {pid}") from error
        if not mappings:
            raise ProcessError(f"process {pid} has ended, or is the kernel's: it has no memory")
        return cls(pid, mappings)

    @cached_property
    def _bounds(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        spans = np.array([(m.start, m.end) for m in self.mappings], np.uint64).reshape(-1, 2)
        return spans[:, 0].copy(), spans[:, 1].copy()

    def indexes(self, addresses: NDArray[np.uint64]) -> NDArray[np.int64]:
        """For each address the index of the mapping that holds it, -1 where nothing is mapped."""
        starts, ends = self._bounds
        if not len(starts):
            return np.full(len(addresses), -1, np.int64)
        mapping_index = np.searchsorted(starts, addresses, "right").astype(np.int64) - 1
        mapping_index[(mapping_index >= 0) & (addresses >= ends[mapping_index])] = -1
        return mapping_index

    def mapping(self, address: int) -> Mapping | None:
        """The mapping that holds `address`, None where nothing is mapped."""
        if not 0 <= address < 1 << 64:
            return None
        index = int(self.indexes(np.array([address], np.uint64))[0])
        return self.mappings[index] if index >= 0 else None


def clipped(addresses: Sequence[int]) -> NDArray[np.uint64]:
    """The addresses as an array; one that no machine has becomes 0, which nothing maps."""
    return np.array([a if 0 <= a < 1 << 64 else 0 for a in addresses], np.uint64)


def parse_maps(text: bytes) -> tuple[Mapping, ...]:
    """The lines of a maps file; a last line without its end is left out."""
    lines = text.split(b"\n")[:-1]  # not splitlines(): a path may hold a carriage return
    return tuple(_parse_line(line.decode("utf-8", "surrogateescape")) for line in lines)


def _parse_line(line: str) -> Mapping:
    span, permissions, offset, device, path_field = line.split(" ", 4)
    inode, _, path = path_field.partition(" ")
    path = path.lstrip(" ").replace("\\012", "\n")
    start, _, end = span.partition("-")
    deleted = path.endswith(DELETED)
    return Mapping(
        int(start, 16),
        int(end, 16),
        permissions,
        int(offset, 16),
        device,
        int(inode),
        path.removesuffix(DELETED),
        deleted,
    )
