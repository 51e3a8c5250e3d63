# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace that Oracle has cut into segments is read as one, and nothing else is taken for one."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.sqltrace.test_command import TRACE
from tests.sqltrace.traces import HEADER, wait

STEM = "orcl_ora_4711"  # what HEADER names
LINES = TRACE.splitlines(keepends=True)
# In the text of the first statement, and in the binds of its execution.
IN_TEXT = next(i for i, line in enumerate(LINES) if line.startswith("PARSING")) + 1
IN_BINDS = next(i for i, line in enumerate(LINES) if "Bind#1" in line) + 2
# Between the calls of the first statement, so that the segment before has some, and their plan.
AFTER_CALLS = next(i for i, line in enumerate(LINES) if line.startswith("STAT"))
QUERY = (
    "select line, byte_offset, name, dur_us, sqlid, sql, binds, exec_id, sid, xe_us, first_line "
    "from calls order by line"
)


def write(folder: Path, cuts: Sequence[int]) -> list[Path]:
    """TRACE cut before these lines, in the order of the trace."""
    bounds = [0, *cuts, len(LINES)]
    files = [folder / f"{STEM}_{i}.trc" for i in range(1, len(bounds) - 1)]
    files.append(folder / f"{STEM}.trc")
    for file, begin, end in zip(files, bounds, bounds[1:], strict=False):
        file.write_text("".join(LINES[begin:end]))
    return files


def asked(run: Run, *words: str) -> Any:
    done = run("trace", "--json", "--sql", QUERY, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


@pytest.fixture
def expected(run: Run, tmp_path: Path) -> Any:
    whole = tmp_path / "whole.trc"
    whole.write_text(TRACE)
    found = asked(run, str(whole))
    assert len(found) == 8
    return found


@pytest.mark.parametrize("named", ["folder", "last", "pattern", "all"])
def test_segments_are_one_trace_in_any_order_of_names(
    run: Run, tmp_path: Path, expected: Any, named: str
) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    files = write(folder, [IN_TEXT, IN_BINDS, AFTER_CALLS])
    words = {
        "folder": [str(folder)],
        "last": [str(files[-1])],
        "pattern": [f"{folder}/*.trc"],
        "all": [f"{folder}/./{files[2].name}", *(str(files[i]) for i in (3, 1, 0))],
    }
    assert asked(run, *words[named]) == expected


def test_segments_are_ordered_by_number_and_may_be_packed(
    run: Run, tmp_path: Path, expected: Any
) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    files = write(folder, range(7, 7 + 11))
    assert files[-2].name == f"{STEM}_11.trc"
    for each in files[:-3]:
        each.with_suffix(".trc.gz").write_bytes(gzip.compress(each.read_bytes()))
        each.unlink()
    assert asked(run, str(folder)) == expected


def test_deleted_segments_are_reported(run: Run, tmp_path: Path) -> None:
    files = write(tmp_path, range(7, 7 + 11))
    for each in files[1:8]:
        each.unlink()
    done = run("trace", "files", "--json", str(tmp_path))
    (found,) = json.loads(done.stdout)["rows"]
    assert (found["segments"], found["segments_missing"]) == (5, 7)
    assert f"{files[-1]}: of its 12 segments, 7 were deleted" in done.stderr


def test_a_segment_that_is_named_alone_is_read_alone(run: Run, tmp_path: Path) -> None:
    first, *_ = write(tmp_path, [len(LINES) - 1])
    assert len(asked(run, str(first))) == 7


@pytest.mark.parametrize(
    "header",
    [
        HEADER.replace(STEM, f"{STEM}_1"),  # its identifier is 1
        HEADER.replace(STEM, "orcl_ora_9"),  # a copy of another trace
        "",  # nobody knows
    ],
)
def test_a_file_that_is_called_like_a_segment_is_its_own(
    run: Run, tmp_path: Path, header: str
) -> None:
    (tmp_path / f"{STEM}.trc").write_text(TRACE)
    (tmp_path / f"{STEM}_1.trc").write_text(header + wait(1, "alone", 1, 100))
    both = json.loads(run("trace", "files", "--json", str(tmp_path)).stdout)["rows"]
    assert [each["calls"] + each["waits"] for each in both] == [8, 1]
    assert [each["segments"] for each in both] == [1, 1]


def test_an_identifier_among_segments_is_left_to_itself(
    run: Run, tmp_path: Path, expected: Any
) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    files = write(folder, [IN_BINDS])
    other = folder / f"{STEM}_77.trc"
    other.write_text(HEADER.replace(STEM, f"{STEM}_77") + wait(1, "alone", 1, 100))
    assert asked(run, str(files[-1])) == expected
    assert len(asked(run, str(folder))) == len(expected) + 1


def test_a_fifo_is_no_segment(run: Run, tmp_path: Path) -> None:
    (tmp_path / f"{STEM}.trc").write_text(TRACE)
    os.mkfifo(tmp_path / f"{STEM}_1.trc")
    assert len(asked(run, str(tmp_path / f"{STEM}.trc"))) == 8


def test_a_part_is_cropped_from_all_segments(run: Run, tmp_path: Path) -> None:
    files = write(tmp_path, [IN_TEXT, IN_BINDS])
    part = tmp_path / "part"
    where = ("--where", "sqlid = '7cmmb5pvfds2d'")
    assert run("trace", "crop", str(files[-1]), "-o", str(part), *where).returncode == 0
    whole = run("trace", "--json", str(files[-1]), *where).stdout
    assert json.loads(run("trace", "--json", str(part)).stdout)["rows"] == json.loads(whole)["rows"]
