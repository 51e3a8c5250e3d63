# SPDX-License-Identifier: GPL-2.0-or-later
"""A cancel ends a block of PL/SQL."""

from __future__ import annotations

import time

import pytest

from .conftest import CANCELS, Lab


@pytest.mark.parametrize("disable_oob", [True, False])
@pytest.mark.parametrize(
    "block",
    [
        "begin loop null; end loop; end;",
        "declare x number; begin loop begin x := 1 / 0; exception when others then null; end;"
        " end loop; end;",
        "begin dbms_session.sleep(3600); end;",
        "declare n number; begin loop select count(*) into n from sys.obj$; end loop; end;",
    ],
)
def test_a_cancel_ends_a_block(lab: Lab, disable_oob: bool, block: str) -> None:
    session = lab.connect(disable_oob=disable_oob)
    for _ in range(max(1, CANCELS // 10)):
        statement = lab.active(session, block)
        began = time.monotonic()
        session.connection.cancel()
        assert statement.join()
        assert statement.error.startswith("ORA-01013")
        assert time.monotonic() - began < 60
        assert session.one("select 1 from dual") == 1


def test_a_loop_of_queries_without_gets_is_cancelled(lab: Lab) -> None:
    session = lab.connect(disable_oob=True)
    block = "declare n number; begin loop select 1 into n from dual; end loop; end;"
    statement = lab.active(session, block)
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith("ORA-01013")
