# SPDX-License-Identifier: GPL-2.0-or-later
"""A session that waits for a row lock checks for a break once in 3 s, whatever it reads."""

from __future__ import annotations

import pytest

from tests.waiting import until

from .conftest import ROW_LOCK, SLICES_OF, STATISTICS, Lab, Session, settle

UPDATE = "update t set v = v + 1"
GETS = ("consistent gets", "db block gets")
CHECKS, POLLS = "lab break checks", "lab break polls"
SLICES = 3


def counts(watcher: Session, sid: int) -> dict[str, int]:
    """The statistics of another session, and the slices that it has waited for row locks."""
    settle(watcher, sid)
    statistics = STATISTICS.replace("v$mystat", "v$sesstat") + " and m.sid = :sid"
    return {
        **dict(watcher.rows(statistics, sid=sid)),
        "slices": watcher.one(SLICES_OF, sid=sid, event=ROW_LOCK),
    }


@pytest.mark.parametrize("skip", [1, 3])
def test_a_lock_wait_makes_a_check_every_slice(lab: Lab, skip: int) -> None:
    watcher, holder = lab.connect(), lab.connect()
    holder.cursor.execute("create table t (v number)")
    holder.cursor.execute("insert into t values (1)")
    holder.connection.commit()
    waiter = lab.connect(disable_oob=True)
    waiter.cursor.execute(f"alter session set break_poll_skip = {skip}")
    sid = waiter.sid

    def spent(lock_held: bool) -> dict[str, int]:
        """How the waiter's counts change in an update and its commit."""
        before = counts(watcher, sid)
        if lock_held:
            holder.cursor.execute(UPDATE)
            statement = lab.waiting(waiter, UPDATE)
            until(lambda: watcher.one(SLICES_OF, sid=sid, event=ROW_LOCK) >= SLICES, "the slices")
            holder.connection.commit()
            assert statement.join()
            assert "ORA-" not in statement.error
        else:
            waiter.cursor.execute(UPDATE)
        waiter.connection.commit()
        return {name: value - before[name] for name, value in counts(watcher, sid).items()}

    spent(lock_held=False)  # The first execution also reads the dictionary.
    alone, behind = spent(lock_held=False), spent(lock_held=True)
    assert alone["slices"] == 0
    assert behind["slices"] >= SLICES
    gets = sum(behind[name] for name in GETS)
    assert 0 < gets <= sum(alone[name] for name in GETS)
    assert behind[CHECKS] == gets + behind["slices"]
    assert abs(behind[POLLS] * skip - behind[CHECKS]) < skip
