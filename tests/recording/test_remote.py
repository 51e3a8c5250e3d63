# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace record --ssh`, by a real sshd on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from polltrace import procfs
from polltrace.recording import read
from tests.conftest import POLLTRACE
from tests.polltrace.exact_poller import BREAK_POLLS, OTHER_POLLS, Poller, exact_poller
from tests.ssh import reached_by_ssh
from tests.waiting import PATIENCE_S, until

Process = subprocess.Popen[str]


@dataclass(frozen=True)
class DbHost:
    """A host to log in to, with a polltrace that calibrates quickly."""

    folder: Path
    environment: dict[str, str]

    @property
    def polltrace(self) -> str:
        return str(self.folder / "polltrace")


@pytest.fixture(scope="module")
def dbhost(quick_calibrate: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DbHost]:
    folder = tmp_path_factory.mktemp("dbhost")
    there = folder / "polltrace"
    there.write_text(
        f"#!/bin/sh\nexport POLLTRACE_CALIBRATE={quick_calibrate}\n"
        f'exec {shlex.quote(POLLTRACE)} "$@"\n'
    )
    there.chmod(0o755)
    with reached_by_ssh(folder) as environment:
        yield DbHost(folder, environment)


@pytest.fixture
def poller() -> Iterator[Poller]:
    with exact_poller() as started:
        yield started


def recorders(pid: int) -> list[int]:
    """The processes there that record this one, the parent of a reading child before it."""
    recording = []
    for candidate in procfs.pids():
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{candidate}/cmdline").read_text().split("\0")
            if "--until-stdin-ends" in words and str(pid) in words:
                recording.append(candidate)
    return recording


@pytest.fixture
def record(
    probe: None, dbhost: DbHost, start: Callable[..., Process], poller: Poller, tmp_path: Path
) -> Process:
    """A recording of the poller by ssh, which has attached."""
    words = ["record", "--ssh", "dbhost", "--polltrace", dbhost.polltrace, "--no-gaps"]
    words += ["-o", str(tmp_path / "a"), "-p", str(poller.pid)]
    process = start(*words, **dbhost.environment)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("polltrace: attached; counting until Ctrl-C")
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_recording_arrives_whole(
    poller: Poller, record: Process, tmp_path: Path, number: signal.Signals
) -> None:
    poller.poll()
    record.send_signal(number)
    _, errors = record.communicate(timeout=PATIENCE_S)
    path = tmp_path / "a"
    assert (record.returncode, errors) == (
        0,
        f"polltrace: {path}: 'polltrace report {path}' shows it\n",
    )
    found = read(path)
    assert found.tear == ""
    assert found.quality is not None
    assert found.counted is not None
    [totals] = [each for each in found.counted.totals if each.pid == poller.pid]
    assert (totals.break_polls, totals.other_polls) == (BREAK_POLLS, OTHER_POLLS)
    assert path.stat().st_mode & 0o777 == 0o600
    until(lambda: not recorders(poller.pid), "the end of polltrace there")


def test_nothing_is_left_there_when_we_are_killed(
    poller: Poller, record: Process, tmp_path: Path
) -> None:
    poller.poll()

    def arrived() -> bool:
        counted = read(tmp_path / "a").counted
        return counted is not None and any(t.break_polls == BREAK_POLLS for t in counted.totals)

    until(arrived, "the polls to arrive")
    assert recorders(poller.pid)
    record.kill()
    record.communicate(timeout=PATIENCE_S)
    until(lambda: not recorders(poller.pid), "the end of polltrace there")
    assert arrived()


def ssh_of(record: Process, _there: int) -> int:
    return int(Path(f"/proc/{record.pid}/task/{record.pid}/children").read_text())


def sshd_of(_record: Process, there: int) -> int:
    """The server of that login: the nearest of the processes above the recorder."""
    pid = there
    while not Path(f"/proc/{pid}/comm").read_text().startswith("sshd"):
        status = Path(f"/proc/{pid}/status").read_text()
        [above] = re.findall(r"^PPid:\t(\d+)$", status, re.MULTILINE)
        pid = int(above)
    return pid


@pytest.mark.parametrize("lost", [ssh_of, sshd_of])
def test_what_had_arrived_is_kept_where_the_connection_is_lost(
    poller: Poller, record: Process, tmp_path: Path, lost: Callable[[Process, int], int]
) -> None:
    until((tmp_path / "a").exists, "the first of the recording")
    there = recorders(poller.pid)[0]
    os.kill(lost(record, there), signal.SIGKILL)
    _, errors = record.communicate(timeout=PATIENCE_S)
    assert record.returncode == 4
    assert errors.startswith("polltrace: the connection to dbhost was lost (")
    assert errors.endswith(f"; {tmp_path / 'a'} has what had arrived\n")
    assert errors.count("\n") == 1
    assert read(tmp_path / "a").tear
    until(lambda: not recorders(poller.pid), "the end of polltrace there")


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-p", "1", "--polltrace", "/nowhere/polltrace"], 4, "install polltrace there"),
        (["-p", "1", "--ssh", "nobody@dbhost"], 4, "it must work without a question"),
        (["-p", "4194303"], 5, "4194303"),
        (["-p", "1", "--polltrace", "/bin/echo"], 4, "does not write a recording"),
        (["-p", "1", "--polltrace", "/bin/tar"], 4, "on dbhost: "),
    ],
)
def test_what_fails_there_is_one_line_and_keeps_the_last_recording(
    dbhost: DbHost, tmp_path: Path, options: list[str], code: int, message: str
) -> None:
    before = tmp_path / "a"
    before.write_bytes(b"valuable")
    words = [POLLTRACE, "record", "--ssh", "dbhost", "--polltrace", dbhost.polltrace, *options]
    ended = subprocess.run(
        [*words, "-o", str(before)],
        env=dbhost.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == code, ended.stderr
    assert message in ended.stderr
    assert ended.stderr.startswith("polltrace: ")
    assert ended.stderr.count("\n") == 1
    assert before.read_bytes() == b"valuable"


@pytest.mark.parametrize(
    "options",
    [
        ["-p", "1", "--sqltrace"],
        ["--", "true"],
        ["-p", "1", "-o", "-"],
        ["-p", "1", "--all"],
        [],
    ],
)
def test_what_ssh_does_not_go_with(options: list[str], tmp_path: Path) -> None:
    words = [POLLTRACE, "record", "--ssh", "nowhere", *options]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)


@pytest.mark.usefixtures("probe", "quick_calibration")
def test_standard_output_has_the_recording_alone(poller: Poller, tmp_path: Path) -> None:
    """Also where a file is called "-"."""
    (tmp_path / "-").write_text("not ours")
    words = [POLLTRACE, "record", "-p", str(poller.pid), "-d", "0.5", "-o", "-", "--no-gaps"]
    ended = subprocess.run(words, capture_output=True, cwd=tmp_path, check=True)
    assert (tmp_path / "-").read_text() == "not ours"
    path = tmp_path / "a"
    path.write_bytes(ended.stdout)
    words = [POLLTRACE, "report", str(path), "--json"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(shown.stdout)["whole"]
    assert b"report -" not in ended.stderr
