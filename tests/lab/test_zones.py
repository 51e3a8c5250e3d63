# SPDX-License-Identifier: GPL-2.0-or-later
"""Points in time with a zone: shown by its clocks, compared as instants."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import oracledb
import pytest

from polltrace.scenarios.clients import program
from polltrace.scenarios.run.client import DriverClient
from tests.conftest import missing

from .conftest import Lab

NOON = datetime.datetime(2024, 7, 1, 12, 0, 0)


@pytest.mark.parametrize("driver", ["go-ora", "ojdbc11"])
def test_a_bind_outside_utc(lab: Lab, driver: str) -> None:
    # GIVEN a driver that sends a time's zone
    if reason := program(driver).missing():
        missing(reason)
    with DriverClient(driver) as client:
        client.connect(f"127.0.0.1:{lab.port}/LAB", "scott", "tiger", disable_oob=True)
        client.execute("alter session set time_zone = '+00:00'")
        for hours, text in ((2, "12.00 +02 00"), (-3.5, "12.00 -03 30"), (0, "12.00 +00 00")):
            zone = datetime.timezone(datetime.timedelta(hours=hours))
            at = NOON.replace(tzinfo=zone)
            utc = at.astimezone(datetime.UTC)
            # THEN the fields are those of its zone, and it is the instant that it is
            shown = (
                "select to_char(:t, 'HH24.MI TZH TZM'), to_char(cast(:t as date), 'HH24') from dual"
            )
            assert client.query(shown, {"t": at})[1] == [[text, "12"]]
            instant = f"to_timestamp('{utc:%Y-%m-%d %H.%M.%S}', 'YYYY-MM-DD HH24.MI.SS')"
            equal = f"select case when :t = {instant} then 'same' end from dual"
            assert client.query(equal, {"t": at})[1] == [["same"]]
            hour = "select to_char(extract(hour from :t)) from dual"
            assert client.query(hour, {"t": at})[1] == [[str(utc.hour)]]


def offset_of(name: str, utc: datetime.datetime) -> datetime.timedelta | None:
    if "/" in name:
        return utc.replace(tzinfo=datetime.UTC).astimezone(ZoneInfo(name)).utcoffset()
    return datetime.time.fromisoformat("00:00" + name).utcoffset()


def test_the_session_has_clocks_of_its_own(lab: Lab) -> None:
    session = lab.connect()
    for name in ("Asia/Kolkata", "+05:30", "America/St_Johns", "-03:30"):
        session.cursor.execute(f"alter session set time_zone = '{name}'")
        [[shown, offset, behind, same, now]] = session.rows(
            "select sessiontimezone, to_char(current_timestamp, 'TZR'),"
            " round((current_date - sysdate) * 24, 4),"
            " case when current_timestamp = systimestamp and localtimestamp = systimestamp"
            " then 'same' end, sysdate from dual"
        )
        assert shown == name
        assert datetime.timedelta(hours=behind) == offset_of(name, now)
        assert datetime.time.fromisoformat("00:00" + offset).utcoffset() == offset_of(name, now)
        assert same == "same"


def test_a_local_time_comes_in_utc_and_is_shown_by_the_sessions_clocks(lab: Lab) -> None:
    session = lab.connect()
    session.cursor.execute("alter session set time_zone = '+02:00'")
    bind = session.cursor.var(oracledb.DB_TYPE_TIMESTAMP_LTZ)
    bind.setvalue(0, NOON)
    assert session.one("select to_char(:b, 'HH24') from dual", b=bind) == "14"


def test_logon_sets_the_clients_zone(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORA_SDTZ", "+03:00")
    assert lab.connect().one("select sessiontimezone from dual") == "+03:00"
