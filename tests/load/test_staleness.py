# SPDX-License-Identifier: GPL-2.0-or-later
"""No read through polltrace's own client result cache is staler than its lag.

Readers and writers are processes of their own. A read is stale where its row had been changed, by a
commit that had ended, longer than the lag before the read began. CACHE_READS makes it long.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import time
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np
import oracledb

from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.oralab import Oralab
from tests.waiting import PATIENCE_S

from .conftest import load_client_module

READS = int(os.environ.get("CACHE_READS", "100000"))
READERS, WRITERS, KEYS = 3, 2, 5
INVALIDATIONS = 20
"""Of each reader, at least: hits are so fast that the reads alone might take less than a lag."""
LAG_S = 0.05

READ = np.dtype([("key", "<i4"), ("began", "<f8"), ("value", "<i8")])
WRITTEN = np.dtype([("key", "<i4"), ("ended", "<f8"), ("value", "<i8")])

processes = multiprocessing.get_context("fork")


def connected(lab: Oralab) -> oracledb.Connection:
    return oracledb.connect(user=lab.user, password=lab.password, dsn=lab.dsn)


def write(lab: Oralab, number: int, over: Event, to: Path) -> None:
    """Change this writer's rows all the time; save when each commit had ended."""
    written = []
    with connected(lab) as connection, connection.cursor() as cursor:
        value = 0
        while not over.wait(0.002):
            value += 1
            key = number + WRITERS * (value % (KEYS // WRITERS))
            cursor.execute("update truth set v = :v where id = :id", [value, key])
            cursor.execute("update table_changes set n = n + 1")
            connection.commit()
            written.append((key, time.monotonic(), value))
    np.save(to, np.array(written, WRITTEN))


def read(lab: Oralab, number: int, lag_s: float, to: Path) -> None:
    """Read all rows over and over through a cache; save what each read gave."""
    with connected(lab) as connection, connection.cursor() as cursor:

        def query(sql: str, *binds: int) -> list[Any]:
            cursor.execute(sql, binds)
            return list(cursor.fetchall())

        cache = load_client_module("result_cache").ResultCache(
            lambda: query("select n from table_changes"), int(1e9 * lag_s), 1 << 20
        )
        reads: list[tuple[int, float, int]] = []
        executes = [
            functools.partial(query, "select v from truth where id = :1", key)
            for key in range(KEYS)
        ]
        give_up = time.monotonic() + PATIENCE_S
        while len(reads) < READS // READERS or cache.invalidations < INVALIDATIONS:
            key = (number + len(reads)) % KEYS
            began = time.monotonic()
            [(value,)] = cache.rows(key, executes[key])
            reads.append((key, began, int(value)))
            assert began < give_up
        assert cache.finds > len(reads) / 2
    np.save(to, np.array(reads, READ))


def stale_reads(server: LabServer, folder: Path, lag_s: float) -> tuple[int, int]:
    """How many reads there were, and how many of them were staler than LAG_S, through caches that
    take `lag_s` for their lag."""
    lab = server.oralab
    with connected(lab) as connection, connection.cursor() as cursor:
        cursor.execute("create table truth (id number, v number)")
        cursor.execute("create table table_changes (n number)")
        cursor.execute("insert into table_changes values (0)")
        cursor.executemany("insert into truth values (:1, 0)", [[key] for key in range(KEYS)])
        connection.commit()
    over = processes.Event()
    writers = [
        processes.Process(target=write, args=(lab, n, over, folder / f"w{n}.npy"))
        for n in range(WRITERS)
    ]
    readers = [
        processes.Process(target=read, args=(lab, n, lag_s, folder / f"r{n}.npy"))
        for n in range(READERS)
    ]
    for each in (*writers, *readers):
        each.start()
    for each in readers:
        each.join()
    over.set()
    for each in writers:
        each.join()
    assert [each.exitcode for each in (*readers, *writers)] == [0] * (READERS + WRITERS)
    reads = np.concatenate([np.load(folder / f"r{n}.npy") for n in range(READERS)])
    written = np.concatenate([np.load(folder / f"w{n}.npy") for n in range(WRITERS)])
    assert len(written) > INVALIDATIONS
    return len(reads), sum(_stale(reads, written, key) for key in range(KEYS))


def _stale(reads: np.ndarray, written: np.ndarray, key: int) -> int:
    of_key, truth = reads[reads["key"] == key], written[written["key"] == key]
    values = np.concatenate([[0], truth["value"]])
    newest = values[np.searchsorted(truth["ended"], of_key["began"] - LAG_S, side="right")]
    return int((of_key["value"] < newest).sum())


def test_no_read_is_staler_than_the_lag(server: LabServer, tmp_path: Path) -> None:
    reads, stale = stale_reads(server, tmp_path, LAG_S)
    assert reads >= READS - READERS
    assert stale == 0


def test_the_check_detects_a_cache_that_polls_too_rarely(server: LabServer, tmp_path: Path) -> None:
    _, stale = stale_reads(server, tmp_path, 4 * LAG_S)
    assert stale > 0
