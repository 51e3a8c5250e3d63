# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording from elsewhere may hold anything: one line about it, an exit code, no traceback."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from polltrace.cli import main
from tests.recording.samples import frame as a_frame
from tests.recording.samples import header, probe, stack, story, totals

# Values that replace a field's own.
FORMS = [
    ["report", "--json"],
    ["report"],
    ["advise"],
    ["stacks", "--at", "cpu", "--format", "json"],
]
WRONG = ["text", -1, 1 << 70, None, [["x"]], True, float("nan")]
# Each field takes as many of them, in turn; `make soak` has all.
OF_EACH = int(os.environ.get("POLLTRACE_WRONG_VALUES", "2"))


def whole() -> list[Any]:
    """A recording with all kinds of records."""
    gaps = totals(100, 7, 2.0, 9, times_ns={"gap": [[1000, 2000, 5]]})
    burst = totals(100, 7, 2.0, 9, burst={"calls": 30, "break_polls": 10, "seconds": 0.1})
    socket = {"fd": 15, "kind": "tcp", "local": "10.0.0.5:1521", "peer": "a:1", "polls": 300}
    kernel = {**stack(3, 1, 2), "kernel": [5], "polls": 3}
    last = totals(100, 7, 1.9, 300, sockets=[socket], stacks=[kernel])
    more = [
        probe(a_frame(2, each), 2.0, name) for each, name in ((gaps, "gaps"), (burst, "checks"))
    ]
    timed = {"type": "timed", "at_s": 2.0, "pid": 100, "start_ticks": 7, "on_cpu_s": 0.5}
    records = story(seconds=1)
    return [header(), *records[:-1], *more, timed, probe(a_frame(2, last), 2.0), records[-1]]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a record; of a list's values the first and the last."""
    if isinstance(value, dict):
        inner: list[Any] = list(value)
    elif isinstance(value, list):
        inner = sorted({0, len(value) - 1}) if value else []
    else:
        return
    for key in inner:
        yield (*at, key)
        yield from places(value[key], (*at, key))


def with_wrong(records: list[Any], at: tuple[Any, ...], wrong: Any) -> list[Any]:
    changed = copy.deepcopy(records)
    inside = changed
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = wrong
    return changed


@pytest.mark.parametrize("number", range(len(whole())))
def test_any_value_of_another_type(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a"
    records = whole()
    for turn, at in enumerate(places(records[number], (number,))):
        for step in range(OF_EACH):
            wrong = WRONG[(turn * OF_EACH + step) % len(WRONG)]
            lines = [json.dumps(each).encode() for each in with_wrong(records, at, wrong)]
            path.write_bytes(zstandard.compress(b"\n".join(lines) + b"\n"))
            for argv in FORMS if wrong in WRONG[:2] else FORMS[:1]:
                code = main([argv[0], str(path), *argv[1:]])  # a traceback would end the test
                captured = capsys.readouterr()
                assert 0 <= code < 10, captured.err
                torn = "The file is not whole: " in captured.err
                assert captured.err.count("\n") == (code != 0) + torn, captured.err


def test_text_for_an_address_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = story()
    records[-2]["record"]["processes"][0]["stacks"][0]["addresses"][0] = "0x1"
    path = tmp_path / "a"
    lines = [json.dumps(each).encode() for each in [header(), *records]]
    path.write_bytes(zstandard.compress(b"\n".join(lines) + b"\n"))
    for argv in (["report"], ["stacks", "--at", "cpu", "--format", "json"], ["advise"]):
        assert main([argv[0], str(path), *argv[1:]]) == 0
    assert main(["report", str(path)]) == 0
    assert "The file is not whole: it is damaged (" in capsys.readouterr().out
