# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario that records latency: a run on the lab, and its checks on runs that are wrong."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.scenarios.analyse.comparison import compare
from polltrace.scenarios.analyse.expectations import checked_expectations
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import read_run
from polltrace.scenarios.report.run.data import run_data
from polltrace.scenarios.report.run.text import run_text
from polltrace.scenarios.run.latency.layers import LAYERS, SEED
from polltrace.scenarios.run.network.netem import netem_refused
from polltrace.scenarios.run.network.tun import tun_refused
from tests.conftest import POLLTRACE, missing

SCENARIO = """
title = "layers"
statement = "select level from dual connect by level <= :rows"
binds = { rows = 3 }
record = ["latency"]
expected = [
  { check = "layers agree", text = "they agree" },
  { check = "added delay", text = "it is the difference" },
]
[matrix]
client = ["python-oracledb"]
path = ["lan", "slow", "slower"]
[paths.lan]
round_trip_ms = 1
[paths.slow]
round_trip_ms = 21
[paths.slower]
round_trip_ms = 41
[base]
path = "lan"
[repeats]
blocks = 2
timed = 2
"""
Change = Callable[[str, str, list[Any]], None]


@pytest.fixture(scope="module")
def saved(built_lab: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if os.geteuid() != 0:
        missing("a network namespace needs root")
    if netem_refused() and (refused := tun_refused()):
        pytest.skip(refused)
    folder = tmp_path_factory.mktemp("latency")
    scenario, run = folder / "layers.toml", folder / "layers.run"
    scenario.write_text(SCENARIO)
    words = [POLLTRACE, "run", str(scenario), "-o", str(run)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return run


def test_a_run_of_every_layer(saved: Path) -> None:
    result = analysed(read_run(saved))
    cells = {each.cell.path: each for each in result.cells if not each.cell.twin}
    assert list(cells) == ["lan", "slow", "slower"]
    for path, least_s in (("lan", 0.001), ("slow", 0.021), ("slower", 0.041)):
        layers = cells[path].layers
        assert list(layers) == list(LAYERS)
        assert all(len(each.blocks_s) == 2 for each in layers.values())
        # The whole packet is delayed: the handshake too, which no relay of data delays.
        for name in set(LAYERS) - {SEED}:
            assert layers[name].seconds.value >= least_s, name
    text = run_text(result)
    assert "A round trip in ms, the shortest of each block" in text
    data = run_data(result)["cells"][1]["layers"]
    assert data["kernel-rtt"]["round_trip_s"]["value"] >= 0.021
    # A round is a line, and each executes one row five times.
    lines = read_run(saved).of("latency")
    assert len(lines) == 2 * 2 * 4
    assert {len(line["samples"]) for line in lines} == {10}


def changed(saved: Path, folder: Path, change: Change, copies: int = 1) -> Path:
    """The run with other samples, its two blocks repeated; `change` gets path, layer and sample."""
    header, *lines = saved.read_text().splitlines()
    paths = [cell["path"] for cell in json.loads(header)["cells"]]
    path = folder / "changed.run"
    out = [header]
    for copy in range(copies):
        for line in map(json.loads, lines):
            for sample in line.get("samples", []):
                change(paths[line["cell"]], sample[0], sample)
            if "block" in line:
                line["block"] += 2 * copy
            out.append(json.dumps(line))
    path.write_text("\n".join(out) + "\n")
    return path


@pytest.mark.parametrize(
    ("factor", "layer", "held"),
    [
        (1.0, None, (True, True)),
        (1.2, "kernel-rtt", (False, True)),
        (0.8, "one-row-sql", (False, True)),
        (1.2, SEED, (False, False)),
        (1.05, "ttc-ping", (True, True)),
    ],
)
def test_the_checks_hold_every_layer_to_the_path(
    saved: Path, tmp_path: Path, factor: float, layer: str | None, held: tuple[bool, bool]
) -> None:
    delays_s = {"lan": 0.001, "slow": 0.021, "slower": 0.041}

    def exact(path: str, name: str, sample: list[Any]) -> None:
        trips = 1 if name == SEED else sample[2]
        added_s = delays_s[path] - 0.001
        sample[1] = trips * (0.0013 + (factor if name == layer else 1) * added_s)

    result = analysed(read_run(changed(saved, tmp_path, exact)))
    agree, added = checked_expectations(result)
    assert (agree.held, added.held) == held
    if layer is not None and not held[0]:
        assert layer in agree.words


def test_a_slower_path_is_a_regression(saved: Path, tmp_path: Path) -> None:
    def steady(_path: str, _name: str, sample: list[Any]) -> None:
        sample[1] = 0.01 * sample[2]

    def slower(path: str, name: str, sample: list[Any]) -> None:
        sample[1] = (0.013 if (path, name) == ("slow", "ttc-ping") else 0.01) * sample[2]

    (before, after) = (tmp_path / name for name in ("before", "after"))
    for folder, change in ((before, steady), (after, slower)):
        folder.mkdir()
        changed(saved, folder, change, copies=3)  # fewer than six blocks have no verdict
    base, new = (read_run(folder / "changed.run") for folder in (before, after))
    assert not compare(base, base, 0.05).regressed
    regressed = [row for row in compare(base, new, 0.05).rows if row.outcome == "regression"]
    assert [(row.cell, row.figure) for row in regressed] == [("slow", "ttc-ping")]
