# SPDX-License-Identifier: GPL-2.0-or-later
"""The file that is being recorded: JSON Lines under zstd, complete on disk after every write."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import zstandard

from polltrace.errors import FileError

# A zstd frame carries a checksum over its content: short enough to be verified before it is
# used, long enough that the common parts of the probe's frames are written once.
_FRAME_BYTES = 1 << 22
_ZSTD_LEVEL = 3
STDOUT = Path("-")
"""Standard output in the place of a file."""


class RecordingFile:
    """A new file at `path`, readable by its owner only, or STDOUT.

    Raises FileError when it cannot be written. After each write() all records so far are in the
    kernel: a kill loses none of them. When the disk is full the file ends with the last write that
    was complete.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        flags = os.O_WRONLY | os.O_CLOEXEC
        if not path.exists() or path.is_file():
            flags |= os.O_CREAT | os.O_EXCL
        try:
            is_stdout = path == STDOUT
            self._fd = os.dup(sys.stdout.fileno()) if is_stdout else os.open(path, flags, 0o600)
        except OSError as error:
            raise self._failure(error) from None
        self._compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True)
        self._stream = self._compressor.compressobj()
        self._in_frame = 0
        self._begun = False
        self.size = 0

    def write(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Add records; when this returns they can be read. Raises FileError."""
        packed = []
        for record in records:
            line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
            packed.append(self._stream.compress(line))
            self._in_frame += len(line)
            # The header stands alone: damage elsewhere leaves it readable.
            if self._in_frame >= _FRAME_BYTES or not self._begun:
                self._begun = True
                packed.append(self._stream.flush(zstandard.COMPRESSOBJ_FLUSH_FINISH))
                self._stream = self._compressor.compressobj()
                self._in_frame = 0
        if self._in_frame:
            packed.append(self._stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
        self._put(b"".join(packed))

    def finish(self, record: Mapping[str, Any]) -> None:
        """Write the last record and close. Raises FileError."""
        try:
            self.write([record])
            if self._in_frame:
                self._put(self._stream.flush(zstandard.COMPRESSOBJ_FLUSH_FINISH))
        finally:
            self.close()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _put(self, data: bytes) -> None:
        remaining = memoryview(data)
        try:
            while remaining:
                remaining = remaining[os.write(self._fd, remaining) :]
        except OSError as error:
            with contextlib.suppress(OSError):  # a device cannot be truncated
                os.ftruncate(self._fd, self.size)
            raise self._failure(error) from None
        self.size += len(data)

    def _failure(self, error: OSError) -> FileError:
        return FileError(f"cannot write {self._path}: {error.strerror}")
