# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/tasks/load.md and docs/tasks/client-result-cache.md agree with what is read and printed."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from polltrace.scenarios.load.report import load_data
from polltrace.scenarios.load.workload import (
    ARRIVALS,
    BIND_ORDERS,
    CONNECT_MODES,
    DISTRIBUTIONS,
    ENDS,
    ORDERS,
    CacheSettings,
)
from polltrace.scenarios.load.workload_file import KEYS, load_workload
from tests.conftest import ROOT

from .test_figures import made

PAGE = (ROOT / "docs/tasks/load.md").read_text()
CACHE_PAGE = (ROOT / "docs/tasks/client-result-cache.md").read_text()


def test_the_page_names_every_word_of_workload_files() -> None:
    words = {*KEYS, *ORDERS, *BIND_ORDERS, *CONNECT_MODES, *ARRIVALS, *ENDS, *DISTRIBUTIONS}
    words |= {key for keys in DISTRIBUTIONS.values() for key in keys}
    assert {word for word in words if not re.search(rf"[`\[]{word}\b", PAGE)} == set()


def test_the_page_names_every_key_of_the_cache() -> None:
    keys = {each.name for each in dataclasses.fields(CacheSettings)}
    assert {key for key in keys if f"| `{key}` |" not in CACHE_PAGE} == set()


def test_the_page_names_every_key_of_the_json(tmp_path: Path) -> None:
    keys = set(load_data(made(tmp_path / "a"))) - {"header"}
    assert {key for key in keys if f"`{key}`" not in PAGE} == set()


def test_workloads_shown_on_the_page_are_accepted(tmp_path: Path) -> None:
    shown = re.findall(r"```toml\n(.*?)```", PAGE + CACHE_PAGE, re.DOTALL)
    assert len(shown) >= 2
    (tmp_path / "orders.csv").write_text("id,v\n1,a\n")
    (tmp_path / "chairs.csv").write_text("chair\n1\n")
    for text in shown:
        (tmp_path / "w.toml").write_text(text)
        assert load_workload(tmp_path / "w.toml").statements


def test_installed_workloads_are_accepted() -> None:
    paths = (ROOT / "scenarios/load/workloads").glob("*.toml")
    workloads = {path.stem: load_workload(path) for path in paths}
    assert all(workload.statements for workload in workloads.values())
    cached = workloads["closures"]
    assert cached.cache is not None
    assert len({tuple(row) for row in cached.statements[0].rows}) == 2982
