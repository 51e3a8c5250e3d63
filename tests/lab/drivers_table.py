# SPDX-License-Identifier: GPL-2.0-or-later
"""Each driver's behaviour with the lab, measured: `python -m tests.lab.drivers_table` prints the
table of docs/evidence/drivers.md, with the clients that the scenarios use."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from polltrace.errors import DriverError
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.relay import relay

from .conftest import Lab
from .test_drivers import BURN, CASES, error, rows

CANCELS = 20
STATISTIC = (
    "select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic# and n.name = "
)
COLUMNS = (
    "driver",
    "break mode",
    "verifiers, with markers before errors",
    "binds",
    "round trips for 1,000 rows",
    "where urgent data is lost",
    "cancels, ms: median (longest)",
)


@contextlib.contextmanager
def running_lab(*options: str) -> Iterator[Lab]:
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(Path(directory), options)
        try:
            yield lab
        finally:
            lab.stop()


@contextlib.contextmanager
def session(case: str, port: int) -> Iterator[DriverClient]:
    name, disable_oob = CASES[case]
    with DriverClient(name) as client:
        client.connect(f"127.0.0.1:{port}/LAB", "scott", "tiger", disable_oob=disable_oob)
        yield client


def statistic(client: DriverClient, name: str) -> int:
    [[value]] = rows(client, f"{STATISTIC}'{name}'")
    return int(value)


def polls(client: DriverClient) -> bool:
    """Whether the session break-polls while it makes gets."""
    client.query("select count(*) from sys.obj$ where rownum <= 20000")
    return statistic(client, "lab break polls") > 0


def verifiers(case: str) -> str:
    """Those it logs on with, where errors are announced by BREAK and RESET as well."""
    good = []
    for verifier in ("11g", "12c"):
        with (
            running_lab("--verifier", verifier, "--error-markers") as lab,
            contextlib.suppress(DriverError),
            session(case, lab.port) as client,
        ):
            announced = error(client, "select 1 from no_such_table")
            if "ORA-00942" in announced and rows(client, "select 1 from dual") == [[1]]:
                good.append(verifier)
    return ", ".join(good)


def binds(client: DriverClient) -> str:
    bound = rows(client, "select :a, :b from dual", a=42.5, b="hello") == [[42.5, "hello"]]
    return "yes" if bound else "no"


def trips(client: DriverClient) -> str:
    """Round trips for a thousand rows, fetched as the driver fetches unasked."""
    name = "SQL*Net roundtrips to/from client"
    before = statistic(client, name)
    client.query("select level, 'x' from dual connect by level <= 1000")
    between = statistic(client, name) - before
    before = statistic(client, name)
    return str(between - (statistic(client, name) - before))


def where_urgent_data_is_lost(lab: Lab, case: str) -> str:
    if case.endswith("in-band"):
        return "-"
    with (
        relay(("127.0.0.1", lab.port), NetworkPath(urgent="drop")) as port,
        session(case, port) as client,
    ):
        return "turns in-band" if polls(client) else "stays out-of-band: cancels are lost"


def cancels(lab: Lab, client: DriverClient) -> str:
    """Of statements that run: ojdbc11 cancels none that it is still sending."""
    watcher = lab.connect()
    [[sid]] = rows(client, "select sid from v$mystat where rownum = 1")
    took = []
    for _ in range(CANCELS):
        before = watcher.statistic_of(int(sid), "consistent gets")
        client.begin(BURN)
        while watcher.statistic_of(int(sid), "consistent gets") < before + 3000:
            pass
        client.send_break()
        cancel = client.cancelled(client.finish())
        if "ORA-01013" in cancel.error and cancel.usable:
            took.append(cancel.ms)
    if not took:
        return f"0 of {CANCELS}"
    return f"{len(took)} of {CANCELS}: {statistics.median(took):.1f} ({max(took):.1f})"


def row(lab: Lab, case: str) -> list[str]:
    with session(case, lab.port) as client:
        measured = "in-band" if polls(client) else "out-of-band"
        of_session = [binds(client), trips(client)]
        cancelled = cancels(lab, client)
        title = client.about.title
    lost = where_urgent_data_is_lost(lab, case)
    return [title, measured, verifiers(case), *of_session, lost, cancelled]


def main() -> None:
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    with running_lab() as lab:
        for case in CASES:
            print("| " + " | ".join(row(lab, case)) + " |", flush=True)


if __name__ == "__main__":
    main()
