# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads and replaces a file in a directory that somebody else owns, as the file's owner.

The owner of the directory can put a link or a FIFO under any name there, at any moment. So root
becomes the owner for as long as it touches the directory, which is held by a descriptor; a name in
it is never followed; and the first file written has a name that nobody can foresee.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from polltrace.errors import FileError

_MOST_BYTES = 1 << 20
_DRAFT = ".polltrace-"


class OwnedFolder:
    """The directory of `path`, which has no link in it; all names are in it. Methods raise OSError,
    FileError for a file that is no regular one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = _directory(path.parent)

    def owner(self, name: str) -> os.stat_result:
        """The status of the file, or of the directory if there is no such file."""
        try:
            return os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return os.fstat(self._fd)

    def read(self, name: str) -> bytes | None:
        """A file's content; None where there is none."""
        try:
            with self._opened(name) as fd:
                content = b""
                while part := os.read(fd, _MOST_BYTES + 1 - len(content)):
                    content += part
        except FileNotFoundError:
            return None
        if len(content) > _MOST_BYTES:
            raise FileError(f"{self._path.with_name(name)} is longer than {_MOST_BYTES >> 20} MiB")
        return content

    def write(self, name: str, content: bytes, *, like: str, same_time: bool = False) -> None:
        """Write whole or not at all, on the disk before it is seen; owner, mode and attributes are
        those of the file `like`, with `same_time` its times too."""
        draft = f".{name}{_DRAFT}{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(draft, flags, 0o600, dir_fd=self._fd)
        try:
            with open(fd, "wb") as file:
                file.write(content)
                file.flush()
                self._make_like(fd, like, same_time)
                os.fsync(fd)
            self.rename(draft, name)
        except BaseException:
            self.remove(draft)
            raise

    def rename(self, old: str, new: str) -> None:
        """Put `old` in the place of `new`, for good."""
        os.rename(old, new, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        os.fsync(self._fd)

    def remove(self, name: str) -> None:
        """Remove a name, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._fd)

    def remove_drafts(self, name: str) -> None:
        """Remove the drafts of a killed write."""
        for draft in os.listdir(self._fd):
            if draft.startswith(f".{name}{_DRAFT}"):
                self.remove(draft)

    def close(self) -> None:
        os.close(self._fd)

    def _make_like(self, fd: int, like: str, same_time: bool) -> None:
        with contextlib.suppress(FileNotFoundError), self._opened(like) as model:
            status = os.fstat(model)
            os.fchown(fd, status.st_uid, status.st_gid)
            os.fchmod(fd, stat.S_IMODE(status.st_mode))
            for name in os.listxattr(model):
                with contextlib.suppress(OSError):  # some only root may set, some file systems none
                    os.setxattr(fd, name, os.getxattr(model, name))
            if same_time:
                os.utime(fd, ns=(status.st_atime_ns, status.st_mtime_ns))

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[int]:
        """A descriptor of a regular file, to read. Raises OSError, FileError for any other."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        fd = os.open(name, flags, dir_fd=self._fd)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise FileError(f"{self._path.with_name(name)} is no regular file")
            yield fd
        finally:
            os.close(fd)


@contextlib.contextmanager
def owned_folder(path: Path) -> Iterator[OwnedFolder]:
    """The directory of the file `path`, touched as the file's owner, or the directory's where the
    file is not there, if we are root. Raises OSError; FileError for a file of root's whose
    directory somebody else may replace."""
    folder = OwnedFolder(path)
    try:
        owner = folder.owner(path.name)
        if owner.st_uid == 0 == os.geteuid():
            _check_root_alone(path)
        with _as(owner.st_uid, owner.st_gid):
            yield folder
    finally:
        folder.close()


def _directory(path: Path) -> int:
    """A descriptor of a directory, reached without following a link: none that somebody has put
    there since leads us elsewhere."""
    flags = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open("/", flags | os.O_PATH)
    for part in (*path.absolute().parts[1:], "."):
        outer = fd
        try:
            fd = os.open(part, flags | (os.O_RDONLY if part == "." else os.O_PATH), dir_fd=outer)
        finally:
            os.close(outer)
    return fd


def _check_root_alone(path: Path) -> None:
    for folder in path.parents:
        status = folder.stat()
        writable = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if status.st_uid != 0 or (writable and not status.st_mode & stat.S_ISVTX):
            raise FileError(
                f"{path} is root's, but others may change {folder}: give it the owner of its "
                "directory first (chown)"
            )


@contextlib.contextmanager
def _as(uid: int, gid: int) -> Iterator[None]:
    """Root is this user within; anybody else stays who he is."""
    if os.geteuid() != 0 or uid == 0:
        yield
        return
    groups, own_group = os.getgroups(), os.getegid()
    os.setgroups([gid])
    os.setegid(gid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(own_group)
        os.setgroups(groups)
