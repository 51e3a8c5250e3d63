# SPDX-License-Identifier: GPL-2.0-or-later
"""A profile that takes no database is the one that SQL gives."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from polltrace.errors import UsageError
from polltrace.sqltrace import database as database_module
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.plain_profile import accepted_by
from polltrace.sqltrace.profile import count_calls, profile, sql_of
from polltrace.sqltrace.profile_question import ProfileQuestion, order_of
from polltrace.sqltrace.spread import TraceProfile
from tests.sqltrace.traces import call, wait

NAMES = ("SQL*Net message from client", "EXEC", "log file sync", "enq: TX - row lock", "log")
# 10 us and 100,000 us are not, as doubles of seconds, what they look like.
DURATIONS = (0, 1, 9, 10, 11, 99_999, 100_000, 700_000, 1_000_000, 5_000_001)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> str:
    chance = random.Random(31)
    lines = []
    for i in range(3000):
        name, us = chance.choice(NAMES), chance.choice([*DURATIONS, chance.randrange(2_000_000)])
        depth = chance.randrange(2)
        kind = chance.choice(["EXEC", "FETCH", "PARSE"])
        end = 10_000_000 * (i + 1)
        lines.append(
            call(kind, 5, c=us, e=us, tim=end, dep=depth) if i % 3 else wait(5, name, us, end)
        )
    path = tmp_path_factory.mktemp("plain") / "a.trc"
    path.write_text("".join(lines))
    return str(path)


def by_sql(path: str, question: ProfileQuestion, monkeypatch: pytest.MonkeyPatch) -> TraceProfile:
    with monkeypatch.context() as changed, TraceDatabase([path]) as database:
        changed.setattr("polltrace.sqltrace.profile.accepted_by", lambda *_: None)
        return profile(database, question)


def without_sql(path: str, question: ProfileQuestion) -> TraceProfile:
    with TraceDatabase([path]) as database:
        found = profile(database, question)
        assert "connection" not in vars(database)
    return found


@pytest.mark.parametrize("sort", ["2nd", "2na", "4nd", "5d", "6a", "7nd", "8nd", "10a", "1d", "no"])
@pytest.mark.parametrize("top", [0, 1, 3, 99])
def test_plain_profile_equals_sql_in_every_order(
    trace: str, monkeypatch: pytest.MonkeyPatch, sort: str, top: int
) -> None:
    question = ProfileQuestion(sort=sort, top=top)
    assert without_sql(trace, question) == by_sql(trace, question, monkeypatch)


@pytest.mark.parametrize(
    "where",
    [
        "dur < 0.7",
        "dur >= 1e-5",
        "$dur < 1",
        "$af >= 0.00001 and $dur < 65",
        "af <= 0.1 or af > 1.0",
        "not (dur < 0.7 or dur_us = 5000001) and name <> 'EXEC'",
        "not dur < 0.7 or DUR_US == 10",
        "kind = 'wait' and nam = 'log'",
        "dur < 0",
    ],
)
@pytest.mark.parametrize(
    "name", ["", "log", "^log$", "sql.net|EXEC", ":dbcall", ":syscall", "M.*C"]
)
@pytest.mark.parametrize("all_depths", [False, True])
def test_plain_profile_equals_sql_with_every_condition(
    trace: str, monkeypatch: pytest.MonkeyPatch, where: str, name: str, all_depths: bool
) -> None:
    question = ProfileQuestion(name, where, top=0, all_depths=all_depths)
    found = without_sql(trace, question)
    assert found == by_sql(trace, question, monkeypatch)
    assert found.groups or where == "dur < 0" or name


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        (ProfileQuestion(), True),
        (ProfileQuestion(where="dur < 0.7"), True),
        (ProfileQuestion(group="name"), False),
        (ProfileQuestion(sort="1na"), False),
        (ProfileQuestion(name=":all"), False),
        (ProfileQuestion(name="(?i)log"), False),
        (ProfileQuestion(name="a++"), False),
        (ProfileQuestion(name="(a*)*"), False),
        (ProfileQuestion(name="("), False),
        (ProfileQuestion(name=r"\blog"), False),
        (ProfileQuestion(name="é"), False),
        (ProfileQuestion(where="dur < 0.7 < 1"), False),
        (ProfileQuestion(where="dur < 0.7)"), False),
        (ProfileQuestion(where="dur < 1) or (dur > 2"), False),
        (ProfileQuestion(where="dur < 0.12345678901234567890"), False),
        (ProfileQuestion(where="dur_us < 0.5"), False),
        (ProfileQuestion(where="dur < 'x'"), False),
        (ProfileQuestion(where="name < 'x'"), False),
        (ProfileQuestion(where="durr < 1"), False),
        (ProfileQuestion(where="dur <"), False),
        (ProfileQuestion(where="name = 'it''s'"), False),
        (ProfileQuestion(where="dep = 1"), False),
    ],
)
def test_queries_that_need_sql(question: ProfileQuestion, plain: bool) -> None:
    where = sql_of(question.where) if question.where else ""
    found = accepted_by(question, where, order_of(question.sort))
    assert (found is not None) == plain


def test_a_name_that_is_not_in_ascii_is_left_to_sql(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.trc"
    path.write_text(wait(1, "caf\u017f", 3, 10) + wait(1, "cafs", 4, 20), "utf-8")
    question = ProfileQuestion("s")
    with TraceDatabase([str(path)]) as database:
        found = profile(database, question)
        assert "connection" in vars(database)
    assert found == by_sql(str(path), question, monkeypatch)


def test_too_many_calls_for_memory_go_to_the_database(
    trace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = ProfileQuestion(where="dur < 1")
    expected = without_sql(trace, question)
    monkeypatch.setattr(database_module, "_MOST_HELD", 10)
    with TraceDatabase([trace, trace, trace]) as database:
        found = profile(database, question)
        assert "connection" in vars(database)
        assert found.total.calls == 3 * expected.total.calls
        assert [each.duration for each in found.listed] == [
            3 * (each.duration or 0) for each in expected.listed
        ]
        # Another question is not mixed with the one before.
        count_calls(database, question)
        (again,) = database.rows("select sum(calls)::bigint as calls from counted")
        assert again["calls"] == found.total.calls


def test_a_wrong_query_is_refused_before_the_scan(tmp_path: Path) -> None:
    database = TraceDatabase([str(tmp_path / "missing.trc")])
    with database, pytest.raises(UsageError, match="did you mean dur"):
        profile(database, ProfileQuestion(where="durr < 1"))


# Each takes a millisecond and more to load, Arrow and DuckDB a hundred.
SLOW_TO_LOAD = {
    *("bz2", "dataclasses", "duckdb", "importlib.metadata", "inspect", "json", "lzma", "numpy"),
    *("pathlib", "pyarrow", "rich", "subprocess", "tempfile", "urllib.parse"),
}


@pytest.mark.parametrize("words", [(), ("--name", ".", "--where", "dur < 0.7")])
def test_a_plain_profile_loads_nothing_slow(trace: str, words: tuple[str, ...]) -> None:
    # What the interpreter has begun with, under `make coverage` that too, is not ours.
    script = (
        "import sys; before = set(sys.modules); from polltrace.cli import main; "
        "code = main(sys.argv[1:]); "
        "print(code, *set(sys.modules) - before, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "trace", *words, trace],
        check=True,
        capture_output=True,
        text=True,
    )
    code, *loaded = done.stderr.split()
    assert code == "0"
    assert "polltrace.sqltrace.plain_profile" in loaded
    assert not SLOW_TO_LOAD & set(loaded)
