# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's figures about a connection, against what was sent over it."""

from __future__ import annotations

import socket

import pytest

from polltrace.latency.tcp_info import tcp_info
from tests.waiting import until

MESSAGES, LENGTH = 37, 101


def test_counts_are_those_of_the_messages() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as client,
        listener.accept()[0] as server,
    ):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(MESSAGES):
            client.send(b"x" * LENGTH)
            assert len(server.recv(LENGTH)) == LENGTH
        until(lambda: tcp_info(client).bytes_acked >= MESSAGES * LENGTH, "the acknowledgements")
        sent, came = tcp_info(client), tcp_info(server)
    # On a host that holds us up for a while, the kernel sends one again.
    assert sent.segments_out - sent.retransmits == MESSAGES
    assert came.segments_in == sent.segments_out
    # The kernel counts the SYN as an acknowledged byte.
    assert (came.bytes_received, sent.bytes_acked) == (MESSAGES * LENGTH, MESSAGES * LENGTH + 1)
    assert sent.lost == 0
    assert 0 < sent.rtt_s < 1
    assert sent.min_rtt_s is not None
    assert sent.min_rtt_s <= sent.rtt_s
    assert sent.mss > 1000


def test_another_socket_has_none() -> None:
    one, other = socket.socketpair()
    with one, other, pytest.raises(OSError, match="not supported"):
        tcp_info(one)
