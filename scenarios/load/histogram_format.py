# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of an HdrHistogram: format V2, compressed, in base64.

A header of eight bytes (cookie, length) and zlib's data: a header (_PAYLOAD) and the counters up to
the last that is not 0, each a signed number in ZigZag and LEB128; a negative one is a run of zeros.
"""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polltrace.errors import FileError

_OUTER = struct.Struct(">II")  # cookie, length of the rest
# Cookie, length of the counters, index offset, digits, lowest, highest, conversion ratio.
_PAYLOAD = struct.Struct(">IIIIQQd")
_COMPRESSED, _PLAIN = 0x1C849314, 0x1C849313
_LONGEST = 8
"""Bytes of a number: of 56 bits."""


@dataclass(frozen=True, slots=True)
class HistogramSettings:
    """The range of distinguishable values, and their number of decimal digits."""

    lowest: int
    highest: int
    digits: int


def encoded(counts: NDArray[np.int64], settings: HistogramSettings) -> str:
    """`counts` by index."""
    used = np.flatnonzero(counts)
    zeros = np.diff(used, prepend=-1) - 1
    words = np.column_stack([-zeros, counts[used]]).ravel()
    words = words[words != 0]
    numbers = _leb128(words << 1 ^ words >> 63)
    head = (0, settings.digits, settings.lowest, settings.highest, 1.0)
    data = zlib.compress(_PAYLOAD.pack(_PLAIN, len(numbers), *head) + numbers)
    return base64.b64encode(_OUTER.pack(_COMPRESSED, len(data)) + data).decode()


def _leb128(numbers: NDArray[np.int64]) -> bytes:
    """Seven bits a byte, the lowest first; all but the last have the eighth set."""
    sevens = numbers[:, None] >> 7 * np.arange(_LONGEST)
    continues = np.column_stack([sevens[:, 1:] > 0, np.zeros(len(numbers), bool)])
    starts = np.column_stack([np.ones(len(numbers), bool), continues[:, :-1]])
    return bytes((sevens & 0x7F | continues * 0x80)[starts].astype(np.uint8))


def decoded(text: str, settings: HistogramSettings, counters: int) -> NDArray[np.int64]:
    """The counts, `counters` of them. Raises FileError for a text that is damaged, or of other
    settings."""
    try:
        return _counts(_numbers(text, settings, _LONGEST * counters), counters)
    except (ValueError, struct.error, zlib.error) as error:
        raise FileError(f"a histogram is damaged: {error}") from None


def _numbers(text: str, settings: HistogramSettings, limit: int) -> bytes:
    """The first `limit` unpacked bytes."""
    outer = base64.b64decode(text, validate=True)
    cookie, length = _OUTER.unpack_from(outer)
    if cookie != _COMPRESSED or length != len(outer) - _OUTER.size:
        raise ValueError("it does not begin as one")
    unpacked = zlib.decompressobj()
    data = unpacked.decompress(outer[_OUTER.size :], _PAYLOAD.size + limit)
    if not unpacked.eof:
        raise ValueError("its end is missing")
    cookie, length, *head = _PAYLOAD.unpack_from(data)
    numbers = data[_PAYLOAD.size :]
    if cookie != _PLAIN or length != len(numbers):
        raise ValueError("its length is another")
    if tuple(head) != (0, settings.digits, settings.lowest, settings.highest, 1.0):
        raise ValueError("it is of another range")
    return numbers


def _counts(data: bytes, counters: int) -> NDArray[np.int64]:
    counts = np.zeros(counters, np.int64)
    if not data:
        return counts
    content = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(content < 0x80)
    sizes = np.diff(ends, prepend=-1)
    if not len(ends) or ends[-1] != len(content) - 1 or sizes.max() > _LONGEST:
        raise ValueError("a number has no end")
    starts = ends - sizes + 1
    place = np.arange(len(content)) - np.repeat(starts, sizes)
    numbers = np.add.reduceat((content & 0x7F).astype(np.int64) << 7 * place, starts)
    numbers = numbers >> 1 ^ -(numbers & 1)
    steps = np.where(numbers < 0, -numbers, 1)
    if steps.max() > counters or steps.sum() > counters:
        raise ValueError("it has too many counters")
    used = numbers > 0
    counts[(np.cumsum(steps) - steps)[used]] = numbers[used]
    return counts
