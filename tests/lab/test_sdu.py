# SPDX-License-Identifier: GPL-2.0-or-later
"""The session data unit: the smaller of both sides' holds, and bigger answers are more data."""

from __future__ import annotations

import math

import pytest

from .conftest import FROM_CLIENT, Lab, settle
from .test_views import MORE_TO_CLIENT, TO_CLIENT, waits

HEADERS = 10  # of a DATA packet: the packet's 8 bytes and its 2 of flags
ROWS = 2003


@pytest.mark.parametrize("array_size", [1, 15, 100, 1000])
@pytest.mark.parametrize(
    ("server", "client", "agreed"),
    [
        (None, 65535, 8192),  # the server's default
        (16384, 65535, 16384),
        (32767, 32767, 32767),
        (65535, 8192, 8192),
        (32767, 16384, 16384),
    ],
)
def test_an_answer_goes_out_in_packets_of_the_sdu(
    lab: Lab, server: int | None, client: int, agreed: int, array_size: int
) -> None:
    if server is not None:
        lab.sqlnet_ora(f"DEFAULT_SDU_SIZE = {server}\n")
    watcher, session = lab.connect(), lab.connect(sdu=client)
    sid = session.sid
    sent = "bytes sent via SQL*Net to client"
    session.cursor.arraysize = session.cursor.prefetchrows = array_size

    settle(watcher, sid)
    before, bytes_before = waits(watcher, sid), watcher.statistic_of(sid, sent)
    rows = session.rows(f"select rpad(level, 100, 'x') from dual connect by level <= {ROWS}")
    settle(watcher, sid)
    after, bytes_after = waits(watcher, sid), watcher.statistic_of(sid, sent)

    def grew(event: str) -> int:
        return after.get(event, (0, 0, 0))[0] - before.get(event, (0, 0, 0))[0]

    assert len(rows) == ROWS
    calls = grew(TO_CLIENT)
    assert grew(FROM_CLIENT) == calls
    assert calls == pytest.approx(ROWS / array_size, abs=3)
    # Full packets, and a smaller one to end each answer.
    packets = calls + grew(MORE_TO_CLIENT)
    payload = bytes_after - bytes_before - packets * HEADERS
    least = math.ceil(payload / (agreed - HEADERS))
    assert least <= packets <= least + calls
