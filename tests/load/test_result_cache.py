# SPDX-License-Identifier: GPL-2.0-or-later
"""polltrace's own client result cache: its rules, alone and in a load."""

from __future__ import annotations

from typing import Any

import pytest

from polltrace.scenarios.load import sql_text

from .conftest import Loaded, load_client_module

result_cache = load_client_module("result_cache")


class CachedDatabase:
    """Two rows, a counter of changes, and a clock that only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.values = {"a": 1, "b": 1}
        self.changes = 0
        self.executions = 0
        self.at = 0
        monkeypatch.setattr(result_cache, "now_ns", lambda: self.at)
        self.cache = result_cache.ResultCache(lambda: [(self.changes,)], 100, 1 << 20)

    def read(self, key: str) -> Any:
        def execute() -> list[Any]:
            self.executions += 1
            return [(self.values[key],)]

        return self.cache.rows(key, execute)[0][0]

    def write(self, key: str, value: int) -> None:
        self.values[key] = value
        self.changes += 1


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> CachedDatabase:
    return CachedDatabase(monkeypatch)


def statistics(database: CachedDatabase) -> dict[str, int]:
    return dict(database.cache.statistics())


def test_a_result_is_kept_by_its_key(database: CachedDatabase) -> None:
    assert [database.read(key) for key in "aabab"] == [1] * 5
    assert database.executions == 2
    found = statistics(database)
    assert found["Find Count"] == 3
    assert found["Create Count Success"] == found["Block Count Current"] == 2


def test_within_the_lag_it_may_be_old_and_beyond_it_not(database: CachedDatabase) -> None:
    assert database.read("a") == 1
    database.write("a", 2)
    database.at = 100
    assert database.read("a") == 1
    database.at = 101
    assert database.read("a") == 2
    assert statistics(database)["Invalidation Count"] == 1
    assert statistics(database)["Delete Count Invalid"] == 1


def test_a_look_without_changes_keeps_all_for_another_lag(database: CachedDatabase) -> None:
    database.read("a")
    database.at = 150
    database.read("a")
    database.at = 250
    database.read("a")
    assert database.executions == 1
    assert database.cache.looks == 2


def test_a_sessions_own_change_is_seen_at_once(database: CachedDatabase) -> None:
    database.read("a")
    database.write("a", 2)
    database.cache.own_change()
    assert database.read("a") == 2


def test_a_result_larger_than_the_cache_is_not_kept(database: CachedDatabase) -> None:
    database.cache = result_cache.ResultCache(lambda: [], 100, 2 * 256)
    database.values["b"] = 10**600
    assert database.read("b") == database.read("b")
    assert statistics(database)["Create Count Failure"] == 2
    assert database.read("a") == database.read("a") == 1
    assert statistics(database)["Find Count"] == 1


def test_a_forgotten_result_is_fetched_again(database: CachedDatabase) -> None:
    database.read("a")
    database.cache.forget()
    assert database.read("a") == 1
    assert database.executions == 2
    assert statistics(database)["Invalidation Count"] == 0
    assert statistics(database)["Delete Count Invalid"] == 1
    assert statistics(database)["Block Count Current"] == 1


@pytest.mark.parametrize(
    ("sql", "kept"),
    [
        ("select n from t where id = :id", True),
        ("with q as (select 1 from dual) select * from q", True),
        ("select 'sysdate for update', \"NEXTVAL\" from t -- as of", True),
        ("select :sysdate from forecast of_update", True),
        ("select n from t for  update", False),
        ("select n from t where d < SYSDATE", False),
        ("select s.nextval from dual", False),
        ("select sys_context('userenv', 'sid') from dual", False),
        ("select * from v$session", False),
        ("select n from t as of scn 5", False),
        ("update t set n = 1", False),
        ("begin null; end;", False),
    ],
)
def test_a_result_of_the_moment_is_not_kept(sql: str, *, kept: bool) -> None:
    assert sql_text.cacheable(sql) == kept


def test_a_load_counts_what_its_caches_found(loaded: Loaded) -> None:
    text = """
    sessions = 2
    seconds = 0.7
    order = "sequential"
    transactions_per_commit = 1
    setup = [
        "create table table_changes (n number)",
        "insert into table_changes values (0)",
        "create table crc_stats (cache_id number, stat_id number, name varchar2(99), value number)",
    ]
    [cache]
    changes = "select n from table_changes"
    lag_s = 0.2
    statistics = "crc_stats"
    [[statements]]
    sql = "select :n from dual"
    binds = [[1], [2], [3], [1]]
    """
    data = loaded(text)
    found = data["client_result_cache"]
    assert found["Create Count Success"] == 2 * 3
    assert found["Find Count"] == data["transactions"] - 2 * 3
    assert loaded(text, "--no-cache")["client_result_cache"] is None


def test_a_session_with_changes_of_its_own_sees_them(loaded: Loaded) -> None:
    text = """
    seconds = 4
    order = "sequential"
    transactions_per_commit = 2
    setup = ["create table t (n number)", "insert into t values (0)"]
    [cache]
    changes = "select n from t"
    lag_s = 60
    [[statements]]
    sql = "update t set n = n + 1"
    [[statements]]
    sql = "select n from t"
    """
    data = loaded(text)
    found = data["client_result_cache"]
    # Every other read has an uncommitted change before it, the rest a commit.
    assert found["Find Count"] == 0
    assert found["Create Count Success"] == pytest.approx(data["transactions"] / 4, abs=1)
    assert found["Create Count Success"] > 0


def test_another_setting_of_a_session_ends_what_it_has_kept(loaded: Loaded) -> None:
    text = """
    seconds = 2
    think_s = 0.01
    order = "sequential"
    setup = ["create table t (n number)", "insert into t values (0)"]
    [cache]
    changes = "select n from t"
    lag_s = 60
    [[statements]]
    sql = "select date '2024-06-01' from dual"
    weight = 3
    [[statements]]
    sql = "alter session set nls_date_format = 'YYYY'"
    """
    data = loaded(text)
    found = data["client_result_cache"]
    # Of three reads after each, the first fetches.
    assert found["Find Count"] == pytest.approx(2 * found["Create Count Success"], abs=2)
    assert found["Create Count Success"] > 1


def test_a_query_of_the_moment_takes_its_round_trip(loaded: Loaded) -> None:
    text = """
    seconds = 1
    setup = ["create table t (n number)", "insert into t values (0)"]
    [cache]
    changes = "select n from t"
    [[statements]]
    sql = "select sysdate from dual"
    """
    data = loaded(text)
    assert data["transactions"] > 0
    assert data["client_result_cache"]["Find Count"] == 0
    assert data["client_result_cache"]["Create Count Success"] == 0
