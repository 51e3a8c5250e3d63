# SPDX-License-Identifier: GPL-2.0-or-later
"""The rooms of probes/ include one another in one direction; a mistake is found and named."""

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
    done = subprocess.run(
        [sys.executable, tree / "layers.py"], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout


def test_the_tree_keeps_to_the_rule(tree: Path) -> None:
    assert lint(tree) == (0, "")


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
    room = file.partition("/")[0]
    assert lint(tree) == (1, f"{file} includes {header}: {room} may not\n")


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
        "in no room: stray.c\nattic/old.c: layers.txt has no room attic\n",
    )
