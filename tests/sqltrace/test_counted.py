# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls that the scanner counts are those that it makes rows of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import zstandard

from polltrace.sqltrace.blocks import FilledBlock
from polltrace.sqltrace.counted_calls import CountedCalls, CountedRows, counted_rows
from polltrace.sqltrace.file_scan import Block, FileScan, ScanOptions
from polltrace.sqltrace.library import PADDING
from polltrace.sqltrace.relation import is_of_alike
from tests.sqltrace.test_blocks import MIXED
from tests.sqltrace.traces import REAL, call, parsing, scan, wait

TRACE = (
    MIXED
    + parsing(7, "update seg$", dep=1)
    + 3 * call("EXEC", 7, c=7, e=9, tim=3000, dep=1)
    + 2 * call("EXEC", 5, c=7, e=9, tim=3100)
    + wait(5, "EXEC", 7, 3200)
    + wait(5, "caf\xe9 ", 7, 3300)
    + "WAIT #5: nam='of 9i' ela= 3 p1=1 p2=2 p3=3\n"
    + "XCTEND rlbk=0, rd_only=1, tim=3400\n"
)
Alike = Counter[tuple[str, str, int]]


def of_rows(data: bytes, *, recursive: bool) -> Alike:
    """The same by rows."""
    rows = scan(data, ("kind", "name", "dur_us", "dep"))[0].to_pylist()
    return Counter(
        (row["kind"], row["name"], row["dur_us"])
        for row in rows
        if recursive or row["kind"] == "wait" or row["dep"] <= 0
    )


def counted(data: bytes, **options: Any) -> Alike:
    found: Alike = Counter()
    for row in scan(data, (), counted=True, **options)[0].to_pylist():
        found[row["kind"], row["name"], row["dur_us"]] += row["times"]
    return found


@pytest.mark.parametrize("recursive", [True, False])
@pytest.mark.parametrize("size", [60, 257, 1 << 20])
def test_counted_calls_equal_the_rows(size: int, recursive: bool) -> None:
    data = TRACE.encode("latin-1")
    expected = of_rows(data, recursive=recursive)
    assert counted(data, block=size, recursive=recursive) == expected
    assert expected["wait", "EXEC", 7] == 1
    assert expected["call", "EXEC", 7] == (5 if recursive else 2)


def test_the_file_summary_is_the_same_for_counted_calls() -> None:
    packed = sorted(REAL.glob("*.zst"))[0].read_bytes()
    data = zstandard.ZstdDecompressor().decompress(packed)
    assert counted(data) == of_rows(data, recursive=True)
    of_counted, by_rows = (
        scan(data, ("kind",), counted=which)[1]._replace(cursors_forgotten=0)
        for which in (True, False)
    )
    assert of_counted == by_rows
    assert of_counted.statements > 0


def test_many_durations_and_names_come_in_several_batches() -> None:
    lines = [wait(1, f"event {i % 9}", i, 1000 + i) for i in range(200_000)]
    found = FileScan("a.trc", ScanOptions((), counted=True))
    sizes, found_calls, block = [], CountedCalls(), Block()
    for begin in range(0, len(lines), 10_000):
        part = "".join(lines[begin : begin + 10_000]).encode()
        data = FilledBlock(bytearray(part + bytes(PADDING)), len(part))
        found.read(block, data.address, data.length)
        for batch in (found.batch(block), found.batch(None) if begin == 190_000 else None):
            if batch is not None:
                sizes.append(batch.rows)
                found_calls.add(counted_rows(batch, "a.trc"))
    assert len(sizes) > 2
    assert max(sizes) < 80_000
    expected = Counter(("wait", f"event {i % 9}", i, 1) for i in range(200_000))
    assert Counter(found_calls.rows()) == expected
    assert found_calls.held == 200_000


def test_batches_of_counts_are_added() -> None:
    calls = CountedCalls()
    calls.add(CountedRows(["a", "b"], [1, 2, 1], [0, 0, 1], [7, 7, 7], [1, 2, 3]))
    calls.add(CountedRows(["b", "a"], [1, 1], [0, 1], [7, 8], [10, 1]))
    assert sorted(calls.rows()) == [
        ("call", "a", 7, 1), ("call", "a", 8, 1), ("call", "b", 7, 13), ("wait", "a", 7, 2)
    ]  # fmt: skip
    assert calls.held == 4


@pytest.mark.parametrize(
    ("expression", "alike"),
    [
        ("name (dur < 0.7)", True),
        ("case when dur < 1e-6 then upper(nam) else 'random()' end", True),
        ("name (dur < 0.7 and dep = 1)", False),
        ("name (random() < 0.5)", False),
        (r"name (name = E'\' and random() < 0.5 or name = \'')", False),
        ("name (dur > (select 1))", False),
        ("name || $$ dep $$", False),
    ],
)
def test_repeated_call_fields_are_read_once(expression: str, alike: bool) -> None:
    assert is_of_alike(expression) == alike
