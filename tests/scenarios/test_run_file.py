# SPDX-License-Identifier: GPL-2.0-or-later
"""A run's file: what a crash leaves can be read, and gone on with."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.analyse.run_file import RunWriter, read_run
from polltrace.scenarios.plan.cell import Cell

HEADER: dict[str, Any] = {
    **{"cells": [Cell().data()], "scenario": {}, "work": {}, "host": {}, "drivers": []},
    **{"server": "lab", "seed": 1, "counts_polls": True},
}

FIRST = json.dumps({"format": "polltrace-run", "version": 1, **HEADER})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.run"
    with closing(RunWriter(path, HEADER)) as writer:
        for block in range(2):
            writer.write("sample", block, cell=0, elapsed_s=1.5)
            writer.write("block", block)
        writer.write("sample", 2, cell=0, elapsed_s=1.5)
    return path


def test_only_whole_blocks_count(path: Path) -> None:
    run = read_run(path)
    assert run.cells == [Cell()]
    assert run.blocks == {0, 1}
    assert len(run.of("sample")) == 2
    assert not run.torn


def test_every_cut_can_be_read_and_gone_on_with(path: Path) -> None:
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        run = read_run(path)
        assert run.torn == (whole[end - 1 : end] != b"\n")
        with closing(RunWriter(path, None)) as writer:
            writer.write("block", 9)
        assert read_run(path).blocks == run.blocks | {9}


def test_an_old_file_is_not_written_over(path: Path) -> None:
    with pytest.raises(UsageError, match="exists: continue it with --resume"):
        RunWriter(path, HEADER)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FileError, "is no run"),
        ('{"format": "other"}\n', FileError, "is no run"),
        ("[]\n", FileError, "is no run"),
        ('{"format": "polltrace-run", "version": 9}\n', FileError, "of version 9"),
        (f"{FIRST}\n".replace("[{", "[3, {"), FileError, "first line is damaged"),
        (f"{FIRST}\n".replace("seed", "sead"), FileError, "first line is damaged"),
        (f"{FIRST}\nx\n", FileError, "line 2 is damaged"),
    ],
)
def test_a_file_that_is_no_run(
    tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    path = tmp_path / "b"
    path.write_text(text)
    with pytest.raises(error, match=message):
        read_run(path)
    path.write_bytes(b"\xff\n")
    with pytest.raises(FileError, match="is no run"):
        read_run(path)
    with pytest.raises(FileError, match="cannot read"):
        read_run(tmp_path / "none")
