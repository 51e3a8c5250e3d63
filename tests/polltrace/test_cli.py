# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line where what surrounds it is odd: one line and a documented code, no traceback."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import POLLTRACE

Run = Callable[..., subprocess.CompletedProcess[str]]


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)


def test_a_character_outside_the_encoding_becomes_a_question_mark(run: Run) -> None:
    ended = run("report", "demo", prefix=("env", "PYTHONIOENCODING=ascii"))
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"takes [\d.]+ \? [\d.]+ % of its", ended.stdout)


@pytest.mark.parametrize("words", ["report demo", "--version", "help", "ps --help", "doctor"])
def test_unwritten_output_is_an_error(words: str) -> None:
    ended = shell(f"{POLLTRACE} {words} >&-")
    assert (ended.returncode, ended.stdout) == (8, "")
    assert ended.stderr == "polltrace: cannot write the output: it is closed\n"


def test_a_command_that_writes_a_file_needs_no_output(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert shell(f"{POLLTRACE} report demo --html {page} >&-").returncode == 0
    assert page.stat().st_size > 0


def test_a_closed_stderr_is_survived(tmp_path: Path) -> None:
    ended = shell(f"{POLLTRACE} stat --from-strace {tmp_path}/none 2>&-")
    assert (ended.returncode, ended.stdout) == (8, "")


@pytest.mark.parametrize("verb", ["", "stat"])
def test_help_that_cannot_be_written(verb: str) -> None:
    full = shell(f"{POLLTRACE} {verb} --help >/dev/full")
    assert full.returncode == 8
    assert full.stderr == "polltrace: cannot write the output: No space left on device\n"


def test_a_named_file_that_is_no_program(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    text.chmod(0o755)
    for path, message in (text, f"cannot run {text}: Exec format error"), (tmp_path, "not an exec"):
        ended = run("stat", "-p", "1", prefix=("env", f"POLLTRACE_PROBE={path}"))
        assert ended.returncode == 4
        assert message in ended.stderr
        assert len(ended.stderr.splitlines()) == 1


def test_a_named_file_that_is_no_probe(run: Run, tmp_path: Path) -> None:
    for verb in ("stat", "top -b -n 1", f"record -o {tmp_path}/r"):
        words = [*verb.split(), *(() if verb.startswith("top") else ("-p", "1"))]
        ended = run(*words, prefix=("env", "POLLTRACE_PROBE=/bin/echo"))
        assert ended.returncode == 4
        assert ended.stderr.startswith("polltrace: not a frame of format 1")
        assert len(ended.stderr.splitlines()) == 1


def test_no_ssh(run: Run, tmp_path: Path) -> None:
    ended = run("top", "-b", "--ssh", "db", prefix=("env", f"PATH={tmp_path}"))
    assert (ended.returncode, ended.stderr) == (
        4,
        "polltrace: cannot run ssh: No such file or directory\n",
    )
