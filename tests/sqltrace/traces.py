# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces for tests: built line by line, and the real ones that come with the tests."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as arrow

from polltrace.sqltrace.arrow_batch import ArrowForm
from polltrace.sqltrace.blocks import BLOCK, BlockReader
from polltrace.sqltrace.columns import COLUMNS
from polltrace.sqltrace.file_scan import Block, FileScan, ScanOptions
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.sqltrace.window import Window

REAL = Path(__file__).parent / "real"
EVERY = tuple(each.name for each in COLUMNS)

HEADER = """\
Trace file /u01/trace/orcl_ora_4711.trc
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
Version 19.18.0.0.0
Instance name: orcl
Unix process pid: 4711, image: oracle@host

*** 2023-08-30T23:05:42.000000+00:00
*** SESSION ID:(39.64812) 2023-08-30T23:05:42.000000+00:00
*** SERVICE NAME:(app) 2023-08-30T23:05:42.000000+00:00
*** MODULE NAME:(perl@host (TNS V1-V3)) 2023-08-30T23:05:42.000000+00:00

"""


def parsing(cursor: int, sql: str, *, dep: int = 0, sqlid: str = "7cmmb5pvfds2d") -> str:
    """PARSING IN CURSOR with its text."""
    return (
        "=====================\n"
        f"PARSING IN CURSOR #{cursor} len={len(sql.encode())} dep={dep} uid=107 oct=3 lid=107 "
        f"tim=1000 hv=1994842189 ad='aba10080' sqlid='{sqlid}'\n{sql}\nEND OF STMT\n"
    )


def call(kind: str, cursor: int, *, c: int, e: int, tim: int, dep: int = 0, r: int = 0) -> str:
    return (
        f"{kind} #{cursor}:c={c},e={e},p=0,cr=3,cu=0,mis=0,r={r},dep={dep},og=1,plh=5,tim={tim}\n"
    )


def wait(cursor: int, name: str, ela: int, tim: int) -> str:
    return (
        f"WAIT #{cursor}: nam='{name}' ela= {ela} driver id=1952673792 #bytes=1 p3=0 "
        f"obj#=-1 tim={tim}\n"
    )


class _Bytes:
    path = "a.trc"

    def __init__(self, data: bytes, step: int) -> None:
        self._data = io.BytesIO(data)
        self._step = step

    def readinto(self, buffer: memoryview) -> int:
        part = self._data.read(min(self._step, len(buffer)))
        buffer[: len(part)] = part
        return len(part)

    def show(self, _window: Window, _most: int) -> int:
        return 0

    def read_torn(self, _window: Window, _buffer: memoryview) -> int:
        raise NotImplementedError


def scan(
    data: bytes | str,
    columns: Sequence[str] = EVERY,
    *,
    block: int = BLOCK,
    step: int = 1 << 30,
    **options: Any,
) -> tuple[arrow.Table, FileSummary]:
    """The calls of a trace, and the summary of the file; read in blocks of that size."""
    given = data.encode() if isinstance(data, str) else data
    asked = ScanOptions(tuple(columns), **options)
    found, form = FileScan("a.trc", asked), ArrowForm(asked)
    reader = BlockReader(_Bytes(given, step), block)
    batches, filled = [], Block()
    while part := reader.next(found.last_tim):
        if part.passed:
            found.pass_line(part.passed)
        if part.length:
            found.read(filled, part.address, part.length)
            batches.append(found.batch(filled))
        reader.give_back(part)
    if reader.cut:
        found.cut_line(reader.cut)
    batches.append(found.batch(None))
    summary = found.end()
    made = [form(each, found.file) for each in batches if each]
    return arrow.Table.from_batches(made, form.schema), summary


def rows(data: bytes | str, columns: Sequence[str] = EVERY, **options: Any) -> list[dict[str, Any]]:
    """The calls alone."""
    found: list[dict[str, Any]] = scan(data, columns, **options)[0].to_pylist()
    return found
