# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions over database links, in one recording and between those of several hosts."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polltrace.recording import read
from polltrace.recording.distributed import DistributedSession, distributed
from polltrace.recording.server import server_data, server_of
from polltrace.recording.summary import summary
from polltrace.recording_report.distributed import DistributedReport, distributed_report
from polltrace.recording_report.text import report_text
from polltrace.scenarios.run.network.namespaces import SERVER, server_namespace
from polltrace.servers.servers import ServerName
from tests.conftest import POLLTRACE
from tests.lab.conftest import FOR_EVER, Lab
from tests.lab.links import LOTSLIOS_FAR, far_session, in_the_middle, started
from tests.recording.samples import (
    POLL_COST,
    frame,
    header,
    probe,
    probe_header,
    process,
    server,
    totals,
    trailer,
    written,
)
from tests.recording.test_format import SCHEMA
from tests.waiting import until

NEAR, FAR = "10.0.0.5:40000", "10.0.0.7:1521"
LISTENS = "10.0.0.5:1521"


def near(pid: int = 100, at_s: float = 0.1, **changes: Any) -> dict[str, Any]:
    """A server with a link: a client's socket and one to another database."""
    link = {"fd": 20, "local": NEAR, "peer": FAR}
    return server(pid, 7, instance="SALES", at_s=at_s, **({"connections": [link]} | changes))


def far(pid: int = 200, peer: str = NEAR, local: str = FAR) -> dict[str, Any]:
    client = {"fd": 15, "local": local, "peer": peer, "owner": 0}
    return server(pid, 8, instance="HR", client=client)


def recording(path: Path, *servers: dict[str, Any], started: str = "2026-01-31T12:00:00Z") -> Path:
    """Ten seconds of these servers, each of which polls 10,000 times in 8 s of CPU."""
    alive = {(each["pid"], each["start_ticks"]) for each in servers}
    records = [
        probe(probe_header(), 0.0),
        *(probe(process(*each), 0.0) for each in sorted(alive)),
        *servers,
        POLL_COST,
    ]
    polled = {each["pid"]: [{**each["client"], "kind": "tcp", "polls": 10_000}] for each in servers}
    for second in (1, 10):
        now = [
            totals(pid, start, 0.8 * second, 1000 * second, sockets=polled[pid])
            for pid, start in sorted(alive)
        ]
        records.append(probe(frame(second, *now), second))
    return written(path, *records, trailer(10.0), head=header(host=path.stem, started=started))


def joined(*paths: Path) -> list[tuple[int, ...]]:
    """The PIDs of each distributed session."""
    found = distributed([summary(read(path)) for path in paths])
    return [tuple(part.session.identity[0] for _, part in each.every()) for each in found.sessions]


def test_the_other_connections_are_kept() -> None:
    SCHEMA.validate(near())
    found = server_of(near())
    assert found is not None
    assert [each.local for each in found.sockets] == [LISTENS, NEAR]
    assert server_data(found, 0.1)["connections"] == near()["connections"]
    before_there_were_any = server_of(server(1, 2))
    assert before_there_were_any is not None
    assert [each.local for each in before_there_were_any.sockets] == [LISTENS]


def test_one_recording_names_a_client_that_is_a_server(tmp_path: Path) -> None:
    path = recording(tmp_path / "one", near(), far())
    found = summary(read(path))
    by_pid = {each.identity[0]: each for each in found.sessions}
    linked = by_pid[200].server
    assert linked is not None
    assert linked.linked_from == ServerName(100, "SALES")
    assert by_pid[200].facts()["client_server"] == {"pid": 100, "instance": "SALES", "sid": None}
    assert by_pid[100].facts()["client_server"] is None
    assert " SALES 100 " in report_text(found)
    assert joined(path) == [(100, 200)]


def test_a_link_that_was_closed_was_there(tmp_path: Path) -> None:
    closed = near(at_s=5.0, connections=[])
    assert joined(recording(tmp_path / "one", near(), closed, far())) == [(100, 200)]


def test_two_hosts(tmp_path: Path) -> None:
    sales, hr = recording(tmp_path / "sales", near()), recording(tmp_path / "hr", far())
    assert joined(sales, hr) == joined(hr, sales) == [(100, 200)]
    report = DistributedReport(distributed([summary(read(sales)), summary(read(hr))]))
    [each] = report.data()["distributed"]
    [remote] = each["remote"]
    assert (each["host"], remote["host"]) == ("sales", "hr")
    assert each["together"]["cpu_s"] == each["cpu_s"] + remote["cpu_s"] == pytest.approx(16.0)
    assert each["together"]["break_polls"] == 20_000
    together, parts = each["together"]["lost_cpu_s"], (each["lost_cpu_s"], remote["lost_cpu_s"])
    for bound in ("value", "low", "high"):
        assert together[bound] == pytest.approx(sum(part[bound] for part in parts))
    text = report.text()
    [line] = [line for line in text.splitlines() if line.startswith("together")]
    assert "16.00" in line
    assert "20,000" in line
    assert "Sessions over database links" in report.html()
    assert "the session above" in report.html()


@pytest.mark.parametrize(
    ("local", "remote", "started"),
    [
        ("10.0.0.5:40001", FAR, "2026-01-31T12:00:00Z"),  # another connection
        (NEAR, FAR, "2026-01-31T13:00:00Z"),  # the port was used again later
        ("127.0.0.1:40000", "127.0.0.1:1521", "2026-01-31T12:00:00Z"),  # each host's own
        ("[::1]:40000", "[::1]:1521", "2026-01-31T12:00:00Z"),
    ],
)
def test_what_only_looks_like_a_link(tmp_path: Path, local: str, remote: str, started: str) -> None:
    link = {"fd": 20, "local": local if local != "10.0.0.5:40001" else NEAR, "peer": remote}
    sales = recording(tmp_path / "sales", near(connections=[link]))
    hr = recording(tmp_path / "hr", far(peer=local, local=remote), started=started)
    assert joined(sales, hr) == []
    text = DistributedReport(distributed([summary(read(sales)), summary(read(hr))])).text()
    assert "No session of these recordings is the other end" in text


def test_recordings_that_go_round_in_circles(tmp_path: Path) -> None:
    """No host does this, but a file may."""
    back = {"fd": 21, "local": "10.0.0.7:50000", "peer": LISTENS}
    client = {"fd": 15, "local": LISTENS, "peer": "10.0.0.7:50000", "owner": 0}
    sales = recording(tmp_path / "sales", near(client=client))
    hr = recording(tmp_path / "hr", {**far(), "connections": [back]})
    assert joined(sales, hr) == []


def test_a_chain_of_links(tmp_path: Path) -> None:
    onward = {"fd": 21, "local": "10.0.0.7:50000", "peer": "10.0.0.9:1521"}
    last = far(300, "10.0.0.7:50000", "10.0.0.9:1521")
    paths = [
        recording(tmp_path / "sales", near()),
        recording(tmp_path / "hr", {**far(), "connections": [onward]}),
        recording(tmp_path / "stock", last),
    ]
    assert joined(*paths) == [(100, 200, 300)]


@pytest.mark.parametrize("tears", ["sales", "hr"])
def test_a_torn_recording_is_reported_at_the_head(tmp_path: Path, tears: str) -> None:
    """The first as the second."""
    paths = [recording(tmp_path / "sales", near()), recording(tmp_path / "hr", far())]
    torn = tmp_path / tears
    torn.write_bytes(torn.read_bytes()[:-20])
    ended = subprocess.run(
        [POLLTRACE, "report", *paths, "--html", tmp_path / "page"], check=True, capture_output=True
    )
    assert ended.stdout == b""
    found = distributed_report(paths)
    head = f"{tears}: The file is not whole: "
    assert found.text().splitlines()[1].startswith(head)
    assert f'<p class="torn">{head}' in (tmp_path / "page").read_text()
    whole = {each["host"]: each["whole"] for each in found.data()["recordings"]}
    assert whole == {"sales": True, "hr": True} | {tears: False}
    [each] = found.data()["distributed"]
    assert each["remote"]


@pytest.mark.parametrize("how", ["itself", "a copy", "its next part", "recorded twice"])
def test_a_process_that_would_count_twice_is_refused(tmp_path: Path, how: str) -> None:
    first = recording(tmp_path / "sales", near())
    second = first
    if how == "a copy":
        second = tmp_path / "copy"
        second.write_bytes(first.read_bytes())
    if how == "its next part":
        head = header(host="sales", started="2026-01-31T12:00:00Z", part=2, at_s=10.0)
        second = written(tmp_path / "part", probe(probe_header(), 10.0), trailer(10.0), head=head)
    if how == "recorded twice":
        (tmp_path / "later").mkdir()
        second = recording(tmp_path / "later" / "sales", near(), started="2026-01-31T12:00:05Z")
    words = [POLLTRACE, "report", str(first), str(recording(tmp_path / "hr", far())), str(second)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"polltrace: {first} and {second} have the same processes of host sales: "
        "name one recording of each host\n"
    )


def test_hosts_of_one_name_may_be_two(tmp_path: Path) -> None:
    """Or two sessions of one host, each recorded by itself."""
    for name in "ab":
        (tmp_path / name).mkdir()
    sales = recording(tmp_path / "a" / "db", near(), started="2026-01-31T12:00:01Z")
    assert joined(sales, recording(tmp_path / "b" / "db", far())) == [(100, 200)]


def ends(found: DistributedSession) -> Iterator[tuple[int, int]]:
    for _, each in found.every():
        yield each.session.identity[0], each.session.break_polls


@pytest.mark.usefixtures("lab", "quick_calibration")
def test_two_recordings_of_two_labs(tmp_path: Path) -> None:
    """On an address that is no loopback, as hosts have; the second by an ssh that stays here."""
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\nfor command; do :; done\nexec sh -c "$command"\n')
    ssh.chmod(0o755)
    by_ssh = {"a": [], "b": ["--ssh", "far", "--polltrace", POLLTRACE]}
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    arguments = ("--listen", SERVER, "--i-understand-this-is-not-a-database")
    with server_namespace():
        folders = [tmp_path / name for name in ("near", "far")]
        for folder in folders:
            folder.mkdir()
        local, remote = (Lab(folder, arguments) for folder in folders)
        session = local.connect(host=SERVER)
        session.cursor.execute(
            "create database link far connect to scott identified by tiger"
            f" using '{SERVER}:{remote.port}/LAB'"
        )
        session.rows("select * from dual@far")
        watcher = remote.connect(host=SERVER)
        sid, spid = far_session(watcher)
        before = watcher.statistic_of(sid, "lab break polls")
        pids = {"a": session.spid, "b": spid}
        recorders = {
            name: subprocess.Popen(
                [
                    *(POLLTRACE, "record", "-p", str(pid), "-o", str(tmp_path / name), "--no-gaps"),
                    *by_ssh[name],
                ],
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
            for name, pid in pids.items()
        }
        for each in recorders.values():
            assert each.stderr is not None
            assert "attached" in each.stderr.readline()
        statement = started(session, LOTSLIOS_FAR, n=FOR_EVER)
        in_the_middle(watcher, sid, statement)
        until(
            lambda: watcher.statistic_of(sid, "lab break polls") - before > 1000, "a thousand polls"
        )
        session.connection.cancel()
        assert statement.join()
        polls = watcher.statistic_of(sid, "lab break polls") - before
        for each in recorders.values():
            each.terminate()
            assert each.wait() == 0
        for lab in (local, remote):
            lab.stop()
    files = [tmp_path / name for name in pids]
    [found] = distributed([summary(read(path)) for path in files]).sessions
    assert dict(ends(found)) == {pids["a"]: 0, pids["b"]: polls}
    words = [POLLTRACE, "report", *map(str, files), "--json"]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    [data] = json.loads(ended.stdout)["distributed"]
    assert data["together"]["break_polls"] == polls
