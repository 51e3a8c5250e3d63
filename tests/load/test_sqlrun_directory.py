# SPDX-License-Identifier: GPL-2.0-or-later
"""Directories of sqlrun, as its own are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polltrace.errors import FileError
from polltrace.scenarios.load.load_plan import SessionPlan
from polltrace.scenarios.load.session_statements import first_statements
from polltrace.scenarios.load.sqlrun_directory import is_sqlrun_directory, load_directory

from .conftest import Run


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    folder = tmp_path / "SQL"
    folder.mkdir()
    (folder / "sqlfile.conf").write_text(
        "; \n# a comment; with the delimiter\n\n"
        "  2;first.sql;\n3;second.sql;binds.txt\n1;third.sql\n"
    )
    (folder / "first.sql").write_text("select 'a?' from dual\n\n")
    (folder / "second.sql").write_text("-- ? none\nselect ?, ? from dual;\n")
    (folder / "third.sql").write_text("begin\n  null;\nend;\n/\n")
    (folder / "binds.txt").write_text("fred;32\nwilma, née;31\ndino;12\n")
    (folder / "parameters.conf").write_text(
        "# formats\nnls_date_format,dd.mm.yyyy, hh24:mi\nmax_dump_file_size,unlimited\n"
    )
    (folder / "driver-config.json").write_text("{}")
    return folder


def test_a_directory_is_read_unchanged(directory: Path) -> None:
    assert is_sqlrun_directory(directory)
    found = load_directory(directory)
    assert [each.name for each in found.statements] == ["first.sql", "second.sql", "third.sql"]
    assert [each.weight for each in found.statements] == [2, 3, 1]
    assert found.statements[0].sql == "select 'a?' from dual"
    assert found.statements[1].sql == "-- ? none\nselect :p1, :p2 from dual"
    assert found.statements[1].rows == [["fred", "32"], ["wilma, née", "31"], ["dino", "12"]]
    assert found.statements[2].sql == "begin\n  null;\nend;"
    assert first_statements(found, 0) == [
        "alter session set nls_date_format = 'dd.mm.yyyy, hh24:mi'",
        "alter session set max_dump_file_size = unlimited",
    ]


def test_rows_are_used_from_the_first_to_the_last(directory: Path) -> None:
    entries = SessionPlan(load_directory(directory), 0, 1).entries(12)
    assert entries["statement"][0] == 0
    assert set(entries["row"][entries["statement"] == 1].tolist()) == {0, 1, 2}


def test_a_directory_is_executed(
    directory: Path, run: Run, built_lab: None, tmp_path: Path
) -> None:
    (directory / "parameters.conf").write_text("nls_date_format,yyyy\n")
    options = ("--seconds", "3s", "--think", "0.01", "--sessions", "2", "--json")
    ended = run("load", str(directory), *options, "-o", str(tmp_path / "o.load.jsonl"))
    assert ended.returncode == 0, ended.stderr
    data = json.loads(ended.stdout)
    assert all(each["transactions"] for each in data["statements"])


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("sqlfile.conf", "\n1,first.sql\n", "line 1: its first character"),
        ("sqlfile.conf", ",\nx,first.sql\n", "line 2: the frequency 'x'"),
        ("sqlfile.conf", ",\n1\n", "line 2: is not frequency,SQL file,bind file"),
        ("sqlfile.conf", ",\n1,nowhere.sql\n", "nowhere.sql: there is no such file"),
        ("sqlfile.conf", ",\n1,second.sql\n", "line 2: second.sql has binds but no bind file"),
        ("sqlfile.conf", ",\n", "names no SQL file"),
        ("binds.txt", "fred;32\nwilma\n", "binds.txt: line 2: 1 values where the statement has 2"),
        ("parameters.conf", "nls_date_format\n", "parameters.conf: line 1: is not name,value"),
    ],
)
def test_an_error_is_one_line(directory: Path, file: str, content: str, complaint: str) -> None:
    (directory / file).write_text(content)
    with pytest.raises(FileError) as caught:
        load_directory(directory)
    assert complaint in str(caught.value)
