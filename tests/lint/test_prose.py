# SPDX-License-Identifier: GPL-2.0-or-later
"""The checker of docstrings, comments and names counts exactly, and fails above its limits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

CLEAN = '''"""Rates of a process."""

# A rate relates to CPU time.
def rate(polls: int, cpu_s: float) -> float:
    """Polls for each second of CPU time."""
    per_second = polls / cpu_s
    return per_second
'''


def checked(tree: Path, **files: str) -> tuple[int, str]:
    """Exit code and output of the checker over a repository of `files` (dots as `_`)."""
    subprocess.run(["git", "init", "-q", tree], check=True)
    for name, text in files.items():
        (tree / name.replace("_", ".")).write_text(text)
    subprocess.run(["git", "-C", tree, "add", "-A"], check=True)
    ended = subprocess.run(
        [sys.executable, ROOT / "lint/prose.py", "--list", tree],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ended.stderr
    return ended.returncode, ended.stdout


def test_plain_english_passes(tmp_path: Path) -> None:
    code, text = checked(
        tmp_path, a_py=CLEAN, b_c="// The client's socket.\nstatic int client_fd;\n"
    )
    assert (code, text.strip()) == (0, "")


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("a_py", CLEAN.replace("Polls for", "Of"), "a.py:4: fragment Of each second"),
        ("a_py", CLEAN.replace("per_second", "found"), "a.py:6: vague name found"),
        ("a_py", CLEAN.replace("polls", "each"), "a.py:4: vague name each"),
        ("a_py", CLEAN.replace("A rate", "What a rate"), "a.py:3: what"),
        ("b_c", "\nint left = 0;\n", "b.c:2: vague name left"),
        ("b_h", "// What comes next.\n", "b.h:1: what"),
    ],
)
def test_each_kind_is_reported_with_its_place(
    tmp_path: Path, file: str, text: str, place: str
) -> None:
    code, output = checked(tmp_path, **{file: text})
    assert code == 1
    assert place in output
