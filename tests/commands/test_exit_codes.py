# SPDX-License-Identifier: GPL-2.0-or-later
"""One meaning for each exit code: a file that fails is 8, whichever command it fails."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace.cli import main
from polltrace.interrupts import ending

Ended = tuple[int, str]
Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Exit code and stderr of a command that runs in this process, which saves a second each."""
    before = {number: signal.getsignal(number) for number in ending()}

    def run_(*words: str) -> Ended:
        code = main(words)
        return code, capsys.readouterr().err

    yield run_
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    "words",
    [
        ["report", "demo", "--html", "{no}/x"],
        ["diff", "demo", "demo", "--html", "{no}/x"],
        ["stacks", "demo", "-o", "{no}/x"],
        ["export", "parquet", "demo", "{no}/x"],
        ["report", "demo", "--html", "/dev/full"],
        ["stacks", "demo", "-o", "/dev/full"],
    ],
)
def test_a_file_that_cannot_be_written(run: Run, tmp_path: Path, words: list[str]) -> None:
    file = tmp_path / "file"
    file.touch()
    code, errors = run(*(word.format(no=file) for word in words))
    assert code == 8, errors
    assert errors.startswith("polltrace: cannot write ")
    assert errors.count("\n") == 1


@pytest.mark.usefixtures("probe")
def test_a_recording_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    code, errors = run(
        "record", "-p", str(os.getpid()), "-d", "100ms", "-o", str(tmp_path / "no" / "x")
    )
    assert code == 8
    assert "cannot write" in errors.splitlines()[-1]


@pytest.mark.parametrize("content", [None, "something else\n"])
@pytest.mark.parametrize(
    "words",
    [
        ["report", "{file}"],
        ["diff", "demo", "{file}"],
        ["stacks", "{file}"],
        ["advise", "{file}"],
        ["top", "-b", "{file}"],
        ["export", "parquet", "{file}", "/dev/null/x"],
        ["stat", "--from-strace", "{file}"],
        ["stat", "--from-truss", "{file}"],
        ["stacks", "demo", "--before", "{file}"],
        ["compare", "{file}", "{file}"],
        ["run", "--resume", "{file}"],
        ["run", "{file}.toml"],
    ],
)
def test_a_file_that_cannot_be_read(
    run: Run, tmp_path: Path, words: list[str], content: str | None
) -> None:
    for name in ("file", "file.toml"):
        if content is not None:
            (tmp_path / name).write_text(content)
    code, errors = run(*(word.format(file=tmp_path / "file") for word in words))
    assert code == 8, errors
    assert "file" in errors
    assert errors.count("\n") == 1
