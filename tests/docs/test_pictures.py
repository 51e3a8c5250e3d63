# SPDX-License-Identifier: GPL-2.0-or-later
"""The pictures of the screens are of today's screens: `make docs-pictures` makes them anew."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

MAKES = "import runpy; print(runpy.run_path('docs/pictures.py')['{}'](), end='')"


@pytest.mark.parametrize(
    ("name", "picture"), [("table", "top"), ("session", "session"), ("flame", "flame")]
)
def test_pictures_match_the_current_screen(name: str, picture: str) -> None:
    """In a process of its own, which has the cost model that polltrace comes with."""
    made = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", MAKES.format(name)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    ).stdout
    assert made == (ROOT / f"docs/pictures/{picture}.svg").read_text(encoding="utf-8")
