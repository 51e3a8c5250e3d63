# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks as a pprof profile: profile.proto of google/pprof, gzip-compressed protocol buffers.

Written by hand: it takes six message types of integers and strings, and a protobuf runtime with
generated code would weigh more than all the rest of this package. Names are resolved already, so
a reader needs no executables; mappings and addresses are kept for readers of machine code.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from polltrace.stacks.frame import Frame


def pprof(  # noqa: PLR0913 - the fields of the format, by keyword
    stacks: Iterable[tuple[Sequence[Frame], int]],
    kind: str,
    unit: str,
    *,
    time_ns: int = 0,
    period_ns: int = 0,
    comments: Sequence[str] = (),
) -> bytes:
    """The profile of (frames innermost first, count); kind and unit name the counted quantity.

    time_ns: when it was taken, nanoseconds since 1970, 0 for unknown. period_ns: of CPU time, for
    samples taken once in so much of it; each then has a second value, nanoseconds of CPU, which
    readers show first, and the profile has its period. 0: the counts are all. `go tool pprof
    -comments` prints the comments.
    """
    profile = _ProfileTables()
    samples = [_sample(profile, frames, _values(count, period_ns)) for frames, count in stacks]
    parts = [_message(1, _value_type(profile, kind, unit))]
    if period_ns:
        cpu = _value_type(profile, "cpu", "nanoseconds")
        parts += [_message(1, cpu), _message(11, cpu), _number(12, period_ns)]
    parts += [_number(13, profile.text(comment)) for comment in comments]
    parts += [_message(2, sample) for sample in samples]
    parts += [_message(3, body) for body in profile.mappings.values()]
    parts += [_message(4, body) for body in profile.locations.values()]
    parts += [_message(5, body) for body in profile.functions.values()]
    parts += [_message(6, text.encode("utf-8", "backslashreplace")) for text in profile.strings]
    parts.append(_number(9, time_ns))
    return gzip.compress(b"".join(parts), mtime=0)


@dataclass
class _ProfileTables:
    """The tables of a profile, filled while samples are written.

    `strings` are indexes by text; `mappings` by module, `functions` by module and name, and
    `locations` by module, name and address are encoded messages. `_ids`, by the same keys, count
    from 1.
    """

    strings: dict[str, int] = field(default_factory=lambda: {"": 0})
    mappings: dict[str, bytes] = field(default_factory=dict)
    functions: dict[tuple[str, str], bytes] = field(default_factory=dict)
    locations: dict[tuple[str, str, int], bytes] = field(default_factory=dict)
    _ids: dict[object, int] = field(default_factory=dict)

    def text(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def location(self, frame: Frame) -> int:
        key = (frame.module, frame.name, frame.address)
        if key not in self.locations:
            line = _number(1, self._function(frame))
            self._ids[key] = len(self.locations) + 1
            self.locations[key] = (
                _number(1, self._ids[key])
                + _number(2, self._mapping(frame.module))
                + _number(3, frame.address & (1 << 64) - 1)
                + _message(4, line)
            )
        return self._ids[key]

    def _function(self, frame: Frame) -> int:
        key = (frame.module, frame.name)
        if key not in self.functions:
            self._ids[key] = len(self.functions) + 1
            name = self.text(frame.name)
            self.functions[key] = (
                _number(1, self._ids[key])
                + _number(2, name)
                + _number(3, name)
                + _number(4, self.text(frame.module))
            )
        return self._ids[key]

    def _mapping(self, module: str) -> int:
        if module not in self.mappings:
            self._ids[module] = len(self.mappings) + 1
            has_functions = _number(7, 1)
            self.mappings[module] = (
                _number(1, self._ids[module]) + _number(5, self.text(module)) + has_functions
            )
        return self._ids[module]


def _value_type(profile: _ProfileTables, kind: str, unit: str) -> bytes:
    return _number(1, profile.text(kind)) + _number(2, profile.text(unit))


def _values(count: int, period_ns: int) -> Sequence[int]:
    return (count, count * period_ns) if period_ns else (count,)


def _sample(profile: _ProfileTables, frames: Sequence[Frame], values: Sequence[int]) -> bytes:
    places = b"".join(_varint(profile.location(frame)) for frame in frames)
    return _message(1, places) + _message(2, b"".join(map(_varint, values)))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(tag: int, value: int) -> bytes:
    """A field of wire type 0; zero is the default and takes no room."""
    return _varint(tag << 3) + _varint(value) if value else b""


def _message(tag: int, body: bytes) -> bytes:
    """A field of wire type 2: message, string or packed numbers."""
    return _varint(tag << 3 | 2) + _varint(len(body)) + body
