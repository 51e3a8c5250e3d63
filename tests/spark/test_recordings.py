# SPDX-License-Identifier: GPL-2.0-or-later
"""The Parquet files of many hosts' recordings, read by Spark: the same answers as DuckDB's."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from polltrace.recording.fold import read
from polltrace.recording.parquet import write_parquet
from polltrace.recording.summary import summary
from polltrace.recording.tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
HOSTS = 1000
FIXTURE = Path(__file__).parents[1] / "recording" / "fixtures"
BY_HOST = (
    "select host, sum(break_polls) polls, count(*) processes, max(cpu_s) busiest"
    " from processes group by host order by host"
)
WORST = (
    "select p.host, i.pid, sum(i.break_polls) polls, sum(i.cpu_s) cpu_s"
    " from intervals i join processes p on p.host = i.host and p.pid = i.pid"
    " and p.start_ticks = i.start_ticks group by p.host, i.pid order by p.host, i.pid"
)


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder a host, as `polltrace export parquet FILE host=NAME` writes them."""
    folder = tmp_path_factory.mktemp("hosts")
    recording = min(FIXTURE.glob("*.polltrace"))
    written = write_parquet(summary(read(recording)), folder / "host=db0")
    for number in range(1, HOSTS):
        other = folder / f"host=db{number}"
        other.mkdir()
        for file in written:
            shutil.copy(file, other)
    return folder


@pytest.mark.parametrize("sql", [BY_HOST, WORST])
def test_the_same_answers(spark: SparkSession, hosts: Path, sql: str) -> None:
    with duckdb.connect() as engine:
        for table in TABLES:
            files = f"{hosts}/*/{table}.parquet"
            spark.read.option("basePath", str(hosts)).parquet(files).createOrReplaceTempView(table)
            engine.execute(
                f"create view {table} as"
                f" select * from read_parquet('{files}', hive_partitioning = true)"
            )
        here = engine.execute(sql).fetchall()
    there = [tuple(row) for row in spark.sql(sql).collect()]
    assert len({row[0] for row in here}) == HOSTS
    assert there == here
