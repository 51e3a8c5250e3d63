# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces and recordings on a cluster: Spark's own scheduler, and workers in processes of their own.
Its answers are those of one machine to the last digit. `make test-spark` runs it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.compute
import pyarrow.parquet
import pytest

from polltrace.commands.export_parquet import export_parquet
from polltrace.commands.recorded import recording_path
from polltrace.errors import PolltraceError
from tests.conftest import Run
from tests.sqltrace.test_command import TRACE
from tests.sqltrace.traces import EVERY, REAL, scan

WORKERS = 3
HOSTS = 1000


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark: pip install 'polltrace[spark]'")
    if not shutil.which("java"):
        pytest.skip("needs Java")
    from polltrace.sqltrace.spark import register  # noqa: PLC0415 - needs pyspark

    # Executors work in a folder of the installation, and leave their logs there.
    work = Path(sql.__file__).parents[1] / "work"
    was_there = work.exists()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        sql.SparkSession.builder.master(f"local-cluster[{WORKERS},1,512]")
        .config("spark.executor.memory", "512m")
        .config("spark.driver.memory", "512m")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", str(WORKERS))
        .config("spark.scheduler.minRegisteredResourcesRatio", "1")
        .config("spark.scheduler.maxRegisteredResourcesWaitingTime", "300s")
        .getOrCreate()
    )
    register(session)
    yield session
    session.stop()
    if not was_there:
        shutil.rmtree(work, ignore_errors=True)


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "a.trc"
    path.write_text(TRACE)
    return str(path)


def read(spark: Any, path: str, schema: str = "", **options: str) -> Any:
    reader = spark.read.format("polltrace").options(**options)
    return (reader.schema(schema) if schema else reader).load(path)


def test_a_profile_is_the_same_as_on_one_machine(spark: Any, run: Run) -> None:
    calls = read(spark, str(REAL), "kind string, name string, dep bigint, dur_us bigint")
    assert calls.rdd.getNumPartitions() == len(list(REAL.glob("*.zst")))
    calls.createOrReplaceTempView("calls")
    found = spark.sql(
        "select name, sum(dur_us), count(*), min(dur_us), max(dur_us), "
        + ", ".join(
            f"percentile_disc({part}) within group (order by dur_us)" for part in (0.5, 0.9, 0.99)
        )
        + " from calls where (kind = 'wait' or dep <= 0) and dur_us < 1000000 group by name"
    ).collect()
    alone = json.loads(run("trace", "--json", str(REAL), "--where", "$dur < 1").stdout)
    assert len(found) == 27
    assert {tuple(row) for row in found} == {
        (row["name"], *(whole(row[f"{of}_s"]) for of in ("duration",)), row["calls"],
         *(whole(row[f"{of}_s"]) for of in ("min", "max", "p50", "p90", "p99")))
        for row in alone["rows"]
    }  # fmt: skip


def whole(seconds: float) -> int:
    """As microseconds."""
    return round(seconds * 1e6)


def test_every_worker_scans(spark: Any) -> None:
    status = spark.sparkContext._jsc.sc().getExecutorMemoryStatus()
    assert status.size() == WORKERS + 1  # and the driver
    calls = read(spark, str(REAL), "dur_us bigint")
    pids = calls.rdd.mapPartitions(lambda rows: [(os.getppid(), sum(1 for _ in rows))]).collect()
    assert len({pid for pid, _ in pids}) == WORKERS
    assert all(count > 0 for _, count in pids)


def test_every_column_is_as_the_scanner_has_it(spark: Any, trace: str) -> None:
    found = [row.asDict() for row in read(spark, trace).orderBy("line").collect()]
    expected = scan(TRACE, EVERY)[0].to_pylist()
    assert found == [row | {"file": trace} for row in expected]
    assert found[0]["binds"] == ["1686", "3045392", None, None]


def test_columns_come_in_the_order_of_the_schema(spark: Any, trace: str) -> None:
    (row,) = read(spark, trace, "dur_us bigint, name string").limit(1).collect()
    assert tuple(row) == (10, "EXEC")


def test_lines_plans_and_what_files_tell(spark: Any, run: Run, trace: str) -> None:
    lines = read(spark, trace, "line bigint, text string", rows="lines")
    assert [row["text"] for row in lines.orderBy("line").collect()] == TRACE.splitlines()
    plans = read(spark, trace, "kind string", rows="plans")
    assert plans.where("kind = 'plan'").count() == 2
    told = {row["file"]: row.asDict() for row in read(spark, str(REAL), rows="files").collect()}
    alone = json.loads(run("trace", "files", "--json", str(REAL)).stdout)["rows"]
    assert len(told) == len(alone) == 20
    for each in alone:
        kinds = told[each["file"]].pop("not_understood")
        assert each.pop("not_understood") == sum(kinds.values())
        assert told[each["file"]] == each


@pytest.mark.parametrize(
    ("options", "schema", "said"),
    [
        ({}, "nam_e string", "there is no column nam_e; did you mean name?"),
        ({"rows": "row"}, "name string", "rows are calls, lines, plans, files, not row"),
    ],
)
def test_what_is_wrong_is_said(
    spark: Any, trace: str, options: dict[str, str], schema: str, said: str
) -> None:
    from pyspark.errors import PySparkException  # noqa: PLC0415

    with pytest.raises((PySparkException, PolltraceError)) as caught:
        read(spark, trace, schema, **options).collect()
    assert said in str(caught.value)


def test_recordings_of_a_thousand_hosts(spark: Any, tmp_path: Path) -> None:
    assert export_parquet(recording_path("demo"), tmp_path / "one") == 0
    table = pyarrow.parquet.read_table(tmp_path / "one" / "processes.parquet")
    polls = table.schema.get_field_index("break_polls")
    for host in range(HOSTS):
        folder = tmp_path / "fleet" / f"host=h{host:04}"
        folder.mkdir(parents=True)
        more = pyarrow.compute.add(table["break_polls"], host)
        pyarrow.parquet.write_table(
            table.set_column(polls, table.schema.field(polls), more), folder / "processes.parquet"
        )
    query = (
        "select host, break_mode, count(*) as processes, sum(break_polls) as polls, "
        "max(lost_cpu_s) as most from {} group by host, break_mode order by host, break_mode"
    )
    spark.read.parquet(str(tmp_path / "fleet")).createOrReplaceTempView("processes")
    found = [tuple(row) for row in spark.sql(query.format("processes")).collect()]
    files = f"read_parquet('{tmp_path}/fleet/*/*.parquet', hive_partitioning = true)"
    assert found == duckdb.connect().execute(query.format(files)).fetchall()
    assert len({host for host, *_ in found}) == HOSTS
