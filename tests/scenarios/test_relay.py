# SPDX-License-Identifier: GPL-2.0-or-later
"""The relay: what becomes of urgent data, in which order, and how long a round trip takes."""

from __future__ import annotations

import itertools
import socket
import time

import pytest

from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network import relay as relay_module
from polltrace.scenarios.run.network import timing as timing_module
from polltrace.scenarios.run.network.relay import arguments, carry, parsed, pieces, relay
from polltrace.scenarios.run.servers.lab_server import LabServer


def through(path: NetworkPath, *sent: tuple[bytes, bool]) -> list[tuple[bytes, bool]]:
    """The data that the far end receives; neighbours of one kind run together."""
    with (
        socket.create_server(("127.0.0.1", 0)) as far,
        relay(("127.0.0.1", far.getsockname()[1]), path) as port,
        socket.create_connection(("127.0.0.1", port)) as near,
    ):
        accepted, _ = far.accept()
        with accepted:
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
            for data, urgent in sent:
                near.send(data, socket.MSG_OOB if urgent else 0)  # one mark: two would run into one
            near.shutdown(socket.SHUT_WR)
            return [
                (b"".join(data for data, _ in neighbours), urgent)
                for urgent, neighbours in itertools.groupby(pieces(accepted), lambda each: each[1])
            ]


SENT = ((b"before", False), (b"!", True), (b"after", False))


@pytest.mark.parametrize(
    ("urgent", "seen"),
    [
        ("keep", [(b"before", False), (b"!", True), (b"after", False)]),
        ("inline", [(b"before!after", False)]),
        ("drop", [(b"beforeafter", False)]),
    ],
)
def test_urgent_data(urgent: str, seen: list[tuple[bytes, bool]]) -> None:
    assert through(NetworkPath(urgent=urgent), *SENT) == seen


class Clock:
    """A clock that advances in `sleep`, and a little when it is looked at."""

    LOOK_S = 1e-6

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        self.now_s += self.LOOK_S
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.mark.parametrize("jitter_s", [0.0, 0.004])
def test_each_way_takes_half_of_the_round_trip(
    monkeypatch: pytest.MonkeyPatch, jitter_s: float
) -> None:
    clock = Clock()
    for module in (relay_module, timing_module):
        monkeypatch.setattr(module, "time", clock)
    source, near = socket.socketpair()
    far, sink = socket.socketpair()
    # AF_UNIX has no urgent mark; the pieces of a stream are all the same here.
    monkeypatch.setattr(relay_module, "pieces", lambda source: iter([(source.recv(9), False)]))
    with source, near, far, sink:
        near.send(b"x")
        carry(source, sink, NetworkPath(0.02, jitter_s))
        assert far.recv(9) == b"x"
    assert 0.01 <= clock.now_s <= 0.01 + jitter_s + 10 * Clock.LOOK_S


@pytest.mark.parametrize(
    "path", [NetworkPath(), NetworkPath(0.02), NetworkPath(0.006, 0.0015, "drop")]
)
def test_the_process_has_the_path_that_it_was_started_with(path: NetworkPath) -> None:
    assert parsed(["--to", "127.0.0.1:1", *arguments(path)])[1] == path


def test_delay_and_order() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as far,
        relay(("127.0.0.1", far.getsockname()[1]), NetworkPath(0.02, 0.004)) as port,
        socket.create_connection(("127.0.0.1", port)) as near,
    ):
        accepted, _ = far.accept()
        with accepted:
            trips = []
            for n in range(20):
                began = time.monotonic()
                near.send(b"%03d" % n)
                accepted.send(accepted.recv(3))
                assert near.recv(3) == b"%03d" % n
                trips.append(time.monotonic() - began)
            assert min(trips) >= 0.02


@pytest.mark.parametrize(("urgent", "mode"), [("keep", "out-of-band"), ("drop", "in-band")])
@pytest.mark.parametrize("name", ["python-oracledb"])
def test_a_driver_finds_out_at_connect(built_lab: None, name: str, urgent: str, mode: str) -> None:
    # GIVEN a lab behind a path that keeps or loses urgent data, and a driver that checks
    with (
        LabServer() as lab,
        DriverClient(name) as client,
        relay(("127.0.0.1", lab.oralab.port), NetworkPath(urgent=urgent)) as port,
    ):
        client.connect(
            f"127.0.0.1:{port}/{lab.oralab.service}",
            lab.oralab.user,
            lab.oralab.password,
            disable_oob=False,
        )
        client.query(LOTSLIOS, {"n": 1000})
        statement = (
            "select m.value from v$mystat m, v$statname n"
            " where m.statistic# = n.statistic# and n.name = 'lab break polls'"
        )
        [[polls]] = client.query(statement)[1]
        # THEN it polls just where the byte was lost, and a cancel works either way
        assert (polls > 0) == (mode == "in-band")
        cancel = client.cancel(LOTSLIOS, {"n": 10**9}, 0.1)
        assert (cancel.error, cancel.usable) == ("ORA-01013", True)
        client.close()
