# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of packaging/build.sh, as a user would install them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT, missing

DIST = ROOT / "dist"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "packages: installs what was packaged; make test-packages")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("markexpr") != "packages":
        for item in items:
            if item.get_closest_marker("packages"):
                item.add_marker(pytest.mark.skip(reason="long: make test-packages"))


def made(pattern: str) -> Path:
    """The one file in dist/ of that name. Fails with what to do where it is not there."""
    found = sorted(DIST.glob(pattern))
    if len(found) != 1:
        missing(f"{len(found)} files dist/{pattern}: run 'make packages'")
    return found[0]
