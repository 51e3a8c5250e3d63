# SPDX-License-Identifier: GPL-2.0-or-later
"""Blocks of PL/SQL, what they print, and how they fail."""

from __future__ import annotations

import oracledb
import pytest

from .conftest import Session

PUT = "dbms_output.put_line"


def lines(session: Session) -> list[str | None]:
    """What DBMS_OUTPUT has, as SQL*Plus asks for it."""
    line, status = session.cursor.var(str), session.cursor.var(int)
    found: list[str | None] = []
    while True:
        session.cursor.callproc("dbms_output.get_line", (line, status))
        if status.getvalue():
            return found
        found.append(line.getvalue())


def printed(session: Session, block: str) -> list[str | None]:
    session.cursor.execute("begin dbms_output.enable; end;")
    session.cursor.execute(block.replace("put(", f"{PUT}("))
    return lines(session)


def failure(session: Session, block: str) -> str:
    with pytest.raises(oracledb.DatabaseError) as caught:
        session.cursor.execute(block)
    return str(caught.value).split("\nHelp:")[0]
