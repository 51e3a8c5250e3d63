# SPDX-License-Identifier: GPL-2.0-or-later
"""The other drivers, as their registries have them: one body over all.

Each has a small client in `drivers/` that carries out requests line by line and answers each
with a line of JSON. They are built once, into `drivers/build`; where a toolchain is missing its
driver is skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing

from .conftest import FOR_EVER, LOTSLIOS, Lab, Session

SOURCES = Path(__file__).with_name("drivers")
BUILD = SOURCES / "build"
CANCELS = 200
BURN = LOTSLIOS.replace(":n", str(FOR_EVER)).replace("\n", " ")


def built(name: str, tool: str, made: str, *steps: list[str]) -> Path:
    """The directory with the client `name`; `made` is what the last of `steps` makes there."""
    if shutil.which(tool) is None:
        missing(f"{tool} is not installed")
    directory = BUILD / name
    shutil.copytree(SOURCES / name, directory, dirs_exist_ok=True)
    if not (directory / made).exists():
        for step in steps:
            done = subprocess.run(
                step, cwd=directory, capture_output=True, text=True, check=False, timeout=600
            )
            if done.returncode:
                missing(f"{' '.join(step)} failed: {(done.stdout + done.stderr)[-500:]}")
    return directory


def node() -> list[str]:
    where = built(
        "node", "npm", "node_modules/oracledb", ["npm", "install", "--no-audit", "--no-fund"]
    )
    return ["node", str(where / "client.js")]


def go() -> list[str]:
    return [str(built("go", "go", "client", ["go", "build", "-o", "client", "."]) / "client")]


def java() -> list[str]:
    copy = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"]
    where = built("java", "mvn", "Client.class", copy, ["javac", "-cp", "lib/*", "Client.java"])
    return ["java", "-cp", f"{where}:{where}/lib/*", "Client"]


# go-ora sends urgent data only when told to, node-oracledb never does.
CASES = {
    "node in-band": (node, "in-band"),
    "go in-band": (go, "in-band"),
    "go out-of-band": (go, "out-of-band"),
    "java in-band": (java, "in-band"),
    "java out-of-band": (java, "out-of-band"),
}


class Client:
    """A running client program, and the session it has."""

    def __init__(self, lab: Lab, command: list[str], mode: str) -> None:
        self.tabs = command[0] == "java"
        self.process = subprocess.Popen(
            [*command, str(lab.port), mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ready = self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"the client ended with {self.process.wait(5)}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def request(self, ask: str, sql: str = "", *binds: float | str) -> None:
        assert self.process.stdin
        if self.tabs:
            typed = [("s" if isinstance(b, str) else "n") + str(b) for b in binds]
            line = "\t".join([ask, sql, *typed] if sql else [ask])
        else:
            line = json.dumps({"ask": ask, "sql": sql, "binds": binds})
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, ask: str, sql: str = "", *binds: float | str) -> dict[str, Any]:
        self.request(ask, sql, *binds)
        return self.answer()

    def rows(self, sql: str, *binds: float | str) -> list[list[Any]]:
        answer = self.ask("query", sql, *binds)
        assert "rows" in answer, answer
        # Drivers differ in what they make of a NUMBER: compare as numbers.
        return [[as_number(value) for value in row] for row in answer["rows"]]


def as_number(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def client(lab: Lab, case: str) -> Iterator[Client]:
    command, mode = CASES[case]
    client = Client(lab, command(), mode)
    yield client
    client.process.kill()
    client.process.communicate()


def test_statements(client: Client) -> None:
    assert client.rows("select 1, 'x', null from dual") == [[1, "x", None]]
    assert client.rows("select :1, :2 from dual", 42.5, "hello") == [[42.5, "hello"]]
    numbers = client.rows("select level from dual connect by level <= 2003")
    assert numbers == [[n] for n in range(1, 2004)]
    assert client.rows("select count(*) from sys.obj$ where rownum <= 100") == [[100]]
    assert client.ask("ping") == {"done": "ping"}
    assert "ORA-00942" in client.ask("query", "select 1 from no_such_table")["error"]
    assert client.rows("select 2 from dual") == [[2]]
    assert client.ask("close") == {"done": "close"}


def test_11g_verifier_and_markers(start_lab: Callable[..., Lab], case: str) -> None:
    command, mode = CASES[case]
    client = Client(start_lab("--verifier", "11g", "--error-markers"), command(), mode)
    for _ in range(5):
        assert "ORA-00942" in client.ask("query", "select 1 from no_such_table")["error"]
        assert client.rows("select 2 from dual") == [[2]]
    assert client.ask("close") == {"done": "close"}
    client.process.kill()
    client.process.communicate()


def gets_of(watcher: Session, sid: int) -> int:
    return int(
        watcher.one(
            "select s.value from v$sesstat s, v$statname n where s.statistic# = n.statistic#"
            " and n.name = 'consistent gets' and s.sid = :sid",
            sid=sid,
        )
    )


def test_cancels_in_a_row(client: Client, lab: Lab, case: str) -> None:
    watcher = lab.connect()
    [[sid]] = client.rows("select sid from v$mystat where rownum = 1")
    for _ in range(CANCELS):
        before = gets_of(watcher, int(sid))
        client.request("query", BURN)
        # ojdbc11 must have come back from sending: a cancel() that meets its execute() there
        # fails inside the driver, with a NoSuchElementException in one thread or the other.
        while gets_of(watcher, int(sid)) < before + 3000:
            pass
        client.request("cancel")
        assert "ORA-01013" in client.answer()["error"]
        assert client.rows("select 1 from dual") == [[1]]
    name, value = "lab breaks", "lab break polls"
    statistics = "select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
    assert client.rows(f"{statistics} and n.name = '{name}'") == [[CANCELS]]
    [[polls]] = client.rows(f"{statistics} and n.name = '{value}'")
    assert (polls > 0) == case.endswith("in-band")
