# SPDX-License-Identifier: GPL-2.0-or-later
"""Histograms, tallies and results: figures against the raw values that they are of."""

from __future__ import annotations

import base64
import gc
import json
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.load.cells import load_line
from polltrace.scenarios.load.latency_histogram import HIGHEST_NS, PERCENTILES, Histogram, merged
from polltrace.scenarios.load.load_client_process import RECORD
from polltrace.scenarios.load.load_comparison import compare_loads
from polltrace.scenarios.load.load_file import read_load
from polltrace.scenarios.load.load_result import LoadResult, load_result
from polltrace.scenarios.load.tally import SessionClock, Tally

from .conftest import workload


def nearest_rank(values: np.ndarray, percentile: float) -> float:
    ordered = np.sort(values)
    return float(ordered[max(int(percentile * len(ordered) / 100 + 0.5), 1) - 1])


@pytest.mark.parametrize("scale", [100, 1e4, 1e6, 1e9])
def test_percentiles_are_those_of_the_raw_values(scale: float) -> None:
    rng = np.random.default_rng(1)
    values = np.floor(rng.lognormal(0, 1.5, 50_000) * scale)
    parts = []
    for part in np.array_split(values, 7):
        parts.append(Histogram())
        parts[-1].add(part)
    summary = merged(each.encoded() for each in parts).summary_ms()
    assert summary is not None
    for name, percentile in PERCENTILES.items():
        raw = nearest_rank(values, percentile)
        assert raw - 64 <= 1e6 * summary[name] <= raw * 1.001 + 64, name
    assert values.max() <= 1e6 * summary["max"] <= values.max() * 1.001 + 64
    assert summary["mean"] == pytest.approx(values.mean() / 1e6, rel=1e-3, abs=64e-6)


@pytest.mark.parametrize("scale", [10, 1e4, 1e8, 1e15])
def test_texts_are_those_of_hdrhistograms_own_library(scale: float) -> None:
    values = np.floor(np.random.default_rng(1).lognormal(0, 2, 3_000) * scale)
    ours, theirs = Histogram(), HdrHistogram(64, HIGHEST_NS, 3)
    ours.add(values)
    for value in values:
        theirs.record_value(int(min(value, HIGHEST_NS)))
    text = theirs.encode().decode()
    assert ours.encoded() == text
    assert merged([text, text]).count == 2 * len(values)
    summary = merged([text]).summary_ms()
    assert summary is not None
    for name, percentile in PERCENTILES.items():
        assert 1e6 * summary[name] == pytest.approx(theirs.get_value_at_percentile(percentile))


def test_an_empty_histogram_has_a_text() -> None:
    empty = Histogram()
    assert merged([empty.encoded()]).summary_ms() is None
    assert HdrHistogram.decode(empty.encoded()).get_total_count() == 0


def text_of(numbers: bytes, digits: int = 3, length: int | None = None) -> str:
    """A histogram with these bytes for its counters."""
    head = (len(numbers) if length is None else length, 0, digits, 64, HIGHEST_NS, 1.0)
    data = zlib.compress(struct.pack(">IIIIQQd", 0x1C849313, *head) + numbers)
    return base64.b64encode(struct.pack(">II", 0x1C849314, len(data)) + data).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "HISTFAAAnonsense",
        "HISTFAAA",
        text_of(b"\x02")[:-8],
        text_of(b"\x02", digits=2),
        text_of(b"\x02", length=2),
        text_of(b"\x82"),  # a number without an end
        text_of(b"\xff" * 8 + b"\x01"),  # of too many bytes
        text_of(b"\xff" * 7 + b"\x7f"),  # more zeros than there are counters
        text_of(b"\x02" * 40_000),
        text_of(b"\x00" * 100_000_000),
    ],
)
def test_a_damaged_histogram_is_reported(text: str) -> None:
    with pytest.raises(FileError, match="damaged"):
        merged([text])


def test_counting_leaves_nothing_to_the_garbage_collector() -> None:
    """It runs rarely in a process that holds many objects: what waits for it adds up."""

    def counted() -> None:
        tally = Tally(workload())
        tally.add(0, records((0, 1 * MS, 9 * MS, 0, 0)), [], SessionClock())
        tally.line()

    counted()  # what is imported at the first call leaves garbage behind
    gc.collect()
    gc.disable()
    try:
        for _ in range(5):
            counted()
        assert gc.collect() == 0
    finally:
        gc.enable()


def records(*rows: tuple[float, float, float, int, int]) -> Any:
    return np.array(list(rows), RECORD)


MS = 1e6


def test_an_open_loop_counts_latency_from_the_intended_start() -> None:
    tally, clock = Tally(workload(rate=10.0)), SessionClock()
    # The second was due while the first ran; the third was dropped; the fourth failed.
    tally.add(
        0,
        records(
            (0, 0, 9 * MS, 0, 0),
            (1 * MS, 9 * MS, 12 * MS, 1, 0),
            (2 * MS, 12 * MS, 12 * MS, 1, -1),
            (20 * MS, 23 * MS, 24 * MS, 1, 1),
        ),
        ["ORA-01013: cancelled"],
        clock,
    )
    line = tally.line()
    assert line["transactions"] == 2
    assert line["dropped"] == 1
    assert line["errors"] == {"ORA-01013": 1}
    latency = merged(each for each in line["latency"] if each).summary_ms()
    assert latency is not None
    assert latency["max"] == pytest.approx(11, rel=1e-3)
    lag, own = (merged([line[name]]).summary_ms() for name in ("lag", "own_lag"))
    assert lag is not None
    assert own is not None
    assert lag["max"] == pytest.approx(8, rel=1e-3)
    assert own["max"] == pytest.approx(3, rel=1e-3)


@pytest.mark.parametrize("at_once", [1, 2, 7, 100])
def test_a_file_read_in_pieces_is_counted_as_a_whole(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    rows = np.zeros((2, 100), RECORD)
    rows["due_ns"] = np.cumsum(rng.exponential(MS, (2, 100)), axis=1)
    rows["began_ns"] = rows["due_ns"] + rng.exponential(MS, (2, 100))
    rows["ended_ns"] = rows["began_ns"] + rng.exponential(MS, (2, 100))
    rows["statement"] = rng.integers(2, size=(2, 100))
    rows["outcome"] = rng.integers(-1, 2, size=(2, 100))

    def counted(pieces: int) -> dict[str, Any]:
        tally = Tally(workload(sessions=2, rate=10.0))
        clocks = [SessionClock(), SessionClock()]
        for at in range(0, 100, pieces):
            for session in (0, 1):
                part = rows[session, at : at + pieces]
                tally.add(session, part, ["ORA-01013: cancelled"], clocks[session])
        return tally.line()

    whole = counted(100)
    assert sum(whole["by_session"]) == (rows["outcome"] == 0).sum()
    monkeypatch.setattr("polltrace.scenarios.load.tally.SETTLED_AT", 3 * at_once)
    assert counted(at_once) == whole


def test_a_closed_loop_counts_latency_from_the_actual_start() -> None:
    tally = Tally(workload())
    tally.add(0, records((0, 1 * MS, 9 * MS, 0, 0)), [], SessionClock())
    assert tally.line()["p50_ms"] == pytest.approx(8)


def test_ignored_errors_are_counted_apart() -> None:
    tally = Tally(workload(ignored_errors=("ORA-00001",)))
    errors = ["ORA-00001: unique constraint", "DPY-4011: the database closed the connection"]
    tally.add(0, records((0, 0, 1, 0, 1), (0, 0, 1, 0, 2), (0, 0, 1, 0, 1)), errors, SessionClock())
    line = tally.line()
    assert line["ignored"] == {"ORA-00001": 2}
    assert line["errors"] == {"DPY-4011": 1}


def made(
    path: Path,
    latency_ms: float = 1.0,
    seconds: int = 40,
    client_cpu_s: float = 0.2,
    late_ms: float = 0.0,
    **changed: Any,
) -> LoadResult:
    """A load of 100 transactions a second, each of about this latency."""
    header = {
        "format": "polltrace-load",
        "version": 1,
        "workload": {
            "name": "w", "title": "", "sessions": 2, "rate": None, "arrivals": "poisson",
            "think": {}, "order": "random", "bind_order": "shuffled", "fetch_size": 0, "path": {},
            "clients": ["python-oracledb"], "loop": "closed loop",
            "statements": [{"name": "one", "sql": "select 1 from dual", "weight": 1, "rows": 1}],
            **changed,
        },
        "host": {"name": "h", "kernel": "6", "processors": 2, "client_processors": 1},
        "drivers": ["python-oracledb 1"], "server": "lab", "seed": 1, "network": "direct",
    }  # fmt: skip
    rng = np.random.default_rng(int(latency_ms * 1000))
    lines: list[dict[str, Any]] = [header]
    shape = workload(sessions=2, statements=workload().statements[:1])
    clocks = [SessionClock(), SessionClock()]
    for second in range(seconds):
        tally = Tally(shape)
        for session, count in ((0, 60), (1, 40)):
            took = rng.normal(latency_ms, 0.02 * latency_ms, count) * MS
            begun = second * 1e9 + np.arange(count) * 1e7
            rows = np.zeros(count, RECORD)
            rows["due_ns"], rows["began_ns"] = begun - late_ms * MS, begun
            rows["ended_ns"] = begun + took
            tally.add(session, rows, [], clocks[session])
        lines.append(
            {"kind": "second", "at_s": second + 1.0, "seconds": 1.0, **tally.line(),
             "client_cpu_s": client_cpu_s, "server_cpu_s": 0.1, "break_polls": 7}
        )  # fmt: skip
    lines.append({"kind": "end", "elapsed_s": float(seconds), "not_begun": 0, "interrupted": False})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return load_result(read_load(path))


def test_a_result_is_of_the_whole_file(tmp_path: Path) -> None:
    result = made(tmp_path / "a")
    assert result.transactions == 4000
    assert result.per_s == 100
    assert [each.transactions for each in result.sessions] == [2400, 1600]
    # (60 + 40)^2 / (2 * (60^2 + 40^2))
    assert result.fairness == pytest.approx(10_000 / 10_400)
    assert result.break_polls == 280
    assert not result.saturated


def test_a_generator_that_limits_the_load_says_so(tmp_path: Path) -> None:
    busy = made(tmp_path / "a", client_cpu_s=0.95)
    assert any("used 95 % of 1 processor" in each for each in busy.warnings())
    late = made(tmp_path / "b", late_ms=2.0)
    assert late.saturated
    assert any("2.00 ms after its time" in each for each in late.warnings())


def test_a_killed_load_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    made(tmp_path / "a")
    content = (tmp_path / "a").read_bytes()
    (tmp_path / "b").write_bytes(content[: content.rindex(b'{"kind": "end"') - 200])
    result = load_result(read_load(tmp_path / "b"))
    assert result.transactions == 3900
    assert any("was killed" in each for each in result.warnings())


def test_a_load_that_ended_before_its_later_half_has_no_rate_there(tmp_path: Path) -> None:
    whole = made(tmp_path / "a", seconds=4)
    assert load_line(whole)["later_per_s"] == 100
    assert load_line(replace(whole, seconds=whole.seconds[:2]))["later_per_s"] == 0


def test_a_slower_load_is_a_regression(tmp_path: Path) -> None:
    base, same, slow = (
        made(tmp_path / name, ms) for name, ms in (("a", 1.0), ("b", 1.001), ("c", 1.3))
    )
    assert not compare_loads(base, same, 0.05).regressed
    verdicts = {row.figure: row.outcome.name for row in compare_loads(base, slow, 0.05).rows}
    assert verdicts["latency p50"] == verdicts["latency p99"] == "REGRESSION"
    assert verdicts["server CPU"] == verdicts["errors"] == "SAME"


def test_loads_of_different_work_are_not_compared(tmp_path: Path) -> None:
    base, other = made(tmp_path / "a"), made(tmp_path / "b", rate=5.0)
    with pytest.raises(UsageError, match="rate differ"):
        compare_loads(base, other, 0.05)


@pytest.mark.parametrize(
    ("cut", "complaint"),
    [
        (b"{}\n", "is no load"),
        (b'{"format": "polltrace-load", "version": 2}\n', "version 2"),
        (b'{"format": "polltrace-load", "version": 1}\n', "first line is damaged"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, cut: bytes, complaint: str) -> None:
    (tmp_path / "a").write_bytes(cut)
    with pytest.raises(FileError, match=complaint):
        read_load(tmp_path / "a")
