# SPDX-License-Identifier: GPL-2.0-or-later
"""Many sleeping processes under the name and title of an Oracle dedicated server."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "targets" / "crowd.c"


def build_crowd(directory: Path) -> Path:
    """The program, under the file name of Oracle's executable."""
    if shutil.which("gcc") is None:
        pytest.skip("the servers are C: gcc is missing")
    program = directory / "oracle"
    subprocess.run(["gcc", "-O1", "-o", program, SOURCE], check=True)
    return program


@contextlib.contextmanager
def crowd(program: Path, processes: int, descriptors: int = 0) -> Iterator[None]:
    """That many servers of instance CROWD, and the one that started them."""
    parent = subprocess.Popen(
        ["oracleCROWD (LOCAL=NO)", str(processes), str(descriptors)],
        executable=program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    try:
        assert parent.stdout.readline() == b"ready\n"
        yield
    finally:
        parent.stdin.close()
        parent.wait()
        parent.stdout.close()
