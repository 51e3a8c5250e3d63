# SPDX-License-Identifier: GPL-2.0-or-later
"""A Spark cluster on this machine: a driver, and two workers with a process and a JVM each."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.conftest import missing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKERS = 2


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "spark: starts a Spark cluster; make test-spark")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("markexpr") != "spark":
        for item in items:
            if item.get_closest_marker("spark"):
                item.add_marker(pytest.mark.skip(reason="long: make test-spark"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    try:
        import pyspark  # noqa: PLC0415 - an extra
        from pyspark.sql import SparkSession  # noqa: PLC0415
    except ImportError:
        missing("pyspark is not installed: pip install 'polltrace[spark]'")
    if not shutil.which("java"):
        missing("no java here")
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)  # noqa: PTH120
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    scratch = str(tmp_path_factory.mktemp("spark"))
    os.environ["SPARK_WORKER_DIR"] = scratch
    session = (
        SparkSession.builder.master(f"local-cluster[{WORKERS},1,512]")
        .config("spark.executor.memory", "512m")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.local.dir", scratch)
        .config("spark.sql.warehouse.dir", scratch)
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
