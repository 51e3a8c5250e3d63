# SPDX-License-Identifier: GPL-2.0-or-later
"""Every command without UTF-8, on a dumb and narrow terminal without colours, and into a pipe that
nobody reads: the same words as elsewhere, a question mark for a character that is lacking."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from polltrace.grammar import command_names
from tests.conftest import POLLTRACE, ROOT, missing
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.usefixtures("quick_calibration")

# Commands that print the same every time.
FIXED = {
    "advise": ["demo"],
    "diff": ["demo", "demo"],
    "report": ["demo"],
    "scenarios": [],
    "stacks": ["demo"],
    "top": ["-b", "-n", "1", "demo"],
}
OTHERS = {
    "calibrate": ["--help"],
    "compare": ["--help"],
    "demo": ["--help"],
    "doctor": [],
    "dump": ["-p", "PID"],
    "export": ["parquet", "demo", "TABLES"],
    "lab": ["status"],
    "load": ["--help"],
    "net-test": ["127.0.0.1:1", "--timeout", "100ms"],
    "oob-check": ["127.0.0.1:1", "--timeout", "100ms"],
    "ping": ["x/y@127.0.0.1:1/z", "--layers", "tcp-connect", "-n", "1"],
    "ps": ["-d", "50ms"],
    "record": ["-p", "PID", "-d", "50ms", "-o", "RECORDING"],
    "restore": [],
    "run": ["--help"],
    "seed": ["--help"],
    "stat": ["-p", "PID", "-d", "50ms"],
    "stop-at": ["-p", "PID", "-d", "50ms"],
    "trace": ["--help"],
    "why": ["-p", "PID"],
}
UTF8 = {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "TERM": "dumb", "COLUMNS": "60", "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def without_utf8(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Environments by the encoding of their streams, files and names: a locale without one, and one
    of Latin 1, which is made here."""
    folder, name = tmp_path_factory.mktemp("locales"), "en_US.ISO-8859-1"
    made = subprocess.run(
        ["localedef", "-i", "en_US", "-f", "ISO-8859-1", folder / name],
        capture_output=True,
        check=False,
    )
    if made.returncode != 0:
        missing("there are no locales to make one of: ./setup.sh --tests")
    latin1 = {"LOCPATH": str(folder), "LC_ALL": name, "PYTHONUTF8": "0"}
    return {"ascii": ASCII, "iso-8859-1": latin1}


def polltrace(*words: str, folder: Path, **changed: str) -> subprocess.CompletedProcess[bytes]:
    names = {
        "PID": str(os.getpid()),
        "TABLES": str(folder / "tables"),
        "RECORDING": str(folder / "recording"),
    }
    return subprocess.run(
        [POLLTRACE, *(names.get(word, word) for word in words)],
        env={**os.environ, "XDG_STATE_HOME": str(folder), **changed},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_every_command_is_tested() -> None:
    assert {*FIXED, *OTHERS} == {*command_names()}


@pytest.mark.parametrize("command", sorted(FIXED))
def test_unencodable_characters_alone_are_replaced(
    command: str, without_utf8: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    words = [command, *FIXED[command]]
    full = polltrace(*words, folder=tmp_path, **UTF8)
    assert full.returncode == 0, full.stderr
    assert len(full.stdout) > 100
    for encoding, changed in without_utf8.items():
        ended = polltrace(*words, folder=tmp_path, **changed)
        assert (ended.returncode, ended.stderr) == (0, b"")
        assert ended.stdout == full.stdout.decode().encode(encoding, errors="replace")


def test_a_name_in_another_encoding(
    without_utf8: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    """A file's name is bytes: it is read by them, and shown as far as the stream has characters."""
    file = tmp_path / "größe.polltrace"
    shutil.copy(ROOT / "polltrace/data/demo.polltrace", file)
    for changed in (UTF8, *without_utf8.values()):
        ended = polltrace("report", str(file), folder=tmp_path, **changed)
        assert (ended.returncode, ended.stderr) == (0, b"")
        assert b"Break polling takes" in ended.stdout
        ended = polltrace("report", f"{file}.gone", folder=tmp_path, **changed)
        assert ended.returncode == 8
        assert len(ended.stderr.splitlines()) == 1
        assert b"gr" in ended.stderr


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("command", sorted(OTHERS))
def test_no_traceback_and_no_escape_sequence(command: str, tmp_path: Path) -> None:
    ended = polltrace(command, *OTHERS[command], folder=tmp_path, **ASCII)
    written = ended.stdout + ended.stderr
    assert written.isascii()
    assert b"\x1b" not in written
    assert b"Traceback" not in written
    assert ended.returncode in (0, 1, 4, 5), written  # 4: nobody listens; 5: no dedicated server


@pytest.mark.parametrize(
    "words",
    [
        *("", "--help", "stat --help", "help stat", "report demo --json", "doctor --json"),
        *(" ".join([command, *words]) for command, words in FIXED.items()),
    ],
)
def test_a_pipe_that_nobody_reads(words: str) -> None:
    unread, pipe = os.pipe()
    os.close(unread)
    ended = subprocess.run(
        [POLLTRACE, *words.split()], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(pipe)
    assert (ended.returncode, ended.stderr) == (141, "")


@pytest.mark.parametrize("words", ["help", "help stacks"])
def test_help_in_sixty_columns(words: str, tmp_path: Path) -> None:
    """Of the options; the descriptions are wrapped as they are written."""
    ended = polltrace(*words.split(), folder=tmp_path, **ASCII)
    assert ended.returncode == 0
    options = ended.stdout.partition(b"\noptions:")[2].partition(b"\nexamples:")[0]
    assert max(map(len, options.splitlines()), default=0) <= 60
