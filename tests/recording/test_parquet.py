# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace export --parquet`, read back by DuckDB, which knows nothing of us."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from polltrace.commands.export_parquet import export_parquet
from polltrace.commands.recorded import recording_path
from polltrace.recording.tables import TABLES
from tests.conftest import ROOT
from tests.recording.samples import (
    frame,
    header,
    probe,
    probe_header,
    process,
    stack,
    story,
    symbols,
    totals,
    trailer,
    written,
)

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("parquet") / "new"
    assert export_parquet(recording_path("demo"), out) == 0
    return out


def ask(folder: Path, sql: str) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = (
        duckdb.connect().execute(sql.replace("@", f"{folder}/")).fetchall()
    )
    return found


def test_they_agree_with_the_report(exported: Path, run: Run) -> None:
    sessions = json.loads(run("report", "demo", "--json").stdout)["sessions"]
    found = ask(exported, "select pid, break_mode, break_polls, lost_pct from '@processes.parquet'")
    assert sorted(found, key=str) == sorted(
        [(s["pid"], s["break_mode"], s["break_polls"], s["cpu_pct"]) for s in sessions], key=str
    )


def test_intervals_add_up_to_the_processes(exported: Path) -> None:
    sql = """
        select p.pid, p.break_polls - sum(i.break_polls), round(p.cpu_s - sum(i.cpu_s), 9)
        from '@processes.parquet' p join '@intervals.parquet' i using (pid, start_ticks)
        group by p.pid, p.break_polls, p.cpu_s
    """
    assert [row[1:] for row in ask(exported, sql)] == [(0, 0.0)] * 3
    ((timed,),) = ask(exported, "select count(*) from '@intervals.parquet' where gaps_timed")
    assert isinstance(timed, int)
    assert 0 < timed < 10


def test_stacks_and_gaps(exported: Path) -> None:
    sql = """
        select kind, list_contains(functions, 'nsmore2recv') as checks, sum("count") > 0
        from '@stacks.parquet' where is_break_check and kind = 'poll' group by all
    """
    assert ask(exported, sql) == [("poll", True, True)]
    ((polls, whole),) = ask(
        exported,
        "select (select sum(break_polls) from '@stacks.parquet'), "
        "(select sum(break_polls) from '@processes.parquet')",
    )
    assert isinstance(polls, int | float)
    assert 0.5 < float(str(polls)) / float(str(whole)) < 1.5
    ((shortest, ordered),) = ask(
        exported, "select min(from_ns) > 0, bool_and(from_ns < below_ns) from '@gaps.parquet'"
    )
    assert (shortest, ordered) == (True, True)


def test_columns_are_documented(exported: Path) -> None:
    page = (ROOT / "docs/reference/parquet.md").read_text()
    for name, columns in TABLES.items():
        kinds = ask(exported, f"describe select * from '@{name}.parquet'")
        assert [str(row[0]) for row in kinds] == [column.name for column in columns]
        for column in columns:
            row = f"| `{column.name}` | {column.kind} | {column.note} |"
            assert row in page, f"docs/reference/parquet.md lacks: {row}"


def test_a_part_has_only_its_own(tmp_path: Path, run: Run) -> None:
    """The totals that a part begins with are of the parts before it."""
    path = written(
        tmp_path / "a",
        probe(probe_header(), 10.0),
        probe(process(100, 7), 10.0),
        symbols(100, 7, {9: "work", 6: "main"}, leaf=9),
        {**probe(frame(10, totals(100, 7, 5.0, 1000, stacks=[stack(7, 9, 6, kind="poll")])), 10.0),
         "type": "base"},
        probe(frame(11, totals(100, 7, 5.5, 1100, stacks=[stack(9, 9, 6, kind="poll")])), 11.0),
        trailer(11),
        head=header(part=2, at_s=10.0),
    )  # fmt: skip
    ended = run("export", "--parquet", str(path), str(tmp_path / "out"))
    assert ended.returncode == 0, ended.stderr
    out = tmp_path / "out"
    assert ask(out, "select break_polls, cpu_s from '@processes.parquet'") == [(100, 0.5)]
    assert ask(out, "select break_polls, cpu_s from '@intervals.parquet'") == [(100, 0.5)]
    assert ask(out, "select functions, \"count\" from '@stacks.parquet'") == [(["main", "work"], 2)]


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["--parquet", "none", "out"], 8, "No such file"),
        (["parquet", "demo", "/dev/null/x"], 8, "cannot write to /dev/null/x"),
        ([], 2, "choose a format"),
    ],
)
def test_usage(run: Run, argv: list[str], code: int, words: str) -> None:
    ended = run("export", *argv)
    assert ended.returncode == code
    assert words in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_torn_file(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path / "a", *story()[:-1])
    assert run("export", "parquet", str(path), str(tmp_path / "out")).returncode == 0
    assert ask(tmp_path / "out", "select break_polls from '@processes.parquet'") == [(400_000,)]
