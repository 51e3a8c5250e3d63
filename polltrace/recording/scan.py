# SPDX-License-Identifier: GPL-2.0-or-later
"""The records of a file in their order, as far as they can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from polltrace.errors import FileError, FileFormatError
from polltrace.recording.header import RecordingHeader, header_of
from polltrace.recording.upgrade import upgraded

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# The memory that an untrusted file may use.
_LARGEST_WINDOW = 1 << 27
_LARGEST_FRAME = 1 << 28
# A few bytes may decompress to 128 KiB each: small chunks bound the output of one step.
_BITE = 1 << 12


def _no_number(constant: str) -> None:
    """Refuse NaN and Infinity, which Python's parser accepts and JSON does not have."""
    raise ValueError(constant)


ENDED_EARLY = "it ends in the middle: polltrace was killed, or this is not all of the file"
NO_TRAILER = "it has no trailer: polltrace was killed, or the disk was full"


class Scan:
    """Opens a recording; iterating gives every record after the header, in the form of this version
    of the format.

    `tear`, after the last record, is the reason why the file is incomplete; empty for a complete
    one. Raises FileError for a file that cannot be read, FileFormatError for one that is no
    recording.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tear = ""
        self._records = self._read()
        first = next(self._records, None)
        if first is None or not isinstance(first, dict) or "format" not in first:
            raise FileFormatError(f"{path} is no recording{self.tear and ', or '}{self.tear}")
        try:
            self.header: RecordingHeader = header_of(first)
        except FileFormatError as error:
            raise FileFormatError(f"{path} is {error}") from None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        last = None
        for record in self._records:
            last = record.get("type") if isinstance(record, dict) else None
            if last is None:
                self.tear = f"record without a type: {str(record)[:60]!r}"
                return
            yield upgraded(record, self.header.version)
        if last != "trailer" and not self.tear:
            self.tear = NO_TRAILER

    def damaged(self, why: object) -> None:
        """Note that the remaining file cannot be read."""
        self.tear = f"it is damaged ({why})"

    def _read(self) -> Iterator[Any]:
        unfinished = b""
        for text in self._frames():
            *lines, unfinished = (unfinished + text).split(b"\n")
            for line in lines:
                try:
                    yield json.loads(line, parse_constant=_no_number)
                except (ValueError, RecursionError):
                    self.damaged(f"not a record: {line[:40]!r}")
                    return
        if unfinished and not self.tear:
            self.tear = ENDED_EARLY

    def _frames(self) -> Iterator[bytes]:
        """The content of each zstd frame, verified; of a torn last frame, the readable part."""
        try:
            with self.path.open("rb") as file:
                if file.read(4) != ZSTD_MAGIC:
                    return
                file.seek(0)
                yield from self._unpacked(file)
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {error.strerror}") from None

    def _unpacked(self, file: BinaryIO) -> Iterator[bytes]:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
        bite = file.read(_BITE)
        while bite:
            frame, content, size = unpacker.decompressobj(), [], 0
            while bite and not frame.eof:
                try:
                    content.append(frame.decompress(bite))
                except zstandard.ZstdError as error:
                    self.damaged(error)
                    return
                size += len(content[-1])
                if size > _LARGEST_FRAME:
                    self.damaged("larger than any recording")
                    return
                bite = frame.unused_data if frame.eof else b""
                bite = bite or file.read(_BITE)
            if not frame.eof:
                self.tear = ENDED_EARLY
            yield b"".join(content)
