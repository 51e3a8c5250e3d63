# SPDX-License-Identifier: GPL-2.0-or-later
"""One version, defined in pyproject.toml: everything that prints a version prints that one."""

from __future__ import annotations

import re
import subprocess
import tomllib

from tests.conftest import ROOT, Run

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_command_line(run: Run) -> None:
    assert run("--version").stdout == f"polltrace {VERSION}\n"


def test_the_probe(probe: None) -> None:
    built = ROOT / "probes/build/polltrace-probe"
    ended = subprocess.run([built, "--version"], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[0] == f"polltrace-probe {VERSION}"


def test_the_changelog() -> None:
    newest = re.search(r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert newest
    assert newest[1] == VERSION
