# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders of the probe and of the lab include each other in one direction only."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of probes/."""
    copy = tmp_path / "probes"
    shutil.copytree(ROOT / "probes", copy, ignore=shutil.ignore_patterns("build"))
    return copy


def lint(tree: Path) -> tuple[int, str]:
    """Exit code and output of the check of `tree`."""
    ended = subprocess.run(
        [sys.executable, ROOT / "lint/layers.py", tree], capture_output=True, text=True, check=False
    )
    assert not ended.stderr
    return ended.returncode, ended.stdout


@pytest.mark.parametrize("folder", ["probes", "lab"])
def test_the_tree_keeps_to_its_rule(folder: str) -> None:
    assert lint(ROOT / folder) == (0, "")


@pytest.mark.parametrize(
    ("file", "header"),
    [
        ("readers/sites.c", "loader/loader.h"),  # upwards
        ("loader/loader.c", "kernel/maps.bpf.h"),  # only the kernel side may include it
        ("options/values.c", "polltrace.skel.h"),  # generated
        ("calibration/work.c", "options/options.h"),  # another program
    ],
)
def test_a_wrong_include_is_named(tree: Path, file: str, header: str) -> None:
    with (tree / file).open("a") as source:
        source.write(f'#include "{header}"\n')
    folder = file.partition("/")[0]
    assert lint(tree) == (1, f"{file} includes {header}: {folder} may not\n")


def test_a_file_that_is_not_there(tree: Path) -> None:
    with (tree / "readers/sites.c").open("a") as source:
        source.write('#include "readers/absent.h"\n')
    assert lint(tree) == (1, "readers/sites.c includes readers/absent.h: there is no such file\n")


def test_the_rule_itself_goes_one_way(tree: Path) -> None:
    rule = tree / "layers.txt"
    rule.write_text(rule.read_text().replace("\nreaders ", "\nreaders session "))
    code, text = lint(tree)
    assert code == 1
    assert "layers.txt: readers names session, which is not above it\n" in text


def test_no_file_without_a_room(tree: Path) -> None:
    (tree / "stray.c").touch()
    (tree / "attic").mkdir()
    (tree / "attic" / "old.c").touch()
    assert lint(tree) == (
        1,
        "in no folder: stray.c\nattic/old.c: layers.txt has no folder attic\n",
    )
