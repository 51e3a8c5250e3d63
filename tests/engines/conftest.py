# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

from polltrace.errors import HostError
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.postgresql_cluster import PostgresqlCluster
from tests.busy import leave_processors
from tests.conftest import missing
from tests.probes.conftest import why_no_bpf

StartSession = Callable[..., tuple[DriverClient, int]]
# Without an end that a test would see, and without a temporary file.
ENDLESS = "select count(*) from generate_series(1, 100000) a, generate_series(1, 1000000) b"


@contextlib.contextmanager
def executing(*clients: DriverClient, paced: bool = True) -> Iterator[None]:
    """All are in the middle of a statement. Not `paced`, each takes a processor as it can get it,
    and its timer expires while it runs; tests/busy.py."""
    for client in clients:
        pid = _server_of(client)
        client.begin(ENDLESS)
        if paced:
            leave_processors(pid)
    try:
        yield
    finally:
        for client in clients:
            client.send_break()
            client.finish()


@pytest.fixture(scope="session")
def cluster() -> Iterator[PostgresqlCluster]:
    if why := why_no_bpf():
        missing(why)
    try:
        running = PostgresqlCluster()
    except HostError as error:
        missing(str(error))
    with running:
        yield running


@pytest.fixture
def start_session(cluster: PostgresqlCluster) -> Iterator[StartSession]:
    """A session that checks at that interval in milliseconds, and the PID of its server process."""
    with contextlib.ExitStack() as stack:

        def start(interval_ms: int, client: str = "psycopg") -> tuple[DriverClient, int]:
            driver = stack.enter_context(DriverClient(client))
            at = cluster.address
            dsn = f"{at.host}:{at.port}/{at.database}"
            driver.connect(dsn, at.user, at.password, disable_oob=True)
            driver.execute(f"set client_connection_check_interval = {interval_ms}")
            return driver, _server_of(driver)

        yield start


def _server_of(client: DriverClient) -> int:
    return int(client.query("select pg_backend_pid()")[1][0][0])
