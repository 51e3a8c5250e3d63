# SPDX-License-Identifier: GPL-2.0-or-later
"""Whom servers serve: asked in the background, never of a process that came later."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from polltrace.errors import DriverError
from polltrace.servers.database_sessions import DatabaseSession
from polltrace.servers.login import Login
from polltrace.watch.identities import Identities
from tests.watch.samples import server


class SessionDatabase:
    """Sessions by SPID, a clock, and how often it was asked."""

    def __init__(self) -> None:
        self.now_s, self.asked, self.users = 0.0, 0, dict[int, str]()
        self.fails = False
        self.identities = Identities(Login("db", "scott", "x"), self.ask, lambda: self.now_s)

    def ask(self, _login: Login) -> Mapping[int, DatabaseSession]:
        self.asked += 1
        if self.fails:
            raise DriverError("no listener")
        return {
            spid: DatabaseSession(spid, "orcl", spid, 1, user, "sqlplus", "", "app7", "")
            for spid, user in self.users.items()
        }

    def follow(self, *pids: tuple[int, int]) -> dict[tuple[int, int], str]:
        """Follow these servers until the database has answered."""
        self.identities.follow([server(*each) for each in pids])
        self.identities.wait()
        self.identities.follow([server(*each) for each in pids])
        return {identity: each.user for identity, each in self.identities.sessions.items()}


def test_a_new_server_is_looked_up_once() -> None:
    database = SessionDatabase()
    database.users = {11: "SCOTT", 12: "APP"}
    assert database.follow((11, 7)) == {(11, 7): "SCOTT"}
    asked = database.asked
    database.now_s = 100
    database.follow((11, 7))
    assert database.asked == asked
    assert database.follow((11, 7), (12, 7)) == {(11, 7): "SCOTT", (12, 7): "APP"}


def test_a_reused_pid_has_no_name_until_the_next_query() -> None:
    database = SessionDatabase()
    database.users = {11: "SCOTT"}
    assert database.follow((11, 7)) == {(11, 7): "SCOTT"}
    # The process ended and another has its PID; it is too early to ask again.
    assert (11, 99) not in database.follow((11, 99))
    database.users = {11: "OTHER"}
    database.now_s = 100
    assert database.follow((11, 99)) == {(11, 99): "OTHER"}


def test_identities_of_another_instance_are_not_used() -> None:
    database = SessionDatabase()
    database.users = {11: "SCOTT"}
    other = server(11)
    object.__setattr__(other, "instance", "SALES")
    database.identities.follow([other])
    database.identities.wait()
    database.identities.follow([other])
    assert database.identities.sessions == {}


def test_names_stay_when_the_database_goes_away() -> None:
    database = SessionDatabase()
    database.users = {11: "SCOTT"}
    database.follow((11, 7))
    database.fails, database.now_s = True, 100
    assert database.follow((11, 7), (12, 7)) == {(11, 7): "SCOTT"}


def test_a_wrong_login_is_reported_at_once() -> None:
    def refuse(_login: Login) -> Mapping[int, DatabaseSession]:
        raise DriverError("wrong password")

    with pytest.raises(DriverError):
        Identities(Login("db", "scott", "x"), refuse)
