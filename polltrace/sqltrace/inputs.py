# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that the words of a command line name, and their bytes, whatever packs them."""

from __future__ import annotations

import io
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from polltrace.errors import FileError
from polltrace.printable import note
from polltrace.sqltrace.file_formats import (
    LONGEST_SIGNATURE,
    SUFFIXES,
    Text,
    check_readable,
    unpacked,
    utf_16,
)
from polltrace.sqltrace.window import Window

_LEAST_SHOWN = 1 << 20  # less is read faster than mapped


class PackedError(Exception):
    """Compressed data ends early or is damaged: why, in a few words."""


def trace_files(words: Iterable[str]) -> Iterator[str]:
    """Each file that is meant, in order: `-` is stdin, a folder its trace files and those below, a
    pattern the files that it matches. Links to folders below are not followed, and a pipe or device
    is read only where a word names it. Raises FileError for a word that names nothing."""
    for word in words:
        if not word:
            raise FileError("a trace file's name is empty")
        paths = [word] if word == "-" or _is_there(word) else _matching(word)
        if not paths:
            raise FileError(f"{word}: no such file or directory")
        for path in paths:
            yield from _of_folder(path) if os.path.isdir(path) else (path,)  # noqa: PTH112


def _is_there(word: str) -> bool:
    try:
        os.stat(word.rstrip("/") or word)  # noqa: PTH116 - pathlib is slow to load
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass  # opening it reports the error
    return True


def _matching(word: str) -> list[str]:
    import glob
    from pathlib import Path

    if not glob.has_magic(word):
        return []
    if "**" not in word:
        return sorted(glob.glob(word))  # noqa: PTH207 - names as they were written
    # glob.glob would follow links to folders, of which two that lead back never end.
    pattern = Path(word)
    return sorted(map(str, Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))))


def _of_folder(folder: str) -> Iterator[str]:
    for path, folders, names in os.walk(folder, onerror=_unreadable):
        folders.sort()
        for name in sorted(names):
            if name.endswith(SUFFIXES):
                file = os.path.join(path, name)  # noqa: PTH118 - of a hundred thousand
                if _is_special(file):
                    note(f"{file} is no regular file: not read")
                else:
                    yield file


def _is_special(file: str) -> bool:
    """A FIFO, a device or a socket, which could have its reader wait for ever."""
    try:
        return not stat.S_ISREG(os.stat(file).st_mode)  # noqa: PTH116 - of a hundred thousand
    except OSError:
        return False  # opening it reports the error


def _unreadable(error: OSError) -> None:
    raise FileError(f"cannot read {error.filename}: {error.strerror}")


class TraceInput:
    """The bytes of one file.

    size: of a regular file that is not packed, as it was when it was opened: a file that grows is
    read up to there; None for any other; segments, missing: as of SegmentedInput.
    """

    segments, missing = 1, 0

    def __init__(self, path: str) -> None:
        """Raises FileError where the file cannot be opened."""
        try:
            name = os.dup(0) if path == "-" else path
            self._raw: BinaryIO = open(name, "rb", buffering=0)  # noqa: SIM115 - close()
            about = os.fstat(self._raw.fileno())
            if stat.S_ISDIR(about.st_mode):
                raise FileError(f"{path} is a directory")
            self._begin = _first_bytes(self._raw, about)
        except OSError as error:
            raise FileError(f"cannot read {path}: {error.strerror}") from None
        self.path = path
        self.size: int | None = None
        self._shrank = False
        self._unread: int | None = None
        source = unpacked(self._begin, _Joined(self._take_begin, self._raw))  # type: ignore[arg-type]
        is_regular = stat.S_ISREG(about.st_mode)
        if source is None and (not is_regular or utf_16(self._begin)):
            source = _Joined(self._take_begin, self._raw)
        self._source = Text(path, source) if source else None
        if self._source is None:
            check_readable(path, self._begin)
            self.size = self._unread = about.st_size

    def _take_begin(self) -> bytes:
        begin, self._begin = self._begin, b""
        return begin

    def readinto(self, buffer: memoryview) -> int:
        """Fill some of the buffer; 0 at the end. Raises PackedError, or FileError."""
        try:
            if self._source is not None:
                return self._source.readinto(buffer)
            if self._begin:
                count = min(len(buffer), len(self._begin))
                buffer[:count] = self._begin[:count]
                self._begin = self._begin[count:]
            else:
                room = buffer if self._unread is None else buffer[: self._unread]
                count = self._raw.readinto(room) or 0  # type: ignore[attr-defined]
        except (EOFError, zlib.error) as error:
            raise PackedError(str(error)) from None
        except OSError as error:
            if not error.strerror:  # of bz2
                raise PackedError(str(error)) from None
            raise FileError(f"cannot read {self.path}: {error.strerror}") from None
        except Exception as error:
            if type(error).__name__ in {"ZstdError", "LZMAError"}:
                raise PackedError(str(error)) from None
            raise
        if self._unread is not None:
            self._unread -= count
        return count

    def show(self, window: Window, limit: int) -> int:
        """Show the next lines in the window instead of filling a buffer; their bytes, 0 where they
        have to be read. Raises FileError."""
        if self.size is None or self._unread is None or self._unread < _LEAST_SHOWN:
            return 0
        # Standard input may have been read from before.
        offset = self._raw.tell() - len(self._begin)
        length = window.move(self._raw.fileno(), offset, max(0, min(limit, self.size - offset)))
        if length:
            self._begin = b""
            self._unread -= length
            self._raw.seek(offset + length)
        return length

    def read_torn(self, window: Window, buffer: memoryview) -> int:
        """Read the bytes that the window was to show of a file that has shrunk; return their
        number.
        """
        self._shrank = True
        filled = 0
        try:
            while count := os.preadv(self._raw.fileno(), [buffer[filled:]], window.at + filled):
                filled += count
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {error.strerror}") from None
        return filled

    def change(self) -> str:
        """ "grew" or "shrank" where it has not the size any more that it had; else empty."""
        size = os.fstat(self._raw.fileno()).st_size
        if self.size is None or (size == self.size and not self._shrank):
            return ""
        return "grew" if size > self.size and not self._shrank else "shrank"

    def close(self) -> None:
        self._raw.close()


class _Joined(io.RawIOBase):
    """The first bytes, which were read already, and those after them."""

    def __init__(self, take_begin: Callable[[], bytes], rest: BinaryIO) -> None:
        self._take_begin = take_begin
        self._begin: bytes | None = None
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        if self._begin is None:
            self._begin = self._take_begin()
        if not self._begin:
            return self._rest.readinto(buffer) or 0  # type: ignore[attr-defined]
        count = min(len(buffer), len(self._begin))
        buffer[:count] = self._begin[:count]
        self._begin = self._begin[count:]
        return count


def _first_bytes(file: BinaryIO, about: os.stat_result) -> bytes:
    """Read the bytes that signatures take, within the size of a file; of a FIFO, those available,
    and four at least."""
    limit = LONGEST_SIGNATURE
    if stat.S_ISREG(about.st_mode) and about.st_size:
        limit = min(limit, about.st_size)
    begin = file.read(limit) or b""
    while 0 < len(begin) < 4 and (data := file.read(4 - len(begin))):
        begin += data
    return begin
