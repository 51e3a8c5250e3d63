# SPDX-License-Identifier: GPL-2.0-or-later
"""polltrace's own client result cache: its rules, and no read that is staler than its lag.

CACHE_READS makes the check long.
"""

from __future__ import annotations

import bisect
import importlib.util
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import oracledb
import pytest

from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.conftest import ROOT

from .conftest import Loaded

READS = int(os.environ.get("CACHE_READS", "100000"))
KEYS = 5
LAG_S = 0.05

_spec = importlib.util.spec_from_file_location(
    "result_cache", ROOT / "scenarios/clients/python_oracledb/result_cache.py"
)
assert _spec is not None
assert _spec.loader is not None
result_cache = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(result_cache)


class Database:
    """Two rows, a counter of changes, and a clock that only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.values = {"a": 1, "b": 1}
        self.changes = 0
        self.executions = 0
        self.at = 0
        monkeypatch.setattr(result_cache, "now", lambda: self.at)
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
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    return Database(monkeypatch)


def statistics(database: Database) -> dict[str, int]:
    return dict(database.cache.statistics())


def test_a_result_is_kept_by_its_key(database: Database) -> None:
    assert [database.read(key) for key in "aabab"] == [1] * 5
    assert database.executions == 2
    found = statistics(database)
    assert found["Find Count"] == 3
    assert found["Create Count Success"] == found["Block Count Current"] == 2


def test_within_the_lag_it_may_be_old_and_beyond_it_not(database: Database) -> None:
    assert database.read("a") == 1
    database.write("a", 2)
    database.at = 100
    assert database.read("a") == 1
    database.at = 101
    assert database.read("a") == 2
    assert statistics(database)["Invalidation Count"] == 1
    assert statistics(database)["Delete Count Invalid"] == 1


def test_a_look_without_changes_keeps_all_for_another_lag(database: Database) -> None:
    database.read("a")
    database.at = 150
    database.read("a")
    database.at = 250
    database.read("a")
    assert database.executions == 1
    assert database.cache.looks == 2


def test_its_own_change_is_seen_at_once(database: Database) -> None:
    database.read("a")
    database.write("a", 2)
    database.cache.own_change()
    assert database.read("a") == 2


def test_what_has_no_room_is_not_kept(database: Database) -> None:
    database.cache = result_cache.ResultCache(lambda: [], 100, 2 * 256)
    database.values["b"] = 10**600
    assert database.read("b") == database.read("b")
    assert statistics(database)["Create Count Failure"] == 2
    assert database.read("a") == database.read("a") == 1
    assert statistics(database)["Find Count"] == 1


class Writer(threading.Thread):
    """Changes rows all the time; when each commit had ended, by row, and what it committed."""

    def __init__(self, connection: oracledb.Connection) -> None:
        super().__init__()
        self.connection = connection
        self.over = threading.Event()
        self.ended: list[list[float]] = [[0.0] for _ in range(KEYS)]
        self.values: list[list[int]] = [[0] for _ in range(KEYS)]

    def run(self) -> None:
        cursor = self.connection.cursor()
        number = 0
        while not self.over.wait(0.002):
            number += 1
            key = number % KEYS
            cursor.execute("update truth set v = :v where id = :id", [number, key])
            cursor.execute("update table_changes set n = n + 1")
            self.connection.commit()
            self.values[key].append(number)
            self.ended[key].append(time.monotonic())


@pytest.fixture
def connections(server: LabServer) -> Iterator[tuple[oracledb.Connection, oracledb.Connection]]:
    lab = server.oralab
    with (
        oracledb.connect(user=lab.user, password=lab.password, dsn=lab.dsn) as reader,
        oracledb.connect(user=lab.user, password=lab.password, dsn=lab.dsn) as writer,
    ):
        yield reader, writer


def test_no_read_is_staler_than_the_lag(
    connections: tuple[oracledb.Connection, oracledb.Connection],
) -> None:
    reader, connection = connections
    cursor = reader.cursor()
    cursor.execute("create table truth (id number, v number)")
    cursor.execute("create table table_changes (n number)")
    cursor.execute("insert into table_changes values (0)")
    cursor.executemany("insert into truth values (:1, 0)", [[key] for key in range(KEYS)])
    reader.commit()

    def query(sql: str, *binds: int) -> list[Any]:
        cursor.execute(sql, binds)
        return list(cursor.fetchall())

    cache = result_cache.ResultCache(
        lambda: query("select n from table_changes"), int(1e9 * LAG_S), 1 << 20
    )
    writer = Writer(connection)
    writer.start()
    reads = []
    for number in range(READS):
        key = number % KEYS
        began = time.monotonic()
        [(value,)] = cache.rows(key, lambda: query("select v from truth where id = :1", key))  # noqa: B023
        reads.append((key, began, int(value)))
    # So many hits take less than a lag: the last reads must meet changes all the same.
    end = time.monotonic() + 20 * LAG_S
    while time.monotonic() < end:
        began = time.monotonic()
        [(value,)] = cache.rows(0, lambda: query("select v from truth where id = 0"))
        reads.append((0, began, int(value)))
    writer.over.set()
    writer.join()
    stale = [
        (key, began, value)
        for key, began, value in reads
        if value < writer.values[key][bisect.bisect_right(writer.ended[key], began - LAG_S) - 1]
    ]
    assert not stale
    assert cache.invalidations > 5
    assert cache.finds > READS / 2


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
