# SPDX-License-Identifier: GPL-2.0-or-later
"""The version that polltrace calls its own."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import polltrace


def test_the_version_is_that_of_the_package() -> None:
    assert polltrace.__version__ == version("polltrace")


def test_the_version_is_that_of_the_first_folder_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("polltrace_other-8.dist-info", "polltrace-9.9.1.dist-info"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "none"), str(tmp_path), *sys.path])
    assert polltrace.__version__ == "9.9.1"


def test_without_such_a_folder_the_metadata_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    known = version("polltrace")
    monkeypatch.setattr(polltrace, "_version_in", lambda _folder: None)
    assert polltrace.__version__ == known
