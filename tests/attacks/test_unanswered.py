# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads of a process whose memory or files never answer end in time, and all else goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace import procfs
from polltrace.executables import find_executable
from polltrace.stacks import Symbolizer
from polltrace.stacks.errors import ProcessError, UnansweredError
from polltrace.stacks.locating import locate_function
from polltrace.stacks.reading_process import read_within
from tests.conftest import missing
from tests.waiting import PATIENCE_S

TARGET = Path(__file__).parent / "targets" / "unanswered.py"
Start = Callable[[str], tuple[int, int]]


@pytest.fixture
def start(root: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts the target of a kind: its PID, and the address of its mapping."""
    monkeypatch.setattr("polltrace.stacks.name_reader.PATIENCE_S", 1.0)
    monkeypatch.setattr("polltrace.stacks.locating.PATIENCE_S", 1.0)
    targets: list[subprocess.Popen[bytes]] = []

    def started(kind: str) -> tuple[int, int]:
        if kind != "page" and not Path("/dev/fuse").exists():
            missing("there is no /dev/fuse")
        command = [sys.executable, str(TARGET), kind, str(tmp_path)]
        target = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        targets.append(target)
        assert target.stdout is not None
        pid, address = map(int, target.stdout.readline().split())
        if not pid:
            pytest.skip(f"the kernel does not permit the target of kind {kind}")
        return pid, address

    yield started
    for target in targets:
        # The end of the file system's server ends every read that waits for it.
        target.kill()
        target.communicate()


@pytest.mark.parametrize("unanswered", ["read", "open"])
def test_frames_become_notes_with_the_reason(start: Start, unanswered: str) -> None:
    pid, address = start(unanswered)
    names = Symbolizer()
    (frame,) = names.user(pid, [address + 0x10])
    assert frame.name == "[program+0x10]"
    assert names.problems[f"process {pid}"] == "no answer in 1 s"


def test_other_processes_keep_their_names(start: Start, tmp_path: Path) -> None:
    pid, address = start("read")
    with subprocess.Popen(["sleep", "1000"]) as sleeper:
        names = Symbolizer()
        space = names.address_space(sleeper.pid)
        code = next(m for m in space.mappings if "libc.so" in m.path and "x" in m.permissions)
        addresses = range(code.start, code.end, 4096)
        expected = names.user(sleeper.pid, addresses)
        assert sum(frame.named for frame in expected) > 10
        names.forget(sleeper.pid)
        names.user(pid, [address])
        again = Symbolizer()
        again.user(pid, [address])
        assert again.user(sleeper.pid, addresses) == expected
        sleeper.kill()


def test_a_user_whose_processes_do_not_answer_gets_no_more_time(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polltrace.stacks.name_reader.MOST_FAILURES_PER_USER", 1)
    names = Symbolizer()
    names.user(*_one_address(start("read")))
    with pytest.raises(ProcessError, match="too many processes of its user do not answer"):
        names.user(*_one_address(start("read")))


def _one_address(target: tuple[int, int]) -> tuple[int, list[int]]:
    return target[0], [target[1]]


def test_the_probe_samples_it_without_its_files(start: Start, probe: None) -> None:
    pid, _ = start("read")
    ended = subprocess.run(
        [find_executable("polltrace-probe"), "-p", str(pid), "--watch", "-d", "0.5"],
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    records = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [record["maps"] for record in records if record["type"] == "maps"] == [[]]
    assert records[-1]["reason"] == "duration"


def test_a_search_for_a_function_ends(start: Start) -> None:
    pid, _ = start("read")
    with pytest.raises(ProcessError, match="no answer in 1 s"):
        locate_function(pid, "no_such_function")


def test_a_title_in_a_page_that_never_arrives_is_empty(start: Start) -> None:
    pid, _ = start("page")
    assert procfs.title(pid) == ""
    assert dict(procfs.titles([pid, 1]))[1]


def test_memory_that_is_too_much_is_refused() -> None:
    with pytest.raises(UnansweredError, match="memory"):
        read_within(lambda: len(bytearray(2 << 30)), 60)
    assert read_within(lambda: len(bytearray(1 << 20)), 60) == 1 << 20
