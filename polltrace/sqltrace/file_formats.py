# SPDX-License-Identifier: GPL-2.0-or-later
"""Formats in which trace files are sent: those that are unpacked, and those that are only named."""

from __future__ import annotations

import codecs
import zlib
from typing import TYPE_CHECKING, Protocol

from polltrace.errors import FileError

if TYPE_CHECKING:
    from typing import BinaryIO

SUFFIXES = (".trc", ".trc.gz", ".trc.zst", ".trc.bz2", ".trc.xz")
LONGEST_SIGNATURE = 512

_COMPRESSED_PER_READ = 1 << 18
_REFUSED = (
    (b"PK\x03\x04", 0, "zip archive"),
    (b"PK\x05\x06", 0, "zip archive"),
    (b"ustar", 257, "tar archive"),
    (b"\x1f\x9d", 0, "file of compress (.Z)"),
    (b"7z\xbc\xaf\x27\x1c", 0, "7z archive"),
    (b"Rar!", 0, "rar archive"),
    (b"\x04\x22\x4d\x18", 0, "lz4 file"),
)


class ContentStream(Protocol):
    """Fills a buffer; returns the number of bytes, 0 at the end."""

    def readinto(self, buffer: memoryview, /) -> int: ...


def check_readable(path: str, begin: bytes) -> None:
    """Raises FileError where the first bytes are those of a format that has to be unpacked."""
    for signature, offset, name in _REFUSED:
        if begin.startswith(signature, offset):
            raise FileError(f"{path} is a {name}: unpack it first, and name the unpacked file")


def unpacked(begin: bytes, packed: BinaryIO) -> ContentStream | None:
    """The content of a compressed file, which `packed` reads from its start; None for others."""
    if begin.startswith(b"\x1f\x8b"):
        return _Gzip(packed)
    if begin.startswith(b"BZh"):
        import bz2

        return bz2.BZ2File(packed)
    if begin.startswith(b"\xfd7zXZ"):
        import lzma

        return lzma.LZMAFile(packed)
    if begin.startswith(b"\x28\xb5\x2f\xfd"):
        import zstandard

        decompressor = zstandard.ZstdDecompressor()
        return decompressor.stream_reader(packed, read_size=1 << 20, read_across_frames=True)
    return None


def utf_16(begin: bytes) -> str:
    """The codec of a text in UTF-16 that begins so, by its mark or its zeros; else empty."""
    if begin.startswith(codecs.BOM_UTF16_LE) or (len(begin) >= 4 and _zeros(begin[:4]) == [1, 3]):
        return "utf-16-le"
    if begin.startswith(codecs.BOM_UTF16_BE) or (len(begin) >= 4 and _zeros(begin[:4]) == [0, 2]):
        return "utf-16-be"
    return ""


def _zeros(begin: bytes) -> list[int]:
    return [place for place, byte in enumerate(begin) if not byte]


class Text:
    """The content of a trace as bytes whose lines end with a newline: UTF-16 becomes UTF-8."""

    def __init__(self, path: str, source: ContentStream) -> None:
        self._path = path
        self._source = source
        self._decoder: codecs.IncrementalDecoder | None = None
        self._begun = False
        self._ready = b""

    def readinto(self, buffer: memoryview) -> int:
        """Raises FileError where the content is that of an archive."""
        if not self._begun:
            self._begin()
        while self._decoder and not self._ready:
            part = bytearray(len(buffer))
            count = self._source.readinto(memoryview(part))
            self._ready = self._decoder.decode(bytes(part[:count]), not count).encode()
            if not count:
                self._decoder = None
        if not self._ready:
            return self._source.readinto(buffer)
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _begin(self) -> None:
        begin, count = bytearray(LONGEST_SIGNATURE), 0
        while count < len(begin) and (length := self._source.readinto(memoryview(begin)[count:])):
            count += length
        self._begun = True
        self._ready = bytes(begin[:count])
        check_readable(self._path, self._ready)
        if codec := utf_16(self._ready):
            self._decoder = codecs.getincrementaldecoder(codec)("replace")
            self._ready = self._decoder.decode(self._ready).lstrip("\ufeff").encode()


class _Gzip:
    """The members of a gzip file one after the other. Unlike gzip.GzipFile it hands over the bytes
    before a damaged part."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._compressed = b""
        self._member = zlib.decompressobj(wbits=31)
        self._begun = False

    def readinto(self, buffer: memoryview) -> int:
        while True:
            if self._member.eof:
                self._compressed = self._member.unused_data.lstrip(b"\0")
                self._member, self._begun = zlib.decompressobj(wbits=31), False
            self._compressed = self._compressed or self._packed.read(_COMPRESSED_PER_READ)
            if not self._compressed and not self._begun:
                return 0
            ended = not self._compressed
            self._begun = True
            content = self._member.decompress(self._compressed, len(buffer))
            self._compressed = self._member.unconsumed_tail
            if content:
                buffer[: len(content)] = content
                return len(content)
            if ended and not self._member.eof:
                raise EOFError("it ends early")
