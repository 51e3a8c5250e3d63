# SPDX-License-Identifier: GPL-2.0-or-later
"""Started by sudo, Python observes as the invoking user with a few capabilities, which the kernel
itself is asked for here, as tests/probes/test_least_privilege.py asks for the probe's."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace.grammar import command_names, load
from polltrace.privileges import OBSERVING, PROBING, STAYS_ROOT, invoking_user
from tests.conftest import POLLTRACE, Start
from tests.polltrace.exact_poller import BREAK_POLLS, Poller, exact_poller
from tests.waiting import PATIENCE_S, children, until

NOBODY = 65534
BY_SUDO = {"SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY), "SUDO_USER": "nobody"}
pytestmark = pytest.mark.usefixtures("probe", "quick_calibration")
EFFECTIVE = sum(1 << number for number in OBSERVING.values())
PERMITTED = EFFECTIVE | sum(1 << number for number in PROBING.values())
DAC_OVERRIDE, DAC_READ_SEARCH = 1 << 1, 1 << 2
Sudo = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def poller() -> Iterator[Poller]:
    """A process of root's."""
    with exact_poller() as poller:
        yield poller


@pytest.fixture
def sudo(tmp_path: Path) -> Sudo:
    """Runs polltrace as sudo would, by user 65534, in a folder of that user's."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)

    def run(*words: str, **changed: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [POLLTRACE, *words],
            cwd=home,
            env={**os.environ, **BY_SUDO, **changed},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return run


def status(pid: int, tid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/task/{tid}/status").read_text().splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def assert_narrow(pid: int) -> None:
    """Every thread, because capabilities are a thread's own."""
    for tid in map(int, os.listdir(f"/proc/{pid}/task")):
        try:
            found = status(pid, tid)
        except (FileNotFoundError, ProcessLookupError):  # it has ended since
            assert tid != pid
            continue
        assert set(found["Uid"].split()) == set(found["Gid"].split()) == {str(NOBODY)}
        assert "0" not in found["Groups"].split()
        assert int(found["CapEff"], 16) & ~EFFECTIVE == 0
        assert int(found["CapPrm"], 16) & ~PERMITTED == 0
        assert int(found["CapAmb"], 16) == 0
        if tid == pid:
            assert int(found["CapBnd"], 16) & ~PERMITTED == 0


@pytest.mark.parametrize(
    "words",
    [
        ["stat", "-p", "PID"],
        ["record", "-p", "PID", "-o", "FILE"],
        ["top", "-b", "-d", "500ms", "--no-gaps"],
        ["export", "prometheus", "--listen", "127.0.0.1:0"],
    ],
)
def test_while_it_observes(start: Start, poller: Poller, tmp_path: Path, words: list[str]) -> None:
    tmp_path.chmod(0o777)
    names = {"PID": str(poller.pid), "FILE": str(tmp_path / "file")}
    process = start(*(names.get(word, word) for word in words), **BY_SUDO)
    (probe,) = until(lambda: children(process.pid, "polltrace-probe"), "the probe")
    # Raised for as long as the start of the probe takes.
    until(lambda: status(process.pid, process.pid)["CapAmb"].strip("0") == "", "no ambient ones")
    assert_narrow(process.pid)
    bpf = PROBING["CAP_BPF"], PROBING["CAP_PERFMON"]
    until(
        lambda: (
            int(status(probe, probe)["CapEff"], 16) & ~(EFFECTIVE | sum(1 << n for n in bpf)) == 0
        )
    )
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (0, 130)  # interrupted as it begins
    if (tmp_path / "file").exists():
        assert (tmp_path / "file").stat().st_uid == NOBODY


# What `top` does when a session is to be recorded.
RECORDS = """\
import sys
from polltrace.privileges import give_up_root
from polltrace.top.session_recording import SessionRecording
give_up_root(observing=True)
with SessionRecording(()) as recording:
    recording._begin(int(sys.argv[1]))
    sys.stdin.read()
"""


def test_what_top_records_is_recorded_as_narrowly(
    sudo: Sudo, poller: Poller, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    process = subprocess.Popen(
        [sys.executable, "-c", RECORDS, str(poller.pid)],
        cwd=home,
        env={**os.environ, **BY_SUDO},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        name = Path(sys.executable).name
        (recording,) = until(lambda: children(process.pid, name), "the recording")
        until(lambda: children(recording, "polltrace-probe"), "its probe")
        # With frames in it: what is ended before them was interrupted, and says so.
        pattern = "session-*.polltrace"
        until(lambda: [f for f in home.glob(pattern) if f.stat().st_size], "its frames")
        until(lambda: status(recording, recording)["CapAmb"].strip("0") == "", "no ambient ones")
        assert_narrow(process.pid)
        assert_narrow(recording)
        _, said = process.communicate("", timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, "shows it" in said) == (0, True), said
    (file,) = home.glob("session-*.polltrace")
    assert file.stat().st_uid == NOBODY


def test_it_counts_and_names_as_root_does(sudo: Sudo, poller: Poller, start: Start) -> None:
    counting = start("stat", "-p", str(poller.pid), "--json", **BY_SUDO)
    assert counting.stderr is not None
    assert "attached" in counting.stderr.readline()
    poller.poll()
    counting.send_signal(signal.SIGINT)
    output, _ = counting.communicate(timeout=PATIENCE_S)
    assert json.loads(output)["processes"][0]["break_polls"] == BREAK_POLLS


def test_it_names_the_functions_of_root_s_process(sudo: Sudo) -> None:
    spinning = subprocess.Popen([sys.executable, "-c", SPIN], stdout=subprocess.PIPE)
    try:
        assert spinning.stdout is not None
        spinning.stdout.readline()
        pid = str(spinning.pid)
        for words in (["--at", "cpu"], ["--at", "cpu", "--kernel"]):
            ended = sudo("stacks", "-p", pid, "-d", "1s", "--format", "folded", *words)
            assert ended.returncode == 0, ended.stderr
            assert "getppid" in ended.stdout  # of libc, which the map of a process of root's tells
            assert ("do_syscall_64" in ended.stdout) == ("--kernel" in words)
        for words in (["stop-at", "--syscall", "getppid"], ["stat", "--backend", "ptrace"]):
            ended = sudo(*words, "-p", pid, "-d", "1s")
            assert ended.returncode == 0, ended.stderr
            assert "getppid" in ended.stdout
    finally:
        spinning.kill()
        spinning.communicate()


SPIN = "import os; print(flush=True)\nwhile True: os.getppid()"


def test_files_are_written_as_the_user(sudo: Sudo, tmp_path: Path) -> None:
    """Root's eyes, the user's hands: a report of root's recording, but not over root's file."""
    ours = tmp_path / "ours"
    ours.write_text("root's\n")
    ours.chmod(0o644)
    refused = sudo("report", "demo", "--html", str(ours))
    assert (refused.returncode, ours.read_text()) == (8, "root's\n")
    assert "Permission denied" in refused.stderr
    recording = tmp_path / "recording"
    recording.write_bytes(
        (Path(__file__).parents[2] / "polltrace/data/demo.polltrace").read_bytes()
    )
    recording.chmod(0o600)
    written = tmp_path / "home" / "page.html"
    ended = sudo("report", str(recording), "--html", str(written))
    assert ended.returncode == 0, ended.stderr
    assert written.stat().st_uid == NOBODY


def test_commands_that_only_read_files_keep_reading_alone() -> None:
    """Nothing in reserve either: what parses a hostile file could call on that."""
    code = (
        "from polltrace.privileges import give_up_root\n"
        "give_up_root(observing=False)\n"
        "print(open('/proc/self/status').read())"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **BY_SUDO},
        capture_output=True,
        text=True,
        check=True,
    )
    found = dict(line.split(":\t") for line in ended.stdout.splitlines() if line.startswith("Cap"))
    assert {int(value, 16) for value in found.values()} == {0, DAC_READ_SEARCH}
    assert int(found["CapInh"], 16) == int(found["CapAmb"], 16) == 0


def test_a_command_runs_as_root_as_sudo_was_asked(sudo: Sudo) -> None:
    ended = sudo("stat", "--", "id", "-u")
    assert ended.stdout.startswith("0\n")


@pytest.mark.parametrize(
    "changed", [{"SUDO_UID": "0"}, {"SUDO_UID": ""}, {"SUDO_UID": "x"}, {"SUDO_UID": "4294967295"}]
)
def test_a_root_caller_stays_root(sudo: Sudo, tmp_path: Path, changed: dict[str, str]) -> None:
    assert invoking_user(changed) is None
    written = tmp_path / "home" / "page.html"
    assert sudo("report", "demo", "--html", str(written), **changed).returncode == 0
    assert stat.S_ISREG(written.stat().st_mode)
    assert written.stat().st_uid == 0


def test_doctor_reports_what_stays_root(sudo: Sudo) -> None:
    shown = sudo("doctor", "--verbose").stdout.splitlines()
    (line,) = [line for line in shown if "root given up" in line]
    assert line.startswith("ok")
    assert "to nobody" in line
    assert all(f"{name} ({why})" in line for name, why in STAYS_ROOT.items())
    assert {load(name).group for name in command_names()} >= {*STAYS_ROOT} - {
        "-- COMMAND",
        "--backend bcc",
        "--cross-check",
    }
