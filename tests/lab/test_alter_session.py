# SPDX-License-Identifier: GPL-2.0-or-later
"""A session of the lab that changes its own skip, for experiments within one process."""

from __future__ import annotations

import pytest

from polltrace.errors import DriverError
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer

COUNTS = """
select n.name, s.value from v$mystat s, v$statname n
where  s.statistic# = n.statistic# and n.name in ('lab break checks', 'lab break polls')
"""


def counted(client: DriverClient) -> tuple[int, int]:
    """Checks and polls of one execution."""
    before = dict(client.query(COUNTS)[1])
    client.query(LOTSLIOS, {"n": 500})
    after = dict(client.query(COUNTS)[1])
    checks, polls = (
        int(after[name]) - int(before[name]) for name in ("lab break checks", "lab break polls")
    )
    return checks, polls


@pytest.mark.usefixtures("lab")
def test_a_session_polls_by_the_skip_it_sets() -> None:
    with LabServer() as lab, DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        for skip in (1, 7, 100):
            client.execute(f"alter session set break_poll_skip = {skip}")
            checks, polls = counted(client)
            assert checks > 1000
            assert polls == checks // skip
        client.execute("alter session set break_poll_skip=0")
        assert counted(client) == (0, 0)
        # Another parameter of Oracle's is accepted; an invalid value is not.
        client.execute("alter session set nls_language = 'AMERICAN'")
        with pytest.raises(DriverError, match="ORA-00922"):
            client.execute("alter session set break_poll_skip = often")
