# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the bytes of an object come from: a file, a process's memory, or a buffer.

Files are read with pread and never mapped: the owner of a mapped file can truncate it while we
read, which would kill us with SIGBUS. A short read is an ElfError instead.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple, Protocol

from polltrace.stacks.errors import ElfError


class ByteSource(Protocol):
    """Random access to `size` bytes."""

    @property
    def size(self) -> int: ...

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset`; ElfError where there are fewer."""
        ...


class FileId(NamedTuple):
    """The identity of a file on disk; for the identity that it claims, see BuildId."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class BuildId(NamedTuple):
    """The identity that a file claims, with the owner of the file.

    Copies of a library in many containers are one build. But a build-id is whatever the program's
    author wrote into it, so only files of one owner, which no one else may write, share names:
    else one user's program could name the functions of another's.
    """

    build_id: bytes
    owner: int
    size: int


class BytesSource:
    """A buffer already in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    @property
    def size(self) -> int:
        return len(self._data)

    def read(self, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0 or offset + length > len(self._data):
            raise ElfError(f"{length} bytes at {offset:#x} lie outside the file")
        return self._data[offset : offset + length]


class FileSource:
    """A regular file, held open until `close`."""

    def __init__(self, path: str) -> None:
        """Open `path`; OSError as from open(2), ElfError when it is no regular file.

        O_PATH first: opening a device or a FIFO that a hostile process has put in the way would
        already act on it, or block; fstat(2) does not.
        """
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise ElfError("not a regular file")
            flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
            self._fd = os.open(f"/proc/self/fd/{handle}", flags)
        finally:
            os.close(handle)
        status = os.fstat(self._fd)
        self.size = status.st_size
        self.owner = status.st_uid
        self.written_by_others = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
        self.id = FileId(
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        )

    def read(self, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0 or offset + length > self.size:
            raise ElfError(f"{length} bytes at {offset:#x} lie outside the file")
        try:
            data = os.pread(self._fd, length, offset)
            while len(data) < length:  # the kernel hands out at most 2 GiB at a time
                chunk = os.pread(self._fd, length - len(data), offset + len(data))
                if not chunk:
                    raise ElfError("file became shorter while it was read")
                data += chunk
        except OSError as error:
            raise ElfError(f"cannot read: {error.strerror}") from error
        return data

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __del__(self) -> None:
        if hasattr(self, "_fd"):
            self.close()


def read_memory(pid: int, start: int, end: int, limit: int = 1 << 20) -> BytesSource:
    """The memory [start, end) of a live process, at most `limit` bytes. ElfError if unreadable."""
    length = min(end - start, limit)
    try:
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            return BytesSource(os.pread(memory.fileno(), length, start))
    except (OSError, OverflowError) as error:
        raise ElfError(f"cannot read the memory of process {pid}") from error
