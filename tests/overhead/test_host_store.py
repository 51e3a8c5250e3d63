# SPDX-License-Identifier: GPL-2.0-or-later
"""The factors of a host on disk: kept by kernel and processor, refused where they are damaged."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace.errors import FileError
from polltrace.intervals import Estimate
from polltrace.overhead import host_store
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.host_store import host_key, store, store_files, this_host

FACTORS = HostFactors(
    timed=Estimate(0.62, 0.6, 0.64),
    sampled=Estimate(0.8, 0.75, 0.85),
    calibrated=Estimate(0.66, 0.6, 0.7),
    rise=Estimate(0.08, 0.0, 0.2),
    measured="2026-11-25",
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "state" / "host.json"
    monkeypatch.setenv("POLLTRACE_HOST_FILE", str(path))
    this_host.cache_clear()
    yield path
    this_host.cache_clear()


def test_stored_factors_are_read_on_the_same_kernel_and_processor(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert this_host() is None
    assert store(FACTORS) == file
    assert this_host() == FACTORS
    monkeypatch.setattr(host_store, "host_key", lambda: "6.99, another processor")
    this_host.cache_clear()
    assert this_host() is None


def test_another_host_of_a_shared_home_keeps_its_factors(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_store, "host_key", lambda: "6.99, another processor")
    store(FACTORS)
    monkeypatch.undo()
    monkeypatch.setenv("POLLTRACE_HOST_FILE", str(file))
    store(FACTORS)
    assert set(json.loads(file.read_text())["hosts"]) == {"6.99, another processor", host_key()}


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[]",
        '{"format": "polltrace-host", "version": 2, "hosts": {}}',
        '{"format": "polltrace-host", "version": 1, "hosts": []}',
        '{"format": "polltrace-host", "version": 1, "hosts": {"KEY": {"timed": [1, 1, 1]}}}',
        '{"format": "polltrace-host", "version": 1, "hosts": {"KEY": 7}}',
        '{"format": "polltrace-host", "version": 1, "hosts": {"KEY": {"timed": [1e300, 1, 1], '
        '"sampled": [1, 1, 1], "calibrated": [1, 1, 1]}}}',
        '{"format": "polltrace-host", "version": 1, "hosts": {"KEY": {"timed": [1, 2, 3], '
        '"sampled": [1, 1, 1], "calibrated": [1, 1, 1]}}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_as_none(file: Path, damage: str) -> None:
    file.parent.mkdir()
    file.write_text(damage.replace("KEY", host_key()))
    assert this_host() is None


def test_a_large_file_is_not_read(file: Path) -> None:
    store(FACTORS)
    file.write_text(file.read_text() + " " * (1 << 20))
    this_host.cache_clear()
    assert this_host() is None


def test_a_folder_that_cannot_be_written_is_named(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    with pytest.raises(FileError, match=f"cannot write {file}"):
        store(FACTORS)


def test_the_file_of_the_system_is_read_before_the_users_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("POLLTRACE_HOST_FILE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert store_files() == [host_store.SYSTEM_FILE, tmp_path / "polltrace" / "host.json"]
    assert os.environ["XDG_STATE_HOME"] == str(tmp_path)
