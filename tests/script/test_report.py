# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows as lines: whole reports."""

from __future__ import annotations

import pytest

from polltrace.scenarios.script.column_format import ColumnFormats
from polltrace.scenarios.script.display import Described, display_column
from polltrace.scenarios.script.report import Row, report
from polltrace.scenarios.script.set_command import run_set
from polltrace.scenarios.script.settings import Settings

NAME = Described("NAME", "VARCHAR", 6)
SIZE = Described("SIZE_", "NUMBER", 127)
AT = Described("AT_THIS_TIME", "DATE", 23)
ROWS: list[Row] = [["ab", "1.50", "2024-02-29T13:00:00"], [None, None, None]]


def lines(
    described: list[Described], rows: list[Row], options: str = "", *columns: str
) -> list[str]:
    settings, formats = Settings(), ColumnFormats()
    if options:
        run_set(settings, options)
    for column in columns:
        formats.run(column)
    shown = [
        display_column(each, formats.of(each.name), settings, "DD-MON-RR") for each in described
    ]
    return [line.rstrip() for line in report(shown, settings, rows)]


def test_a_page() -> None:
    assert lines([NAME, SIZE, AT], ROWS) == [
        "",
        "NAME        SIZE_ AT_THIS_T",
        "------ ---------- ---------",
        "ab            1.5 29-FEB-24",
        "",
    ]


def test_pages_repeat_headings() -> None:
    found = lines([NAME], [[str(n)] for n in range(5)], "pagesize 5")
    heading = ["", "NAME", "------"]
    assert found == [*heading, "0", "1", *heading, "2", "3", *heading, "4"]


def test_a_page_of_no_lines_has_no_heading() -> None:
    assert lines([NAME], [["a"]], "pagesize 0") == ["a"]
    assert lines([NAME], [["a"]], "heading off") == ["", "a"]
    assert lines([NAME], [["a"]], "underline off newpage 0") == ["NAME", "a"]
    assert lines([NAME], []) == []


def test_columns_take_more_lines_than_one() -> None:
    assert lines([NAME, SIZE], [["ab", "7"], ["c", "8"]], "linesize 12") == [
        "",
        "NAME",
        "------",
        "     SIZE_",
        "----------",
        "ab",
        "         7",
        "",
        "c",
        "         8",
        "",
    ]
    assert lines([NAME, SIZE], [["ab", "7"]], "linesize 17 pagesize 0") == ["ab              7"]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("name format a3", ["a b", " cd", ""]),
        ("name format a3 word_wrapped", ["a b", "cd", ""]),
        ("name format a3 truncated", ["a b"]),
        ("name format a3 trunc", ["a b"]),
        ("NAME for a10", ["a b cd"]),
    ],
)
def test_text_that_is_longer_than_its_column(column: str, expected: list[str]) -> None:
    assert lines([NAME], [["a b cd"]], "pagesize 0", column) == expected


def test_rows_without_a_separator() -> None:
    assert lines([NAME], [["abcd"]], "pagesize 0 recsep off", "name format a2") == ["ab", "cd"]
    assert lines([NAME], [["a\nb"]], "pagesize 0 wrap off") == ["a"]


def test_headings() -> None:
    found = lines(
        [NAME, SIZE], [["a", "5"]], "colsep !", "name heading 'First|name' justify right",
        "size_ format 990.0 heading 'A long one'",
    )  # fmt: skip
    assert found == [
        "",
        " First!",
        "  name!A long one",
        "------!----------",
        "a     !       5.0",
    ]


def test_columns_that_are_not_printed() -> None:
    assert lines([NAME, SIZE], [["a", "5"]], "pagesize 0", "name noprint") == ["         5"]


def test_nulls() -> None:
    found = lines([NAME, SIZE], [[None, None]], "pagesize 0 null -", "size_ null none")
    assert found == ["-            none"]


def test_a_number_that_does_not_fit_its_format() -> None:
    assert lines([SIZE], [["1000"]], "pagesize 0", "size_ format 99") == ["#####"]
    assert lines([SIZE], [["1000"]], "pagesize 0 numwidth 4") == [" 1000"]


def test_types() -> None:
    stamp = Described("T", "TIMESTAMP", 23)
    raw = Described("R", "RAW", 3)
    assert lines([stamp], [["2024-02-29T13:00:00.000250"]], "pagesize 0") == [
        "29-FEB-24 01.00.00.000250 PM"
    ]
    assert lines([raw, NAME], [["0A0B", "x"]], "pagesize 0") == ["0A0B   x"]
    assert lines([Described("D", "BINARY_DOUBLE", 0)], [["nan"]], "pagesize 0") == ["       Nan"]
