# SPDX-License-Identifier: GPL-2.0-or-later
"""A process that calls itself, its files and its functions what a terminal would obey: no command
of polltrace hands that on, and none lets it begin a line of its own."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from polltrace.commands.console import PrintableConsole
from polltrace.printable import _UNSAFE, PrintableStream, one_line, printable, styled
from polltrace.top.terminal import ansi
from tests.conftest import POLLTRACE, missing
from tests.stop_at.stopped_target import FLAGS, SOURCES, StoppedTarget

Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.usefixtures("quick_calibration")

# Sets the window's title, clears the screen, turns the text round, and forges a row of a table.
EVIL = "\x1b]0;evil\x07\x1b[2J\x9b31m\u202egnp\u2028\r\nFORGED 1 2 3"
# As long as the function's name that it replaces in the executable.
FUNCTION, EVIL_FUNCTION = b"poll_often", b"p\x1b[2J\nften"
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Hostile:
    pid: int
    title: str
    folder: Path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    """A dedicated server to observe, which polls its client's socket all the time."""
    if os.geteuid() != 0:
        missing("observing another process needs root")
    home = tmp_path_factory.mktemp("hostile") / EVIL / "home"
    home.mkdir(parents=True)
    program = home / "oracle"
    flags = FLAGS["frame pointers"]
    source = str(SOURCES / "poller.c")
    plain = home / "plain"
    subprocess.run(["gcc", "-std=gnu11", *flags, "-pthread", source, "-o", plain], check=True)
    code = plain.read_bytes()
    assert FUNCTION in code
    program.write_bytes(code.replace(FUNCTION, EVIL_FUNCTION))
    program.chmod(0o755)
    network = home / "network" / "admin"
    network.mkdir(parents=True)
    (network / "sqlnet.ora").write_text(f"BREAK_POLL_SKIP=3\nDISABLE_OOB={EVIL}\n")
    title = f"oracleEVIL (LOCAL=NO){EVIL}"
    process = subprocess.Popen(
        [title],
        executable=program,
        cwd=home,
        env={"ORACLE_HOME": str(home), "EVIL": EVIL},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    target = StoppedTarget(process, process.pid)
    assert target.finish() == process.pid
    target.poll_for_ever()
    yield Hostile(process.pid, title, home)
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def recording(hostile: Hostile) -> Path:
    path = hostile.folder / "recording"
    words = ["record", "-p", str(hostile.pid), "-d", "1s", "-o", str(path)]
    ended = subprocess.run([POLLTRACE, *words], capture_output=True, text=True, check=True)
    assert_harmless(ended)
    assert "FORGED" in ended.stderr  # the path
    return path


def assert_harmless(ended: subprocess.CompletedProcess[str]) -> None:
    written = ended.stdout + ended.stderr
    assert not OBEYED.search(written), repr(written)
    assert not [line for line in written.splitlines() if line.startswith("FORGED")]
    assert "Traceback" not in written


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("ps", "EVIL"),
        ("top -b -n 1 -d 300ms --no-gaps", "EVIL"),
        ("stat -p PID -d 200ms", "FORGED"),
        ("stat -p PID -d 200ms --backend ptrace", "PID"),
        ("stacks -p PID -d 500ms", "ften"),
        ("stacks -p PID -d 500ms --at cpu", "ften"),
        ("stacks -p PID -d 500ms --format folded", "ften"),
        ("stop-at -p PID -d 1m --longest-stop 10s", "FORGED"),
        ("why -p PID -d 200ms", "FORGED"),
        ("advise -p PID -d 500ms", "EVIL"),
        ("doctor --verbose -p PID", "symbols"),
        ("stop-at -p 1 --syscall '\x1b[2J'", "no system call"),
        ("run '\x1b[2J.toml'", "?[2J.toml"),
        ("frobnicate\x1b[2J", "there is no command"),
    ],
)
def test_of_the_process(run: Run, hostile: Hostile, words: str, seen: str) -> None:
    ended = run(*shlex.split(words.replace("PID", str(hostile.pid))))
    assert_harmless(ended)
    assert seen.replace("PID", str(hostile.pid)) in ended.stdout + ended.stderr


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    "words",
    [
        "report FILE",
        "diff FILE FILE",
        "stacks FILE",
        "advise FILE",
        "top -b FILE",
        "export parquet FILE FOLDER",
        "report FILE.missing",
    ],
)
def test_of_a_recording(run: Run, recording: Path, words: str) -> None:
    folder = recording.with_name("tables")
    names = {"FILE": str(recording), "FOLDER": str(folder), "FILE.missing": f"{recording}.missing"}
    ended = run(*(names.get(word, word) for word in words.split()))
    assert_harmless(ended)
    assert ended.returncode == (8 if "missing" in words else 0), ended.stderr


@pytest.mark.usefixtures("probe")
def test_json_is_exact(run: Run, hostile: Hostile) -> None:
    ended = run("stat", "-p", str(hostile.pid), "-d", "200ms", "--json")
    assert_harmless(ended)
    (process,) = json.loads(ended.stdout)["processes"]
    assert process["command"] == hostile.title
    ended = run("stop-at", "-p", str(hostile.pid), "-d", "1m", "--longest-stop", "10s", "--json")
    assert_harmless(ended)
    assert json.loads(ended.stdout)["command"] == hostile.title


def test_every_character_that_commands_or_hides() -> None:
    """By Unicode's own categories; what draws something visible may stay."""
    invisible = {"Cc", "Zl", "Zp", "Cs"}
    bidirectional = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    wrong = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if (
            unicodedata.category(character := chr(code)) in invisible
            or unicodedata.bidirectional(character) in bidirectional
        )
        and printable(character) != "?"
        and character not in "\n\t"
    ]
    assert not wrong
    # Nor does any that the expression names pass as printable by Python's own account.
    named = [each for each in map(chr, range(sys.maxunicode + 1)) if re.match(_UNSAFE, each)]
    assert set(map(printable, named)) == {"?"}
    assert printable("Grüße\tan\n日本, שלום") == "Grüße\tan\n日本, שלום"
    assert one_line("a\n\tb") == "a??b"


def test_every_write_to_a_printable_stream_is_escaped() -> None:
    inner = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    stream = PrintableStream(inner)
    print("a\x1b[2J", file=stream)
    stream.writelines(["b\x07"])
    stream.flush()
    assert stream.buffer.getvalue() == b"a?[2J\nb?"
    assert styled(inner) is inner


def test_styled_text_is_printable_too() -> None:
    drawn = ansi([Text(EVIL, style="bold"), Text("next")], 200)
    assert len(drawn) == 2
    assert not OBEYED.search(re.sub(r"\x1b\[[0-9;]*m", "", "".join(drawn)))
    out = io.StringIO()
    table = Table("title")
    table.add_row(Text(EVIL))
    PrintableConsole(out, width=60, force_terminal=True).print(table)
    assert "FORGED" in out.getvalue()
    assert not OBEYED.search(re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()))
