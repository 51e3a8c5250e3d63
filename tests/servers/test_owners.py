# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers of one instance that run as several users: an impostor is shown, and marked."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.servers.owners import stray_owners, user_name
from polltrace.servers.ps_report import ps_table
from tests.servers.crowd import build_crowd, crowd
from tests.servers.test_ps_report import SCREEN, SESSIONS

Run = Callable[..., subprocess.CompletedProcess[str]]
ROOT, DAEMON, UNKNOWN = 0, 1, 4_000_000


def remarks(*uids: int | None) -> list[str]:
    """The remark on each server of one instance, which run as these users."""
    servers = [
        replace(SESSIONS[0].server, pid=100 + number, uid=uid) for number, uid in enumerate(uids)
    ]
    found = stray_owners(servers)
    return [found.get(server.identity, "") for server in servers]


def test_one_owner_needs_no_remark() -> None:
    assert remarks(ROOT, ROOT, None) == ["", "", ""]


def test_the_server_of_another_user_is_marked() -> None:
    stray = "runs as 4000000, other servers of ORCL as root"
    assert remarks(ROOT, UNKNOWN, ROOT) == ["", stray, ""]


def test_of_two_users_with_as_many_servers_neither_is_taken_for_the_owner() -> None:
    assert remarks(ROOT, DAEMON) == ["servers of ORCL run as daemon, root"] * 2


def test_a_user_without_a_name_has_a_number() -> None:
    assert (user_name(UNKNOWN), user_name(ROOT), user_name(None)) == ("4000000", "root", "")


def test_the_screen_has_a_column_of_owners_where_they_differ() -> None:
    uids = [ROOT, ROOT, DAEMON, ROOT, ROOT, ROOT]
    sessions = [
        replace(session, server=replace(session.server, uid=uid))
        for session, uid in zip(SESSIONS, uids, strict=True)
    ]
    header, first, second, *_ = ps_table(sessions).splitlines()
    assert header.startswith("     PID OWNER     ENGINE INSTANCE")
    assert first.startswith("     103 daemon    oracle ORCL")
    assert first.endswith("(runs as daemon, other servers of ORCL as root) server DISABLE_OOB")
    assert second.startswith("     102 root      oracle ORCL")
    same = [replace(session, server=replace(session.server, uid=ROOT)) for session in SESSIONS]
    assert ps_table(same) == SCREEN


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_crowd(tmp_path_factory.mktemp("crowd"))


@pytest.fixture
def impostor(program: Path, root: None) -> Iterator[int]:
    """A process of another user with the name and title of a server of instance CROWD."""
    for folder in program.parents[:3]:
        if folder.stat().st_uid == os.geteuid() and folder.name != "tmp":
            folder.chmod(0o755)
    process = subprocess.Popen(
        ["oracleCROWD (LOCAL=NO)"],
        executable=program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        user=DAEMON,
        group=DAEMON,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    yield process.pid
    process.communicate()


@pytest.mark.usefixtures("probe")
def test_ps_marks_the_process_of_another_user(run: Run, program: Path, impostor: int) -> None:
    with crowd(program, 3):
        ended = run("ps", "-d", "50ms", "--json")
    strays = {
        session["user"]: session["stray_owner"] for session in json.loads(ended.stdout)["sessions"]
    }
    assert strays == {"root": None, "daemon": "runs as daemon, other servers of CROWD as root"}
