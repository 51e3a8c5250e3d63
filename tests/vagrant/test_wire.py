# SPDX-License-Identifier: GPL-2.0-or-later
"""The router's handling of urgent data, on real TCP between network namespaces."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT, missing
from tests.waiting import PATIENCE_S

WIRE = ROOT / "scenarios" / "vagrant" / "wire.sh"
# Says how the byte came: urgent (it raised POLLPRI), ordinary (in line), or not at all.
SERVER = """
import select, socket
listener = socket.create_server(("10.9.2.2", 1521))
print("ready", flush=True)
connection, _ = listener.accept()
poll = select.poll()
poll.register(connection, select.POLLPRI | select.POLLIN)
came = poll.poll(2000)
print("nothing" if not came else "urgent" if came[0][1] & select.POLLPRI else "ordinary")
"""
CLIENT = """
import socket, sys
connection = socket.create_connection(("10.9.2.2", 1521))
connection.send(b"!", socket.MSG_OOB)
sys.stdin.read()
"""


class RoutedNetwork:
    """client - router - server, in namespaces."""

    def __init__(self) -> None:
        # Not by the PID: another run's, in a namespace of its own, may have the same.
        run = secrets.token_hex(4)
        self.name = {who: f"pt-{run}-{who}" for who in ("client", "router", "server")}

    def popen(self, who: str, *command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["ip", "netns", "exec", self.name[who], *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wire(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["ip", "netns", "exec", self.name["router"], str(WIRE), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def ip(self, *arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def build(self) -> None:
        for name in self.name.values():
            self.ip("netns", "add", name)
        for end, net in (("client", 1), ("server", 2)):
            end_name, router = self.name[end], self.name["router"]
            near, far = ("dev", "eth1"), ("dev", f"eth{net}")
            peer = ("peer", "name", f"eth{net}", "netns", router)
            self.ip("link", "add", "eth1", "netns", end_name, "type", "veth", *peer)
            self.ip("-n", end_name, "addr", "add", f"10.9.{net}.2/24", *near)
            self.ip("-n", router, "addr", "add", f"10.9.{net}.1/24", *far)
            self.ip("-n", end_name, "link", "set", "eth1", "up")
            self.ip("-n", router, "link", "set", f"eth{net}", "up")
            self.ip("-n", end_name, "route", "add", "default", "via", f"10.9.{net}.1")
        forward = ("sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
        self.popen("router", *forward).communicate()

    def how_urgent_data_comes(self) -> str:
        server = self.popen("server", sys.executable, "-c", SERVER)
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        client = self.popen("client", sys.executable, "-c", CLIENT)
        how, errors = server.communicate(timeout=PATIENCE_S)
        assert errors == ""
        assert client.communicate(timeout=PATIENCE_S)[1] == ""
        return how.strip()


@pytest.fixture
def network() -> Iterator[RoutedNetwork]:
    if os.geteuid() != 0:
        missing("network namespaces need root")
    for tool in ("ip", "nft"):
        if shutil.which(tool) is None:
            missing(f"there is no {tool}: ./setup.sh --tests")
    network = RoutedNetwork()
    try:
        network.build()
        yield network
    finally:
        for name in network.name.values():
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


@pytest.mark.parametrize(
    ("asked", "comes"), [("pass", "urgent"), ("strip", "ordinary"), ("drop", "nothing")]
)
def test_urgent_data(network: RoutedNetwork, asked: str, comes: str) -> None:
    network.wire("urgent", "strip")  # which the second replaces
    done = network.wire("urgent", asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert network.how_urgent_data_comes() == comes
    # AND it reports so
    shown = network.wire("show").stdout
    assert ("urgent data passes" in shown) == (asked == "pass")
    assert (" drop" in shown) == (asked == "drop")
    # AND all of it can be taken back
    assert network.wire("clear").returncode == 0
    assert network.how_urgent_data_comes() == "urgent"


@pytest.mark.parametrize("arguments", [[], ["urgent"], ["urgent", "eat"], ["delay"], ["show", "x"]])
def test_wrong_usage(arguments: list[str]) -> None:
    done = subprocess.run([WIRE, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: wire show\n")
