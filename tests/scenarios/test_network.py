# SPDX-License-Identifier: GPL-2.0-or-later
"""Network paths: which is made by what, and what one between network namespaces does.

Whatever delays needs a kernel with netem: this file is among what `make kernels` runs on others.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from polltrace.errors import HostError
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import read_run
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network import choice
from polltrace.scenarios.run.network.choice import chosen_network
from polltrace.scenarios.run.network.namespaces import SERVER, server_namespace
from polltrace.scenarios.run.network.netem import clients_namespace, netem_refused
from polltrace.scenarios.run.network.relay import pieces
from polltrace.scenarios.run.network.tun import clients_behind_tun, tun_refused
from tests.conftest import Run, missing
from tests.waiting import PATIENCE_S, children

PLAIN, SLOW = NetworkPath(), NetworkPath(0.02)
LOSING = NetworkPath(urgent="drop")
PATHS = {"plain": PLAIN, "slow": SLOW, "losing": LOSING, "both": NetworkPath(0.02, urgent="drop")}
NAMESPACE = Path("/proc/self/ns/net")

# Each line as soon as the one before it was answered, so that each is a packet of its own.
PINGS = """
import socket, sys, time
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as server:
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for n in range(int(sys.argv[3])):
        began = time.monotonic()
        server.send(b"%03d" % n)
        assert server.recv(3) == b"%03d" % n
        print(time.monotonic() - began)
    server.send(b"!", socket.MSG_OOB)
"""
HANDSHAKE = """
import socket, sys, time
from polltrace.latency.tcp_info import tcp_info
began = time.monotonic()
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as server:
    print(time.monotonic() - began, tcp_info(server).rtt_s)
"""
BURST_OF = 200
BURST = f"""
import socket, sys
with socket.socket(type=socket.SOCK_DGRAM) as sender:
    for n in range({BURST_OF}):
        sender.sendto(b"%d" % n, (sys.argv[1], int(sys.argv[2])))
"""
SCENARIO = """
title = "paths"
statement = "select level from dual connect by level <= :rows"
binds = { rows = 11 }
record = ["statistics"]
[matrix]
client = ["python-oracledb"]
fetch_size = [1]
path = ["direct", "slow", "losing"]
[paths.slow]
round_trip_ms = 20
[paths.losing]
urgent = "drop"
[base]
path = "direct"
[repeats]
blocks = 1
counted = 1
"""


@pytest.fixture
def privileged() -> None:
    if os.geteuid() != 0:
        missing("a network namespace needs root")


Maker = Callable[[int, NetworkPath], contextlib.AbstractContextManager[tuple[str, ...]]]


@pytest.fixture(params=["netem", "tun"])
def maker(privileged: None, request: pytest.FixtureRequest) -> Maker:
    """What makes a namespace behind a path, where this kernel has it."""
    refused = netem_refused() if request.param == "netem" else tun_refused()
    if refused:
        pytest.skip(f"{request.param} is refused here: {refused}")
    return clients_namespace if request.param == "netem" else clients_behind_tun


def pinged(
    path: NetworkPath, *, count: int = 20, maker: Maker = clients_namespace
) -> tuple[list[float], list[tuple[bytes, bool]]]:
    """The round trips that a client at the far end of the path sees, in seconds; and the data
    that arrives for an urgent byte at the end."""
    with (
        server_namespace(),
        maker(0, path) as start,
        socket.create_server((SERVER, 0)) as listener,
    ):
        port = str(listener.getsockname()[1])
        command = [*start, sys.executable, "-c", PINGS, SERVER, port, str(count)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
            listener.settimeout(PATIENCE_S)
            accepted, _ = listener.accept()
            with accepted:
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
                for _ in range(count):
                    accepted.send(accepted.recv(3))
                rest = list(pieces(accepted))
            assert client.stdout is not None
            trips = [float(line) for line in client.stdout]
    assert client.returncode == 0
    return trips, rest


@pytest.mark.usefixtures("privileged")
def test_namespaces_carry_data_and_urgent_data_and_go() -> None:
    home, links = NAMESPACE.readlink(), names(())
    trips, rest = pinged(PLAIN)
    assert len(trips) == 20
    assert rest == [(b"!", True)]
    assert (NAMESPACE.readlink(), names(())) == (home, links)


@pytest.mark.usefixtures("privileged")
def test_nothing_links_them_to_anything_else() -> None:
    with server_namespace(), clients_namespace(0, PLAIN) as one, clients_namespace(1, PLAIN) as two:
        assert names(()) == ["lo", "path0", "path1"]
        assert (names(one), names(two)) == (["lo", "path0"], ["lo", "path1"])


@pytest.mark.usefixtures("privileged")
@pytest.mark.parametrize("jitter_s", [0.0, 0.004])
def test_both_ends_together_delay_a_round_trip(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jitter_s: float
) -> None:
    """On kernels without netem too: a `tc` that only notes what it is given."""
    tc, given = tmp_path / "tc", tmp_path / "given"
    tc.write_text(f'#!/bin/sh\necho "$@" >> {given}\n')
    tc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with server_namespace(), clients_namespace(0, NetworkPath(0.02, jitter_s)):
        pass
    delays_us = [
        [float(word.removesuffix("us")) for word in line.split() if re.fullmatch(r"[\d.]+us", word)]
        for line in given.read_text().splitlines()
    ]
    assert len(delays_us) == 2
    # netem delays by the first, plus or minus the second.
    shortest = sum(delay - (more[0] if more else 0) for delay, *more in delays_us)
    longest = sum(delay + (more[0] if more else 0) for delay, *more in delays_us)
    assert (shortest, longest) == pytest.approx((20_000, 20_000 + 2e6 * jitter_s))


def test_each_way_is_delayed(maker: Maker) -> None:
    trips, rest = pinged(SLOW, maker=maker)
    assert min(trips) >= 0.02
    assert rest == [(b"!", True)]


def test_the_handshake_is_delayed_as_well(maker: Maker) -> None:
    with (
        server_namespace(),
        maker(0, SLOW) as start,
        socket.create_server((SERVER, 0)) as listener,
    ):
        command = [*start, sys.executable, "-c", HANDSHAKE, SERVER, str(listener.getsockname()[1])]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    connect_s, kernel_s = map(float, printed.split())
    assert connect_s >= kernel_s >= 0.02


def test_tun_devices_and_their_process_go(privileged: None) -> None:
    if refused := tun_refused():
        pytest.skip(refused)
    home, links = NAMESPACE.readlink(), names(())
    _, rest = pinged(PLAIN, maker=clients_behind_tun)
    assert rest == [(b"!", True)]
    assert (NAMESPACE.readlink(), names(())) == (home, links)
    assert children(os.getpid(), "python") == []


def test_jitter_is_on_top_and_keeps_order(maker: Maker) -> None:
    trips, _ = pinged(NetworkPath(0.02, 0.02), count=60, maker=maker)
    # Each way 10 to 30 ms.
    assert min(trips) >= 0.02
    assert max(trips) - min(trips) > 0.01
    # And of many that are on their way at once none overtakes another.
    with (
        server_namespace(),
        maker(0, NetworkPath(0.01, 0.02)) as start,
        socket.socket(type=socket.SOCK_DGRAM) as receiver,
    ):
        receiver.bind((SERVER, 0))
        port = str(receiver.getsockname()[1])
        subprocess.run([*start, sys.executable, "-c", BURST, SERVER, port], check=True)
        receiver.settimeout(PATIENCE_S)
        assert [int(receiver.recv(9)) for _ in range(BURST_OF)] == list(range(BURST_OF))


@pytest.mark.parametrize(
    ("how", "ours", "used", "namespaces"),
    [
        ("relay", True, PATHS, set()),
        ("auto", False, PATHS, set()),
        ("auto", True, {"plain", "losing", "direct"}, set()),
    ],
)
def test_the_maker_of_a_path(
    how: str, ours: bool, used: Collection[str], namespaces: set[str]
) -> None:
    network = chosen_network(how, PATHS, used, ours=ours)
    assert network.namespaces == namespaces
    assert network.words().keys() == {*used} - {"direct"}


def test_netem_that_cannot_be_had_is_an_error() -> None:
    with pytest.raises(HostError, match="the server is not in a network of ours"):
        chosen_network("netem", PATHS, PATHS, ours=False)


@pytest.mark.parametrize(
    ("refused", "how", "used", "maker", "namespaces"),
    [
        ((None, None), "netem", {"plain", "losing"}, "netem", {"plain", "losing"}),
        ((None, None), "auto", PATHS, "netem", {"plain", "slow", "both"}),
        (("none", None), "auto", PATHS, "tun", {"plain", "slow", "both"}),
        (("none", None), "tun", {"plain", "losing"}, "tun", {"plain", "losing"}),
        ((None, None), "tun", {"slow"}, "tun", {"slow"}),
        (("none", "none"), "auto", PATHS, "netem", set()),
    ],
)
def test_the_first_maker_that_works(  # noqa: PLR0917
    monkeypatch: pytest.MonkeyPatch,
    refused: tuple[str | None, str | None],
    how: str,
    used: Collection[str],
    maker: str,
    namespaces: set[str],
) -> None:
    """A path without a delay of its own is made as those with one, so that only that differs."""
    monkeypatch.setattr(choice, "netem_refused", lambda: refused[0])
    monkeypatch.setattr(choice, "tun_refused", lambda: refused[1])
    network = chosen_network(how, PATHS, used, ours=True)
    assert network.namespaces == namespaces
    assert network.maker == maker


def test_neither_netem_nor_tun_is_an_error_with_both_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choice, "netem_refused", lambda: "no netem")
    monkeypatch.setattr(choice, "tun_refused", lambda: "no device")
    assert chosen_network("auto", PATHS, PATHS, ours=True).refused == "no netem; no device"
    for how, why in (("netem", "no netem"), ("tun", "no device")):
        with pytest.raises(HostError, match=why):
            chosen_network(how, PATHS, PATHS, ours=True)


@pytest.mark.usefixtures("lab", "privileged")
def test_a_run_names_the_makers_of_its_paths(run: Run, tmp_path: Path) -> None:
    """With netem where this kernel has it, else with the reason why not."""
    scenario, saved = tmp_path / "paths.toml", tmp_path / "paths.run"
    scenario.write_text(SCENARIO)
    ended = run("run", str(scenario), "-o", str(saved))
    assert ended.returncode == 0, ended.stderr
    delay = "tc netem between network namespaces"
    if refused := netem_refused():
        delay = (
            f"a relay process of polltrace's own (not tc netem: {refused}; {no_tun})"
            if (no_tun := tun_refused())
            else "a process of polltrace's own between two TUN devices, in network namespaces "
            f"(not tc netem: {refused})"
        )
    assert f"Path slow: 20 ms a round trip, urgent data kept, by {delay}." in ended.stdout
    losing = "Path losing: no delay, urgent data lost, by a relay process of polltrace's own."
    assert losing in ended.stdout
    # A round trip a row.
    cells = {each.cell.path: each for each in analysed(read_run(saved)).cells}
    slow, direct = (cells[name].counted for name in ("slow", "direct"))
    assert slow is not None
    assert direct is not None
    assert slow.round_trip_s is not None
    assert direct.round_trip_s is not None
    # A call ends some time after its answer was sent, so the server's time may be that of packets.
    server_s = slow.time_model["DB time"] / 1e6 / slow.round_trips
    assert slow.round_trip_s >= 0.02 - server_s
    # GIVEN that it is gone on with elsewhere, where the paths would be others
    text = saved.read_text().replace(delay, "a pigeon")
    saved.write_text(text)
    ended = run("run", "--resume", str(saved), "--repeats", "2")
    assert ended.returncode == 2
    assert "path slow was 20 ms a round trip, urgent data kept, by a pigeon" in ended.stderr


def names(start: tuple[str, ...]) -> list[str]:
    """Of the network interfaces in a namespace."""
    command = [*start, "ip", "-json", "link"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sorted(each["ifname"] for each in json.loads(printed))
