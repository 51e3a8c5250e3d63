# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of code that a process made at run time: /tmp/perf-PID.map, which compilers write for perf.

Node (`--perf-basic-prof`), Java (an agent, or `-XX:+DumpPerfMapAtExit`), CPython 3.12 (`-X perf`)
and others append `START SIZE NAME` in hexadecimal for each function. Anyone may write to /tmp, so
only a regular file of the process's own user counts, which nobody else may write.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

import numpy as np

from polltrace.stacks.errors import ElfError
from polltrace.stacks.source import BytesSource
from polltrace.stacks.stringtable import Names
from polltrace.stacks.symbols import RawSymbols

LARGEST_MAP = 1 << 26
MOST_FUNCTIONS = 1 << 19
# A name may hold blanks, and belongs to its line only.
_LINE = re.compile(rb"^(?:0x)?([0-9a-fA-F]{1,16}) (?:0x)?([0-9a-fA-F]{1,16}) (?=[^\n])", re.M)


class MapFile(NamedTuple):
    """The file of a process at one moment: its `data`, and an `identity` that changes with it."""

    data: bytes
    identity: tuple[int, ...]


def map_identity(pid: int) -> tuple[int, ...]:
    """Identity of the process's map file; empty where there is none that counts."""
    fd = _open(pid)
    if fd is None:
        return ()
    try:
        return _identity(os.fstat(fd))
    finally:
        os.close(fd)


def read_map(pid: int) -> MapFile:
    """The map file of a process. ElfError where there is none that counts, or it is too large."""
    fd = _open(pid)
    if fd is None:
        raise ElfError("no map of code made at run time")
    try:
        status = os.fstat(fd)
        if status.st_size > LARGEST_MAP:
            raise ElfError(f"map of code made at run time: more than {LARGEST_MAP} bytes")
        return MapFile(os.pread(fd, status.st_size, 0), _identity(status))
    finally:
        os.close(fd)


def parse_map(data: bytes) -> RawSymbols:
    """The functions of a map file, addresses as in the process; the newest one at an address."""
    rows: dict[int, tuple[int, int]] = {}
    for match in _LINE.finditer(data):
        rows[int(match[1], 16)] = int(match[2], 16), match.end()
        if len(rows) > MOST_FUNCTIONS:
            raise ElfError(f"map of code made at run time: more than {MOST_FUNCTIONS} functions")
    start = np.array(list(rows), np.uint64)
    size = np.array([size for size, _ in rows.values()], np.uint64)
    end = np.where(size > np.iinfo(np.uint64).max - start, start, start + size)
    text = data.replace(b"\n", b"\0")
    return RawSymbols(
        Names(BytesSource(text), 0, len(text)),
        start,
        end,
        end,
        np.array([name for _, name in rows.values()], np.uint32),
        np.zeros(len(rows), np.uint8),
    )


def _open(pid: int) -> int | None:
    """A descriptor of the map file in the process's mount namespace, by its PID in there."""
    try:
        fields = _status(pid)
        path = f"/proc/{pid}/root/tmp/perf-{fields['NSpid'][-1]}.map"
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, KeyError, IndexError):
        return None
    status = os.fstat(fd)
    others = stat.S_IWGRP | stat.S_IWOTH
    users = {int(user) for user in fields["Uid"][:2]}
    if stat.S_ISREG(status.st_mode) and not status.st_mode & others and status.st_uid in users:
        return fd
    os.close(fd)
    return None


def _status(pid: int) -> dict[str, list[str]]:
    lines = Path(f"/proc/{pid}/status").read_text("utf-8", "replace").splitlines()
    return {key: value.split() for key, _, value in (line.partition(":") for line in lines)}


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
