# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace run --sql`: a query of the user's own, in place of a scenario."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polltrace.errors import UsageError
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import read_run
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.plan.scenario_file import scenario_of_statement
from polltrace.scenarios.plan.statement import is_query, placeholders
from tests.conftest import Run


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("select :a, :b from t where x = :a", ["a", "b", "a"]),
        ("select to_char(d, 'HH24:MI:SS') from t where n = :n", ["n"]),
        ("select 'it''s :no' from t where n = :n", ["n"]),
        ("select q'[it's :no]', q'{:no}', q'<:no>', q'(:no)', Q'!it's :no!' from t", []),
        ('select ":no" from t', []),
        ("select 1 -- it's :no\nfrom t where n = :n", ["n"]),
        ("select /* it's :no\n */ :n from t", ["n"]),
        ("select * from t sample(1) as of timestamp :ts where a[1:2] = 1", ["ts"]),
        ("select n'it''s :no', nq'[it's :no]', ? from t where n = :1", ["1"]),
        ("select a::text, :b ::int from t where x = :c::int", ["b", "c"]),
    ],
)
def test_binds_are_outside_quotes_and_comments(sql: str, names: list[str]) -> None:
    assert placeholders(sql) == names


@given(st.text("'\"q[]{}<>!-/*\n :abn", max_size=60))
def test_any_text_is_read_to_its_end(text: str) -> None:
    assert all(name in text for name in placeholders(text))


@pytest.mark.parametrize(
    ("sql", "is_one"),
    [
        ("select 1 from dual", True),
        ("-- why\n/* so */ (SELECT 1 from dual)", True),
        ("with x as (select 1 from dual) select * from x", True),
        ("selection", False),
        ("delete from t", False),
        ("-- select\ndrop table t", False),
        ("begin null; end;", False),
        ("", False),
    ],
)
def test_only_queries(sql: str, is_one: bool) -> None:
    assert is_query(sql) == is_one
    if not is_one:
        with pytest.raises(UsageError, match="takes a query"):
            scenario_of_statement(sql, {}, [3], ["python-oracledb"])


def test_the_cells_are_break_modes_and_skips() -> None:
    scenario = scenario_of_statement("select 1 from dual", {}, [3, 100], ["python-oracledb"])
    cells = [(each.break_mode, each.skip) for each in scenario.cells() if not each.twin]
    assert cells == [("out-of-band", None), ("in-band", 3), ("in-band", 100)]
    base = scenario.cells()[0]
    assert all(scenario.base_of(each, scenario.cells()) == base for each in scenario.cells()[1:])


@pytest.mark.usefixtures("lab")
def test_a_query_and_its_binds_from_files(run: Run, tmp_path: Path) -> None:
    query, binds, saved = (tmp_path / name for name in ("q.sql", "b.toml", "q.run"))
    query.write_text(f"-- it's :mine\n{LOTSLIOS};\n")
    binds.write_text("n = 1000\n")
    words = ["--sql", str(query), "--binds", str(binds), "--skip", "3,100"]
    ended = run("run", *words, "--repeats", "1", "-o", str(saved))
    assert ended.returncode == 0, ended.stderr
    assert "The probe counted exactly what the server did." in ended.stdout
    assert "this server's V$SQL shows no plan" in ended.stdout
    counted = [each.counted for each in analysed(read_run(saved)).cells]
    gets = {each.gets / each.executions for each in counted if each}
    assert len(gets) == 1
    # It is a run like any other.
    again = run("run", "--like", str(saved), "--repeats", "1", "-o", str(tmp_path / "again.run"))
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--sql", "delete from t"], 2, "--sql takes a query"),
        (["--sql", "select :a from dual"], 8, "do not agree about a"),
        (["--sql", "/nowhere.sql"], 8, "cannot read /nowhere.sql"),
        (["--sql", "select 1 from dual", "--binds", "/nowhere"], 8, "cannot read /nowhere"),
        (["--sql", "select 1 from dual", "--skip", "3,0"], 2, "is not a break_poll_skip"),
        (["--skip", "3", "break-poll"], 2, "go with --sql"),
        (["break-poll", "--sql", "select 1 from dual"], 2, "name one scenario"),
        (
            ["--sql", "select 1 from dual", "--skip", "3", "--server", "oracle"],
            2,
            "--skip needs --set-sqlnet",
        ),
    ],
)
def test_refusals(run: Run, words: list[str], code: int, message: str) -> None:
    ended = run("run", *words)
    assert (ended.returncode, message in ended.stderr) == (code, True), ended.stderr
    assert len(ended.stderr.splitlines()) == 1
