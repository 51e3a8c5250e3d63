# SPDX-License-Identifier: GPL-2.0-or-later
"""Breaks out of their order: before the statement they are meant for, behind it, inside it.

The driver's own socket is borrowed to send what another thread of it would.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

import oracledb
import pytest

from .conftest import FOR_EVER, LOTSLIOS, Lab, Session, in_each_mode

CANCELLED = "ORA-01013"
# ojdbc11 sends one after each urgent byte.
ATTENTION = bytes.fromhex("0000000b 0c200000 020003")
INTERRUPT = bytes.fromhex("0000000b 0c200000 010003")
# The first bytes of an execute message.
BEGUN = bytes.fromhex("0000000d 06000000 0000 035e05")


def socket_to(port: int) -> socket.socket:
    """A duplicate of the one socket of this process that is connected to `port`."""
    for link in Path("/proc/self/fd").iterdir():
        try:
            found = socket.socket(fileno=os.dup(int(link.name)))
        except OSError:  # no socket, or gone
            continue
        try:
            if found.getpeername()[1] == port:
                return found
        except OSError:  # not connected
            pass
        found.close()
    raise AssertionError(f"nothing here is connected to port {port}")


@pytest.fixture
def session(lab: Lab) -> Session:
    return lab.connect()


def breaks(session: Session) -> int:
    return session.statistics()["lab breaks"]


def test_the_next_statement_is_cancelled_where_the_break_overtook_it(
    lab: Lab, session: Session
) -> None:
    with socket_to(lab.port) as wire:
        for n in range(1, 6):
            wire.send(b"!", socket.MSG_OOB)
            wire.send(ATTENTION)
            with pytest.raises(oracledb.DatabaseError, match=CANCELLED):
                session.one("select 1 from dual")
            assert session.one("select 2 from dual") == 2
            assert breaks(session) == n


def test_the_marker_of_an_answered_break_cancels_nothing(lab: Lab, session: Session) -> None:
    with socket_to(lab.port) as wire:
        for n in range(1, 6):
            # GIVEN an urgent byte before the statement, its marker behind it
            wire.send(b"!", socket.MSG_OOB)
            with pytest.raises(oracledb.DatabaseError, match=CANCELLED):
                session.rows(LOTSLIOS, n=FOR_EVER)
            wire.send(ATTENTION)
            assert session.one("select 2 from dual") == 2
            assert breaks(session) == n


@in_each_mode
def test_a_driver_that_cancels_before_it_executes(lab: Lab, mode: str) -> None:
    session = lab.connect(disable_oob=mode == "in-band")
    for _ in range(5):
        session.connection.cancel()
        with pytest.raises(oracledb.DatabaseError, match=CANCELLED):
            session.rows(LOTSLIOS, n=FOR_EVER)
        assert session.one("select 2 from dual") == 2


@pytest.mark.parametrize("marker", [INTERRUPT, ATTENTION])
def test_a_break_inside_a_message(lab: Lab, session: Session, marker: bytes) -> None:
    with socket_to(lab.port) as wire:
        wire.send(BEGUN)
        wire.send(marker)
        with pytest.raises(oracledb.DatabaseError, match=CANCELLED):
            session.one("select 1 from dual")
        assert session.one("select 2 from dual") == 2
        assert breaks(session) == 1
