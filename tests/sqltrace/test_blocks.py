# SPDX-License-Identifier: GPL-2.0-or-later
"""Wherever a trace is cut into blocks, its calls are the same."""

from __future__ import annotations

from itertools import chain

import pytest
import zstandard

from polltrace.sqltrace.blocks import LONGEST_LINE
from polltrace.sqltrace.file_scan import check_columns
from tests.sqltrace.test_rules import BINDS
from tests.sqltrace.traces import HEADER, REAL, call, parsing, scan, wait

# Records of every kind, binds and texts that look like others, ends of all forms.
MIXED = (
    HEADER
    + parsing(5, "select '\nEND OF STMT\n  value=1\n' from dual")
    + BINDS.format(between="\n*** 2023-08-30T23:05:43.000000+00:00\n")
    + call("EXEC", 5, c=1, e=1, tim=2000)
    + f'BINDS #5:\n Bind#0\n  oacdty=01\n  value="a\n{wait(9, "x", 1, 1)}b"\n'
    + call("EXEC", 5, c=1, e=1, tim=2100)
    + "STAT #5 id=1 cnt=1 pid=0 pos=1 obj=0 op='SORT (cr=2 pr=0 pw=0 str=1 time=67 us)'\r\n"
    + wait(5, "SQL*Net message from client", 30, 2200)
    + "not a record\n"
)


def test_the_scanner_has_every_column() -> None:
    check_columns()


@pytest.mark.parametrize("size", [*range(60, 128, 3), 257, 1000])
def test_blocks_of_any_size_give_the_same_calls(size: int) -> None:
    whole, of_whole = scan(MIXED, plans=True)
    parts, of_parts = scan(MIXED, plans=True, block=size, step=size // 2)
    assert parts.to_pylist() == whole.to_pylist()
    assert of_parts == of_whole


@pytest.mark.parametrize("first", [" ", "\r", ""])
def test_lines_of_binds_end_anywhere(first: str) -> None:
    """They are skipped many bytes at a time: a line may end with the last of these."""
    for length in range(200):
        binds = f"BINDS #5:\n Bind#0\n{first}{length * 'x' if first else ''}\n"
        trace = length * " " + "\n" + binds + call("EXEC", 5, c=1, e=1, tim=2000) + "\xa0\n"
        table, summary = scan(trace.encode("latin-1"), ("line", "name"))
        assert table.to_pylist() == [{"line": 5, "name": "EXEC"}], length
        assert summary.lines == 6
        assert sum(summary.not_understood.values()) == 1


@pytest.mark.parametrize("size", [60, 257, 1000])
def test_every_line_is_a_row_where_lines_are_wanted(size: int) -> None:
    table, _ = scan(MIXED, ("line", "text"), all_lines=True, block=size)
    lines = [line.rstrip("\r") for line in MIXED.split("\n")[:-1]]
    assert table["text"].to_pylist() == lines
    assert table["line"].to_pylist() == list(range(1, len(lines) + 1))


def test_a_real_trace_in_small_blocks() -> None:
    packed = sorted(REAL.glob("*.zst"))[0].read_bytes()
    data = zstandard.ZstdDecompressor().decompress(packed)[:300_000]
    data = data[: data.rindex(b"\n") + 1]
    whole, of_whole = scan(data)
    parts, of_parts = scan(data, block=997)
    assert whole.num_rows > 1000
    assert of_parts == of_whole
    for name in whole.schema.names:
        assert parts[name].to_pylist() == whole[name].to_pylist(), name


def test_a_line_that_is_too_long_is_left_out_and_counted() -> None:
    before, after = wait(1, "x", 1, 100), wait(1, "x", 1, 200)
    data = before.encode() + b"WAIT " + b"x" * (3 * LONGEST_LINE) + b"\n" + after.encode()
    table, summary = scan(data, block=1 << 20)
    assert table["tim_us"].to_pylist() == [100, 200]
    assert table["line"].to_pylist() == [1, 3]
    assert table["byte_offset"].to_pylist() == [0, len(data) - len(after)]
    assert summary.not_understood == {"(line too long)": 1}
    assert summary.bytes == len(data)


def test_a_long_line_without_an_end() -> None:
    table, summary = scan(b"x" * (2 * LONGEST_LINE), block=1 << 20)
    assert table.num_rows == 0
    assert summary.not_understood == {"(line too long)": 1}


def test_all_bytes_in_all_places() -> None:
    lines = chain.from_iterable(
        (MIXED[:i].encode() + bytes([255 * (i % 2)]) + MIXED[i + 1 :].encode(),)
        for i in range(0, len(MIXED), 7)
    )
    for data in lines:
        table, summary = scan(data, all_lines=True)
        table.validate(full=True)
        assert summary.bytes == len(data)
