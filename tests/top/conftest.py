# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenarios.client import DriverClient
from scenarios.demo import LOTSLIOS
from scenarios.lab_server import LabServer

# So that these tests find tests.top.top_samples, by the name that mypy knows it by as well.
sys.path.insert(0, str(Path(__file__).parents[2]))


@pytest.fixture(scope="module")
def busy_server() -> Iterator[int]:
    """The PID of a dedicated server that executes lotslios, in-band, until the end."""
    with LabServer() as lab, DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        spid = client.query("select spid from v$process where rownum <= 1")[1][0][0]
        client.begin(LOTSLIOS, {"n": 10**9})
        yield int(spid)
