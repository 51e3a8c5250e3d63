# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames that are none: another type than a field's own is refused, wherever the file came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polltrace.errors import FrameError
from polltrace.profiles.decoder import parse
from tests.recording.samples import (
    frame,
    probe,
    probe_header,
    process,
    server,
    stack,
    symbols,
    totals,
    trailer,
    written,
)

TEXT = "0x401000"
WINDOWS = {"count": 1, "polls": 1, "seconds": 1.0, "cpu_s": 1.0, "displaced_s": 0.0}
HOSTILE: list[dict[str, Any]] = [
    {"cpu_s": "1.0"},
    {"cpu_s": True},
    {"break_polls": -1},
    {"break_polls": 2**64},
    {"break_polls": 1.5},
    {"sockets": [{"fd": 3, "kind": 7, "polls": 1}]},
    {"sockets": {"fd": 3}},
    {"stacks": [stack(1) | {"addresses": [TEXT]}]},
    {"stacks": [stack(1) | {"addresses": TEXT}]},
    {"stacks": [stack(1, 4096) | {"kernel": [TEXT]}]},
    {"stacks": [stack(1, 2**64)]},
    {"stacks": [stack(1, 4096) | {"count": TEXT}]},
    {"times_ns": {"gap": [["1", "2", 3]]}},
    {"windows": {"count": 1, "polls": [], "seconds": 1.0}},
    {"windows": WINDOWS | {"squares": [1, 2]}},
    {"windows": WINDOWS | {"neighbours": [1, 2, TEXT]}},
    {"burst": {"calls": 1, "break_polls": 1, "seconds": "x"}},
]


@pytest.mark.parametrize("changes", HOSTILE, ids=str)
def test_a_field_of_another_type_is_refused(changes: dict[str, Any]) -> None:
    good = frame(1.0, totals(7, 11, 0.5, 10))
    assert parse(json.dumps(good)) is not None
    with pytest.raises(FrameError, match="not a frame of format 1"):
        parse(json.dumps(frame(1.0, totals(7, 11, 0.5, 10) | changes)))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
def test_a_number_without_a_value_is_refused(number: str) -> None:
    line = json.dumps(frame(4321.0, totals(7, 11, 0.5, 10))).replace("4321.0", number)
    with pytest.raises(FrameError, match="not a frame of format 1"):
        parse(line)


def test_data_without_a_bottom_is_refused() -> None:
    with pytest.raises(FrameError, match="not a frame of format 1"):
        parse('{"type":' + "[" * 200_000)


def test_a_recording_with_text_for_an_address_is_read_up_to_there(tmp_path: Path, run: Any) -> None:
    good = totals(7, 11, 0.5, 10, stacks=[stack(3, 4096, 8192)])
    path = written(
        tmp_path / "hostile",
        probe(probe_header(), 0.0, "cpu"),
        probe(process(7, 11), 0.1, "cpu"),
        server(7, 11),
        symbols(7, 11, {4096: "poll", 8192: "nsmore2recv"}, 4096),
        probe(frame(1.0, good), 1.0, "cpu"),
        probe(frame(2.0, good | HOSTILE[7]), 2.0, "cpu"),
        trailer(2.0),
    )
    ended = run("report", str(path))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "it is damaged (TypeError in a record of type 'probe')" in ended.stdout
    assert "1.0 s" in ended.stdout
