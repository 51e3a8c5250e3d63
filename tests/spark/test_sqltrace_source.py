# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace files in Spark: the same answers, to the last digit, as from the scanner and DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from polltrace.sqltrace.columns import BY_NAME
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.inputs import trace_files
from polltrace.sqltrace.scanner import TraceScan

from .conftest import WORKERS
from .traces import write_traces

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FILES, CALLS = 23, 97
COLUMNS = tuple(name for name in BY_NAME if name != "text")
PROFILE = (
    "select name, sum(dur_us) total, count(*) calls, min(dur_us) least, max(dur_us) most"
    " from trace group by name order by total desc, name"
)
BY_MODULE = (
    "select module, sqlid, sum(e_us - c_us) blocked, count(distinct exec_id) execs, max(time) last"
    " from trace where dep = 0 group by module, sqlid order by module, sqlid"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("traces")
    write_traces(made, FILES, CALLS)
    return made


@pytest.fixture
def trace(spark: SparkSession, folder: Path) -> DataFrame:
    from polltrace.spark.sqltrace_source import SqlTraceSource  # noqa: PLC0415 - needs Spark

    spark.dataSource.register(SqlTraceSource)
    frame = spark.read.format("sqltrace").load(str(folder))
    frame.createOrReplaceTempView("trace")
    return frame


def here(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    """The answer of this machine alone."""
    files = list(trace_files([str(folder)]))
    scanned = TraceScan(files, ScanOptions(COLUMNS)).reader()
    with duckdb.connect() as engine:
        engine.register("trace", scanned)
        return engine.execute(sql).fetchall()


def there(spark: SparkSession, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in spark.sql(sql).collect()]


def test_a_task_a_file_on_several_workers(spark: SparkSession, trace: DataFrame) -> None:
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1  # the driver
    assert executors == WORKERS
    assert trace.rdd.getNumPartitions() == FILES


@pytest.mark.parametrize("sql", [PROFILE, BY_MODULE])
def test_the_same_answers(spark: SparkSession, trace: DataFrame, folder: Path, sql: str) -> None:
    found = there(spark, sql)
    assert len(found) > 1
    assert found == here(folder, sql)


def test_every_column_of_every_row(trace: DataFrame, folder: Path) -> None:
    from_spark = {(row["file"], row["line"]): row.asDict() for row in trace.collect()}
    scan = TraceScan(trace_files([str(folder)]), ScanOptions(COLUMNS))
    rows = [row for batch in scan.batches() for row in batch.to_pylist()]
    assert len(rows) > FILES * CALLS
    assert len(from_spark) == len(rows)
    for row in rows:
        assert from_spark[row["file"], row["line"]] == row


def test_only_the_columns_that_are_named(
    spark: SparkSession, trace: DataFrame, folder: Path
) -> None:
    frame = (
        spark.read.format("sqltrace")
        .option("columns", "name, binds, time")
        .load(f"{folder}/*_1.trc")
    )
    assert frame.columns == ["name", "time", "binds"]
    assert frame.where("name = 'EXEC'").count() == CALLS + 11


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("columns", "nome"), "no column 'nome'"),
        (("colums", "name"), "no option of sqltrace: colums"),
        (("plans", "maybe"), "option plans of sqltrace is true or false, not 'maybe'"),
    ],
)
def test_what_is_refused(
    spark: SparkSession, trace: DataFrame, folder: Path, option: tuple[str, str], message: str
) -> None:
    with pytest.raises(Exception, match=message):
        spark.read.format("sqltrace").option(*option).load(str(folder)).count()
