# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that the words of a command line name, and their bytes, whatever packs them."""

from __future__ import annotations

import io
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Protocol

from polltrace.errors import FileError
from polltrace.printable import note
from polltrace.sqltrace.window import Window

SUFFIXES = (".trc", ".trc.gz", ".trc.zst")
_PACKED_AT_ONCE = 1 << 18
_LEAST_SHOWN = 1 << 20  # less is read faster than mapped
_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Reads(Protocol):
    """What fills a buffer; 0 at the end."""

    def readinto(self, buffer: memoryview, /) -> int: ...


class PackedError(Exception):
    """Compressed data ends early or is damaged: why, in a few words."""


def trace_files(words: Iterable[str]) -> Iterator[str]:
    """Each file that is meant, in order: `-` is stdin, a folder its trace files and those below, a
    pattern what it matches. Links to folders below are not followed, and what is no regular file is
    read only where a word names it. Raises FileError for a word that names nothing."""
    for word in words:
        if not word:
            raise FileError("a trace file's name is empty")
        found = [word] if word == "-" or _is_there(word) else _matching(word)
        if not found:
            raise FileError(f"{word}: no such file or directory")
        for each in found:
            yield from _of_folder(each) if os.path.isdir(each) else (each,)  # noqa: PTH112


def _is_there(word: str) -> bool:
    try:
        os.stat(word.rstrip("/") or word)  # noqa: PTH116 - pathlib is slow to load
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass  # opening it says what is wrong
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
        return False  # opening it says what is wrong


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
            self._begin = _first_bytes(self._raw)
        except OSError as error:
            raise FileError(f"cannot read {path}: {error.strerror}") from None
        self.path = path
        self.size: int | None = None
        self._shrank = False
        self._left: int | None = None
        self._source = self._unpacked()
        if self._source is None and stat.S_ISREG(about.st_mode):
            self.size = self._left = about.st_size

    def _unpacked(self) -> Reads | None:
        if self._begin.startswith(_GZIP):
            return _Gzip(_Joined(self._take_begin(), self._raw))
        if self._begin.startswith(_ZSTANDARD):
            import zstandard

            whole = _Joined(self._take_begin(), self._raw)
            return zstandard.ZstdDecompressor().stream_reader(
                whole,  # type: ignore[arg-type]
                read_size=1 << 20,
                read_across_frames=True,
            )
        return None

    def _take_begin(self) -> bytes:
        begin, self._begin = self._begin, b""
        return begin

    def readinto(self, buffer: memoryview) -> int:
        """Fill some of the buffer; 0 at the end. Raises PackedError, or FileError."""
        try:
            if self._begin:
                begin = self._take_begin()
                buffer[: len(begin)] = begin
                count = len(begin)
            elif self._source is not None:
                return self._source.readinto(buffer)
            else:
                room = buffer if self._left is None else buffer[: self._left]
                count = self._raw.readinto(room) or 0  # type: ignore[attr-defined]
        except (EOFError, zlib.error) as error:
            raise PackedError(str(error)) from None
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {error.strerror}") from None
        except Exception as error:
            if type(error).__name__ == "ZstdError":
                raise PackedError(str(error)) from None
            raise
        if self._left is not None:
            self._left -= count
        return count

    def show(self, window: Window, most: int) -> int:
        """Show the next lines in the window instead of filling a buffer; their bytes, 0 where they
        have to be read. Raises FileError."""
        if self.size is None or self._left is None or self._left < _LEAST_SHOWN:
            return 0
        # Standard input may have been read from before.
        at = self._raw.tell() - len(self._begin)
        length = window.move(self._raw.fileno(), at, max(0, min(most, self.size - at)))
        if length:
            self._begin = b""
            self._left -= length
            self._raw.seek(at + length)
        return length

    def read_torn(self, window: Window, buffer: memoryview) -> int:
        """Read what the window was to show, of a file that has shrunk; how much there is."""
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
        now = os.fstat(self._raw.fileno()).st_size
        if self.size is None or (now == self.size and not self._shrank):
            return ""
        return "grew" if now > self.size and not self._shrank else "shrank"

    def close(self) -> None:
        self._raw.close()


class _Gzip:
    """The members of a gzip file one after the other. Unlike gzip.GzipFile it hands over what it
    has before it finds that the file is damaged."""

    def __init__(self, packed: _Joined) -> None:
        self._packed = packed
        self._left = b""
        self._member = zlib.decompressobj(wbits=31)
        self._begun = False

    def readinto(self, buffer: memoryview) -> int:
        while True:
            if self._member.eof:
                self._left = self._member.unused_data.lstrip(b"\0")
                self._member, self._begun = zlib.decompressobj(wbits=31), False
            self._left = self._left or self._packed.read(_PACKED_AT_ONCE)
            if not self._left and not self._begun:
                return 0
            ended = not self._left
            self._begun = True
            found = self._member.decompress(self._left, len(buffer))
            self._left = self._member.unconsumed_tail
            if found:
                buffer[: len(found)] = found
                return len(found)
            if ended and not self._member.eof:
                raise EOFError("it ends early")


class _Joined(io.RawIOBase):
    """The first bytes, which were read already, and those after them."""

    def __init__(self, begin: bytes, rest: BinaryIO) -> None:
        self._begin = begin
        self._rest = rest

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._begin:
            return self._rest.read(size)
        taken = len(self._begin) if size < 0 else size
        begin, self._begin = self._begin[:taken], self._begin[taken:]
        return begin


def _first_bytes(file: BinaryIO) -> bytes:
    """Up to four; a FIFO gives what it has."""
    begin = b""
    while len(begin) < 4 and (more := file.read(4 - len(begin))):
        begin += more
    return begin
