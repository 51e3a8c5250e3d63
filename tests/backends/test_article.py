# SPDX-License-Identifier: GPL-2.0-or-later
"""The outputs that the article prints give the article's findings."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parent / "fixtures"

Run = Callable[..., subprocess.CompletedProcess[str]]


def read(run: Run, tool: str, name: str) -> dict[str, Any]:
    ended = run("stat", "--json", f"--from-{tool}", str(FIXTURES / name))
    assert (ended.returncode, ended.stderr) == (0, "")
    data = json.loads(ended.stdout)
    assert data["complete"]
    (process,) = data["processes"]
    return {**data, **process}


def test_the_windows_client_is_polled_for(run: Run) -> None:
    seen = read(run, "truss", "truss-c-windows-client.txt")
    assert seen["verdict"] == "looks_like_it"
    assert "1,355,248 calls of pollsys, 16,865 a second" in seen["text"]
    assert (seen["polls"], seen["seconds"]) == (1_355_248, 80.36)


def test_the_linux_client_is_not(run: Run) -> None:
    seen = read(run, "truss", "truss-c-linux-client.txt")
    assert (seen["verdict"], seen["polls"]) == ("none", 0)


@pytest.mark.parametrize(("skip", "polls"), [(10, 406_574), (1000, 4_066)])
def test_a_skip_makes_polls_rarer_and_they_are_still_recognized(
    run: Run, skip: int, polls: int
) -> None:
    seen = read(run, "truss", f"truss-c-skip-{skip}.txt")
    assert (seen["verdict"], seen["polls"]) == ("looks_like_it", polls)
    assert 4_089_670 / polls == pytest.approx(skip, rel=0.01)  # its logical I/Os


def test_counts_alone_give_no_break_polls_and_no_cost(run: Run) -> None:
    for tool, name in (
        ("truss", "truss-c-windows-client.txt"),
        ("strace", "strace-c-linux.txt"),
    ):
        seen = read(run, tool, name)
        assert {seen[key] for key in ("break_polls", "other_polls", "cost_ns", "cpu_s")} == {None}
        assert seen["undecided_polls"] == seen["polls"]


def test_linux_server(run: Run) -> None:
    seen = read(run, "strace", "strace-c-linux.txt")
    assert (seen["verdict"], seen["polls"]) == ("looks_like_it", 54_550)
    assert seen["seconds"] is None
    assert sum(call["calls"] for call in seen["syscalls"]) == 54_587


def test_one_pollsys_alone_cannot_be_classified(run: Run) -> None:
    # One descriptor, but truss shows only where the timeout lies.
    seen = read(run, "truss", "truss-T-pollsys.txt")
    assert (seen["verdict"], seen["undecided_polls"]) == ("cannot_tell", 1)


def test_the_whole_section_as_one_file(run: Run, tmp_path: Path) -> None:
    names = ["windows-client", "skip-10", "skip-1000", "linux-client"]
    texts = [(FIXTURES / f"truss-c-{name}.txt").read_text() for name in names]
    whole = tmp_path / "section.txt"
    whole.write_text("\n".join([*texts, (FIXTURES / "truss-T-pollsys.txt").read_text()]))
    ended = run("stat", "--json", "--from-truss", str(whole))
    assert (ended.returncode, ended.stderr) == (0, "")
    tables = json.loads(ended.stdout)["tables"]
    assert [(each["seconds"], each["processes"][0]["polls"]) for each in tables] == [
        (80.36, 1_355_248),
        (48.53, 406_574),
        (107.85, 4_066),
        (31.08, 0),
        (None, 1),
    ]
    text = run("stat", "--from-truss", str(whole)).stdout
    assert text.count("from truss -c") == 4


def test_the_text(run: Run) -> None:
    ended = run("stat", "--from-truss", str(FIXTURES / "truss-c-windows-client.txt"))
    words = " ".join(ended.stdout.split())
    assert words.startswith("process: from truss -c, 80.360 s traced Looks like break polling: ")
    assert "polls 1,355,248 break polls or others: cannot tell" in words
    assert "No cost per poll: a tracer that stops the process makes a poll some fifty" in words
    assert "sys totals 1,355,493 0" in words


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--from-strace", "/no/such/file"], 8, "cannot read /no/such/file: No such file"),
        (["--from-strace", "/dev/null"], 8, "null holds no system call as strace prints one"),
        (["--from-strace", str(FIXTURES)], 8, "Is a directory"),
        (["--from-truss", "/dev/null", "--from-strace", "/dev/null"], 2, "not both"),
        (["--from-truss", "/dev/null", "-p", "1"], 2, "not both"),
    ],
)
def test_usage(run: Run, options: list[str], code: int, words: str) -> None:
    ended = run("stat", *options)
    assert ended.returncode == code
    (line,) = ended.stderr.splitlines()
    assert words in line
