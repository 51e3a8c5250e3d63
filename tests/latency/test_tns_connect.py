# SPDX-License-Identifier: GPL-2.0-or-later
"""Oracle Net's CONNECT, with the lab's listener and with answers that it never gives."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Sequence

import pytest

from polltrace.errors import HostError
from polltrace.latency.prober import connected
from polltrace.latency.tns_connect import connect_packet, tns_connect
from polltrace.scenarios.run.servers.lab_server import LabServer

ACCEPT, REFUSE, REDIRECT, RESEND = 2, 4, 5, 11


def answer(kind: int, body: bytes = b"", length: int | None = None) -> bytes:
    return struct.pack(">HHBBH", 8 + len(body) if length is None else length, 0, kind, 0, 0) + body


def asked(answers: Sequence[bytes]) -> tuple[int, list[bytes]]:
    """What the client makes of a listener's answers, and the packets that it sent."""
    one, other = socket.socketpair()
    packet, got = connect_packet("db", 1521, "sales"), []

    def listen() -> None:
        for each in answers:
            got.append(other.recv(len(packet), socket.MSG_WAITALL))
            other.sendall(each)
        other.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        with one:
            return tns_connect(one, packet), got
    finally:
        thread.join()
        other.close()


def test_accepted_at_once_or_after_resends() -> None:
    trips, got = asked([answer(ACCEPT, bytes(24))])
    assert (trips, len(got)) == (1, 1)
    trips, got = asked([answer(RESEND), answer(RESEND), answer(ACCEPT, bytes(24))])
    assert trips == 3
    assert len(set(got)) == 1


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([answer(REFUSE, b"\4\0\0\x20(DESCRIPTION=(ERR=12514))")], "refuses: ORA-12514"),
        ([answer(REFUSE, b"")], "no reason given"),
        ([answer(REDIRECT, b"x")], "redirects"),
        ([answer(RESEND)] * 4, "not an Oracle Net listener"),
        ([answer(99, b"?")], "not an Oracle Net listener"),
        ([b"HTTP/1.1 400 Bad Request\r\n\r\n"], "not an Oracle Net listener"),
        ([answer(ACCEPT, length=3)], "not an Oracle Net listener"),
    ],
)
def test_other_answers_are_errors_that_name_them(answers: list[bytes], words: str) -> None:
    with pytest.raises(HostError, match=words):
        asked(answers)


def test_an_end_of_the_connection_is_an_error() -> None:
    with pytest.raises(ConnectionResetError):
        asked([answer(ACCEPT, bytes(24))[:11]])


@pytest.mark.parametrize("name", ["a)(b", "", "a b", "x\0"])
def test_a_name_cannot_add_to_the_descriptor(name: str) -> None:
    with pytest.raises(HostError, match="cannot stand"):
        connect_packet("db", 1521, name)


@pytest.mark.usefixtures("built_lab")
def test_the_lab_accepts_and_refuses() -> None:
    with LabServer() as server:
        lab = server.oralab
        found = connected((lab.host, lab.port), lab.host, lab.service, 20)
        assert found["tns_round_trips"] == 1
        assert 0 < found["kernel_rtt_s"] <= found["tcp_connect_s"] < 20
        assert found["tns_connect_s"] > 0
        with pytest.raises(HostError, match="refuses: ORA-12514"):
            connected((lab.host, lab.port), lab.host, "nowhere", 20)
        assert connected((lab.host, lab.port), lab.host, None, 20)["tns_connect_s"] is None
