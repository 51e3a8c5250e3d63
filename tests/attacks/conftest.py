# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.storm import Storm, build


@pytest.fixture(scope="session")
def storm_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("the target is C: gcc is missing")
    if os.geteuid() != 0:
        pytest.skip("tracing other processes needs root")
    return build(tmp_path_factory.mktemp("storm"))


@pytest.fixture
def storm(storm_program: Path) -> Iterator[Storm]:
    storm = Storm(storm_program)
    yield storm
    storm.end()
