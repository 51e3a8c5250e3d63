# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace files that Oracle has cut into segments.

Where MAX_DUMP_FILE_SIZE is large, a server of 12.1 and later writes NAME.trc up to a fifth of it,
renames it to NAME_1.trc and goes on in a new NAME.trc, then NAME_2.trc and so on; of more than
five, it deletes the oldest but the first. (Database Administrator's Guide, "Trace File
Segmentation and MAX_DUMP_FILE_SIZE".)

A trace file identifier can look like the number of a segment. Such a file names itself in its first
line; a segment names the file that it was, or nothing.
"""

from __future__ import annotations

import functools
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from polltrace.errors import FileError
from polltrace.sqltrace.inputs import PackedError, TraceInput, trace_files
from polltrace.sqltrace.window import Window

_PACKED = ("", ".gz", ".zst", ".bz2", ".xz")
_WHOLE = re.compile(r"(.+)\.trc(?:\.gz|\.zst|\.bz2|\.xz)?", re.DOTALL)
_SEGMENT = re.compile(r"(.+)_([1-9][0-9]{0,8})\.trc(?:\.gz|\.zst|\.bz2|\.xz)?", re.DOTALL)
_HEADER = rb"Trace file ([^\r\n]+)"
_LONGEST_HEADER = 8192


class TraceSegment(NamedTuple):
    """number: in the order of the trace, from 1; path: the file."""

    number: int
    path: str


def segments_before(path: str) -> Sequence[TraceSegment]:
    """The segments that come before the one in `path`, in order; none for most files."""
    trace_name = _WHOLE.fullmatch(path)
    if not trace_name:
        return ()
    first_names = (f"{trace_name[1]}_1.trc{suffix}" for suffix in _PACKED)
    if not any(map(os.path.exists, first_names)):
        return ()
    folder, stem = os.path.split(trace_name[1])
    numbered = [
        TraceSegment(number, os.path.join(folder, name))  # noqa: PTH118
        for number, name in _numbered(folder, _changed(folder)).get(stem, ())
    ]
    if not numbered or numbered[0].number != 1 or _named_in(numbered[0].path) != stem:
        return ()
    return [
        numbered[0],
        *(segment for segment in numbered[1:] if _named_in(segment.path) in (stem, None)),
    ]


def traces(words: Iterable[str]) -> Iterator[str]:
    """The files that are meant (trace_files) without those that are read as segments of another of
    them."""
    listed = list(trace_files(words))
    stems = {_absolute(of[1]) for path in listed if (of := _SEGMENT.fullmatch(path))}
    cut: Iterable[str] = (
        path for path in listed if (of := _WHOLE.fullmatch(path)) and _absolute(of[1]) in stems
    ) if stems else ()  # fmt: skip
    read = {_absolute(segment.path) for path in cut for segment in segments_before(path)}
    yield from (path for path in listed if not read or _absolute(path) not in read)


def trace_bytes(path: str) -> int:
    """On disk, with the segments before it."""
    files = (*(segment.path for segment in segments_before(path)), path)
    return sum(os.path.getsize(path) for path in files)  # noqa: PTH202


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they were named


def _changed(folder: str) -> int:
    try:
        return os.stat(folder or ".").st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


@functools.lru_cache(maxsize=4)
def _numbered(folder: str, _changed: int) -> Mapping[str, Sequence[tuple[int, str]]]:
    """Numbers and names of the files in a folder that are called like segments, by stem."""
    by_number: dict[str, dict[int, str]] = {}
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return {}
    for name in names:
        if match := _SEGMENT.fullmatch(name):
            by_number.setdefault(match[1], {}).setdefault(int(match[2]), name)
    return {stem: sorted(numbers.items()) for stem, numbers in by_number.items()}


def _named_in(path: str) -> str | None:
    """The name, without its end, by which a file's first line calls it; None where it has none,
    empty where it cannot be read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            return ""
        file = TraceInput(path)
    except (FileError, OSError):
        return ""
    try:
        header = re.match(_HEADER, _first_bytes(file))
    except (PackedError, FileError):
        return ""
    finally:
        file.close()
    if not header:
        return None
    name = re.split(rb"[/\\]", header[1])[-1].decode("utf-8", "surrogateescape")
    return name.removesuffix(".trc")


def _first_bytes(file: TraceInput) -> bytes:
    begin, filled = bytearray(_LONGEST_HEADER), 0
    while filled < len(begin) and (count := file.readinto(memoryview(begin)[filled:])):
        filled += count
    return bytes(begin[:filled])


class SegmentedInput:
    """The bytes of a trace's segments one after the other, with `path`, the last, at the end.

    size: of all, where none is packed; missing: how many were deleted between the first and the
    last.
    """

    def __init__(self, path: str, earlier: Sequence[TraceSegment]) -> None:
        """Raises FileError where one cannot be opened."""
        self.path = path
        self.missing = earlier[-1].number - len(earlier)
        self.segments = len(earlier) + 1
        self._files: list[TraceInput] = []
        try:
            for name in (*(segment.path for segment in earlier), path):
                self._files.append(TraceInput(name))
        except FileError:
            self.close()
            raise
        sizes = [part.size for part in self._files]
        self.size = None if None in sizes else sum(size or 0 for size in sizes)
        self._left = list(self._files)

    def readinto(self, buffer: memoryview) -> int:
        """Fill some of the buffer; 0 at the end. Raises PackedError, or FileError."""
        while self._left:
            if count := self._left[0].readinto(buffer):
                return count
            del self._left[0]
        return 0

    def show(self, _window: Window, _most: int) -> int:
        """Map nothing: a line may begin in one segment and end in the next."""
        return 0

    def read_torn(self, _window: Window, _buffer: memoryview) -> int:
        raise NotImplementedError  # of no window

    def change(self) -> str:
        """TraceInput.change() of the first segment that has changed."""
        return next((change for part in self._files if (change := part.change())), "")

    def close(self) -> None:
        for part in self._files:
            part.close()


def open_trace(path: str) -> TraceInput | SegmentedInput:
    """The trace in that file, with the segments before it. Raises FileError where it cannot be
    opened."""
    earlier = segments_before(path) if path != "-" else ()
    return SegmentedInput(path, earlier) if earlier else TraceInput(path)
