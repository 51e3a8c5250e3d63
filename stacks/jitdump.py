# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of code that a process made at run time, from a jitdump file as compilers write for perf.

Node (`--perf-prof`), Java (perf's agent) and others map the first page of `jit-PID.dump`, so the
process's mappings lead to the file. Its layout is tools/perf/Documentation/jitdump-specification.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

import numpy as np

from polltrace.stacks.addrspace import Mapping
from polltrace.stacks.errors import ElfError
from polltrace.stacks.source import ByteSource, BytesSource
from polltrace.stacks.stringtable import LONGEST_NAME, Names
from polltrace.stacks.symbols import RawSymbols

MOST_RECORDS = 1 << 18
LARGEST_NAMES = 1 << 26

_FILE_NAME = re.compile(r".*/jit-[0-9]+\.dump")
_MAGIC = 0x4A695444
_HEADER = struct.Struct("<III")
_RECORD = struct.Struct("<IIQ")
_LOAD = struct.Struct("<IIQQQQ")
_CODE_LOAD, _CODE_MOVE = 0, 1


def dump_mapping(mappings: Sequence[Mapping]) -> Mapping | None:
    """The mapping of a process's jitdump file; None where it writes none."""
    return next((m for m in mappings if m.inode and _FILE_NAME.fullmatch(m.path)), None)


def parse_dump(source: ByteSource) -> RawSymbols:
    """The functions of a jitdump file, addresses as in the process; the newest at an address.

    A last record that is being written is left out. ElfError for another file, or too much of one.
    """
    magic, _, position = _HEADER.unpack(source.read(0, _HEADER.size))
    if magic != _MAGIC:
        raise ElfError("not a jitdump file of this byte order")
    functions: dict[int, tuple[int, int]] = {}
    names = bytearray()
    for _ in range(MOST_RECORDS):
        if position + _RECORD.size > source.size:
            return _symbols(functions, bytes(names))
        kind, size, _ = _RECORD.unpack(source.read(position, _RECORD.size))
        if size < _RECORD.size:
            raise ElfError("malformed jitdump file")
        body = position + _RECORD.size
        position += size
        if position > source.size:
            return _symbols(functions, bytes(names))
        if kind not in (_CODE_LOAD, _CODE_MOVE) or size < _RECORD.size + _LOAD.size:
            continue
        _, _, _, address, third, fourth = _LOAD.unpack(source.read(body, _LOAD.size))
        if kind == _CODE_MOVE:
            # Here the address is the old one; the new one and the size follow.
            if address in functions:
                functions[third] = fourth, functions.pop(address)[1]
            continue
        start = body + _LOAD.size
        name = source.read(start, min(position - start, LONGEST_NAME)).partition(b"\0")[0]
        functions[address] = third, len(names)
        names += name + b"\0"
        if len(names) > LARGEST_NAMES:
            break
    raise ElfError(f"jitdump file: more than {MOST_RECORDS} records, or too many names")


def _symbols(functions: dict[int, tuple[int, int]], names: bytes) -> RawSymbols:
    start = np.array(list(functions), np.uint64)
    size = np.array([size for size, _ in functions.values()], np.uint64)
    end = np.where(size > np.iinfo(np.uint64).max - start, start, start + size)
    return RawSymbols(
        Names(BytesSource(names), 0, len(names)),
        start,
        end,
        end,
        np.array([name for _, name in functions.values()], np.uint32),
        np.zeros(len(functions), np.uint8),
    )
