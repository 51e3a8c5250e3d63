# SPDX-License-Identifier: GPL-2.0-or-later
"""Workload files: what is read, and the one line that says what is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polltrace.errors import FileError
from polltrace.scenarios.load.workload import Workload
from polltrace.scenarios.load.workload_file import load_workload

QUERY = '[[statements]]\nsql = "select :n from dual"\nbinds = {n = 1}\n'


def read(folder: Path, text: str) -> Workload:
    path = folder / "w.toml"
    path.write_text(text)
    return load_workload(path)


def test_a_minimal_workload_is_accepted(tmp_path: Path) -> None:
    found = read(tmp_path, QUERY)
    assert (found.name, found.sessions, found.seconds) == ("w", 1, 10)
    assert found.clients == ("python-oracledb",)
    assert not found.open_loop
    assert found.statements[0].rows == [[1]]


def test_a_block_with_a_loop(tmp_path: Path) -> None:
    text = """
    [[statements]]
    sql = "begin for i in 1 .. 9 loop null; end loop; end;"
    queries = 9
    fill = "begin null; end;"
    """
    (block,) = read(tmp_path, text).statements
    assert (block.queries, block.fill) == (9, "begin null; end;")
    (query,) = read(tmp_path, QUERY).statements
    assert (query.queries, query.fill) == (1, "")
    with pytest.raises(FileError, match="queries"):
        read(tmp_path, text.replace("queries = 9", "queries = 0"))


def test_binds_of_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text(
        'name,n,unused\n"O""Hara, P.",1,x\n007,2.5,\nnull next,,y\n"12","",z\n'
    )
    text = """
    [[statements]]
    sql = "select :n, :name, :n from dual"
    binds = "b.csv"
    [[statements]]
    sql = "select :a, :b from dual"
    binds = [{a = 1, b = "x"}, {b = "y", a = 2}]
    [[statements]]
    sql = "select :1, :2, :2 from dual"
    binds = [[1, "x"], [2, "y"]]
    [[statements]]
    sql = "select :a from dual"
    binds = [5]
    """
    rows = [each.rows for each in read(tmp_path, text).statements]
    assert rows[0] == [
        [1, 'O"Hara, P.', 1],
        [2.5, "007", 2.5],
        [None, "null next", None],
        ["", "12", ""],
    ]
    assert rows[1] == [[1, "x"], [2, "y"]]
    assert rows[2] == [[1, "x", "x"], [2, "y", "y"]]
    assert rows[3] == [[5]]


def test_literals_comments_and_terminators_of_statements_are_recognised(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(
        "-- what: a comment?\nselect to_char(d, 'HH24:MI:SS'), q'[a :b]' /* :c */, \":d\"\n"
        "from t where n = :n;\n"
    )
    text = """
    [[statements]]
    sql = "a.sql"
    binds = {n = 1}
    [[statements]]
    sql = "begin p(:a); end;\\n/"
    binds = {a = 1}
    [[statements]]
    sql = "insert into t values (:a)"
    binds = {A = 1}
    """
    found = read(tmp_path, text).statements
    assert [each.kind for each in found] == ["query", "block", "change"]
    assert found[0].sql.endswith("where n = :n")
    assert found[1].sql == "begin p(:a); end;"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "statements: is missing"),
        ("sesions = 2\n" + QUERY, "sesions: no such key; did you mean sessions?"),
        ("sessions = 0\n" + QUERY, "sessions: is not a whole number from 1"),
        ("sessions = true\n" + QUERY, "sessions: is not a whole number"),
        ("seconds = nan\n" + QUERY, "seconds: is not a number"),
        ("rate = 10\nthink_s = 1\n" + QUERY, "think_s: is of a closed loop"),
        ("rate = 0\n" + QUERY, "rate: 0 is not from"),
        ('arrivals = "poisson"\n' + QUERY, "arrivals: goes with 'rate'"),
        ('client = "sqlplus"\n' + QUERY, "client: 'sqlplus' is none of python-oracledb"),
        ('client = "psycopg"\n' + QUERY, "client: 'psycopg' is none of python-oracledb"),
        ('ignored_errors = ["1"]\n' + QUERY, "ignored_errors: '1' is no code"),
        ('order = "sequential"\n' + QUERY + "weight = 0.5\n", "weight: is not a whole number"),
        (QUERY.replace("n = 1", "m = 1"), "the statement and the binds do not agree about m, n"),
        (QUERY.replace("{n = 1}", '"b.csv"'), "b.csv: there is no such file"),
        (QUERY.replace("{n = 1}", "{n = true}"), "binds: True is neither"),
        ("[parameters]\n'a b' = 1\n" + QUERY, "parameters.a b: is no name"),
        ('[trace]\nidentifier = "a\'b"\n' + QUERY, "trace.identifier: is not made of"),
        ('[think_s]\ndistribution = "uniform"\nlow = 2\nhigh = 1\n' + QUERY, "low: is more than"),
        ("[think_s]\nsd = 2\n" + QUERY, "think_s.sd: is not of a exponential"),
        (
            '[[statements]]\nsql = "begin p(:a, :a); end;"\nbinds = {a = 1}\n',
            "uses the bind a twice",
        ),
        ("a = [" * 2000, "w.toml: "),
    ],
)
def test_an_error_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(FileError) as caught:
        read(tmp_path, text)
    assert complaint in str(caught.value)
    assert str(caught.value).startswith(("cannot read", str(tmp_path)))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "is empty"),
        ("a\n1\n", "line 1: its first line must name n"),
        ("n\n", "has no row"),
        ("n,b\n1\n", "line 2: 1 values where line 1 names 2"),
        ('n\n"1\n', "line 2"),
    ],
)
def test_a_wrong_bind_file_is_one_line(tmp_path: Path, content: str, complaint: str) -> None:
    (tmp_path / "b.csv").write_text(content)
    with pytest.raises(FileError, match=complaint):
        read(tmp_path, QUERY.replace("{n = 1}", '"b.csv"'))


def test_a_bind_file_that_would_block_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "b.csv")
    with pytest.raises(FileError, match="no regular file"):
        read(tmp_path, QUERY.replace("{n = 1}", '"b.csv"'))
