# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of one recording: FILE is being written, FILE.1 is the previous one, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from polltrace.errors import FileError, FileFormatError, UsageError
from polltrace.recording.file import STDOUT, RecordingFile
from polltrace.recording.scan import Scan

Records = Iterable[Mapping[str, Any]]


class Parts:
    """Writes to `path`, and continues in a new file when that has `max_bytes`.

    `opening(part)` gives the first records of a file, which make it complete by itself;
    `closing(reason)` its trailer. `keep` full files are retained next to the current one. Raises
    FileError.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_bytes: int,
        keep: int,
        opening: Callable[[int], Records],
        closing: Callable[[str], Mapping[str, Any]],
    ) -> None:
        self._path, self._max_bytes, self._keep = path, max_bytes, keep
        self._opening, self._closing = opening, closing
        self.part = 0
        self._next()

    def write(self, records: Records) -> None:
        self._file.write(records)
        # Where the opening alone is nearly that large, the file may grow to twice the opening.
        if self._file.size >= max(self._max_bytes, 2 * self._opened) and _is_file(self._path):
            self._file.finish(self._closing("rotated"))
            self._shift()
            self._next()

    def finish(self, reason: str) -> None:
        self._file.finish(self._closing(reason))

    def close(self) -> None:
        """Close the file without a trailer."""
        self._file.close()

    def _next(self) -> None:
        self.part += 1
        self._file = RecordingFile(self._path)
        self._file.write(self._opening(self.part))
        self._opened = self._file.size

    def _shift(self) -> None:
        names = [self._path, *(_numbered(self._path, i) for i in range(1, self._keep + 1))]
        try:
            names[-1].unlink(missing_ok=True)
            for older, newer in zip(names[:0:-1], names[-2::-1], strict=True):
                if newer.exists():
                    newer.rename(older)
        except OSError as error:
            raise FileError(f"cannot rename the parts of {self._path}: {error.strerror}") from None


def make_room(path: Path) -> None:
    """Rename an existing recording to FILE.old, as perf does.

    Raises UsageError for a file that is no recording, which may be valuable, and for a link,
    because moving /dev/stdout would harm others; FileError where it cannot be renamed.
    """
    if not _is_file(path):
        return
    if path.is_symlink():
        raise UsageError(f"{path} is a link; name the file itself, or - for standard output")
    try:
        if path.stat().st_size == 0:
            path.unlink()
            return
        Scan(path)
        path.rename(_sibling(path, "old"))
    except FileFormatError:
        raise UsageError(f"{path} exists and is no recording; name another file") from None
    except OSError as error:
        raise FileError(f"cannot move {path} out of the way: {error.strerror}") from None


def _is_file(path: Path) -> bool:
    """True for an existing regular file: no device, no pipe, and not STDOUT."""
    return path != STDOUT and path.is_file()


def _numbered(path: Path, number: int) -> Path:
    return _sibling(path, str(number))


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")
