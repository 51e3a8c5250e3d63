# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a file that somebody hostile may have put there, without waiting for it or growing.

A FIFO would block its reader, a device act on it, a link to /proc/kmsg never end, a sparse file
fill the memory; opening a leased file waits for its holder. None of that is opened here.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import stat
import struct
from dataclasses import dataclass
from pathlib import PurePath

_OPENAT2 = 437  # Linux 5.6
_RESOLVE_NO_MAGICLINKS, _RESOLVE_IN_ROOT = 0x02, 0x10
_OPEN_HOW = struct.Struct("=3Q")
# statfs(2)'s f_type of file systems whose content the kernel makes as it is read.
_MADE_UP = frozenset(
    {
        0x9FA0,  # proc
        0x62656572,  # sysfs
        0x64626720,  # debugfs
        0x74726163,  # tracefs
        0x73636673,  # securityfs
        0xCAFE4A11,  # bpf
        0x27E0EB,  # cgroup
        0x63677270,  # cgroup2
        0xF97CFF8C,  # selinuxfs
        0x6165676C,  # pstore
        0xDE5E81E4,  # efivarfs
        0x62656570,  # configfs
    }
)


@functools.cache
def _libc() -> ctypes.CDLL:
    """Loaded when a file is read: a recording is read where there is no such library."""
    return ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class BoundedFile:
    """A file's whole content, and `changed_at`, its mtime in seconds since the epoch."""

    content: bytes
    changed_at: float


class UnreadableError(Exception):
    """Why a file that is there is not read, in a few words; never its content."""


def read_bounded(root: str | os.PathLike[str], path: PurePath, limit: int) -> BoundedFile | None:
    """The file at `path` below the directory `root`, links resolved as a process with that root
    directory would. None where there is no such file.

    Raises UnreadableError for one that is no regular file, is longer than `limit` bytes, or that
    may not be read.
    """
    try:
        handle = _open_path(os.fspath(root), str(path).lstrip("/"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise UnreadableError(_reason(error)) from None
    try:
        return _read(handle, limit)
    except OSError as error:
        raise UnreadableError(_reason(error)) from None
    finally:
        os.close(handle)


def _open_path(root: str, path: str) -> int:
    """A descriptor that names the file and does nothing with it. Raises OSError."""
    if "\0" in path:
        raise ValueError("a zero byte in its name")
    directory = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flags = os.O_PATH | os.O_CLOEXEC
        how = _OPEN_HOW.pack(flags, 0, _RESOLVE_IN_ROOT | _RESOLVE_NO_MAGICLINKS)
        descriptor = _libc().syscall(_OPENAT2, directory, os.fsencode(path), how, len(how))
        if descriptor >= 0:
            return int(descriptor)
        number = ctypes.get_errno()
        if number == errno.ENOSYS:
            return os.open(path, flags, dir_fd=directory)
        raise OSError(number, os.strerror(number))
    finally:
        os.close(directory)


def open_regular(path: PurePath) -> int | None:
    """A descriptor of the regular file at `path` that somebody else has named, for one that reads
    all of it however long it is. None where there is no such file. Raises UnreadableError."""
    try:
        handle = _open_path("/", str(path).lstrip("/"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise UnreadableError(_reason(error)) from None
    try:
        _regular(handle)
        return _reopened(handle)
    except OSError as error:
        raise UnreadableError(_reason(error)) from None
    finally:
        os.close(handle)


def _regular(handle: int) -> os.stat_result:
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError("it is no regular file")
    if _type(handle) in _MADE_UP:
        raise UnreadableError("the kernel makes it up")
    return status


def _reopened(handle: int) -> int:
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    return os.open(f"/proc/self/fd/{handle}", flags)


def _read(handle: int, limit: int) -> BoundedFile:
    status = _regular(handle)
    if status.st_size > limit:
        raise UnreadableError(f"it is longer than {limit >> 10} KiB")
    fd = _reopened(handle)
    try:
        content = b""
        # It may grow while it is read.
        while part := os.read(fd, limit + 1 - len(content)):
            content += part
            if len(content) > limit:
                raise UnreadableError(f"it is longer than {limit >> 10} KiB")
    finally:
        os.close(fd)
    return BoundedFile(content, status.st_mtime)


def _type(handle: int) -> int:
    buffer = ctypes.create_string_buffer(256)
    if _libc().fstatfs(handle, buffer) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    (kind,) = struct.unpack_from("=q", buffer)
    return int(kind) & 0xFFFFFFFF


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
