# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stat`'s report of frames that were written by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polltrace.profiles.decoder import record_of
from polltrace.profiles.profile import Profile, profile_of
from polltrace.profiles.stat_report import stat_data, stat_text

HEADER = {"type": "header", "format": 1, "attached_s": 1000.0} | dict.fromkeys(
    ("probe", "host", "kernel", "mode", "variant"), "x"
)


def process(pid: int, start_ticks: int, **counts: Any) -> dict[str, Any]:
    defaults: dict[str, Any] = {"cpu_s": 0.5, "break_polls": 71, "other_polls": 0}
    return {"pid": pid, "start_ticks": start_ticks, **defaults, **counts}


def profile(
    *processes: dict[str, Any],
    ends: dict[str, Any] | None = None,
    watched: dict[str, Any] | None = None,
) -> Profile:
    frame = {"type": "frame", "t_s": 10.0, "lost": {}, "processes": processes}
    records = [HEADER, *([watched] if watched else []), frame, *([ends] if ends else [])]
    return profile_of(record_of(json.loads(json.dumps(record))) for record in records)


@pytest.mark.parametrize(
    ("start_ticks", "end_s", "watched_s", "rate"),
    [
        (50_000, None, 10.0, "7/s"),  # older than the probe
        (50_000, 2.0, 2.0, "36/s"),
        (100_800, None, 2.0, "36/s"),  # born 8 s after attaching
        (100_300, 4.0, 1.0, "71/s"),
    ],
)
def test_a_rate_is_over_the_time_that_the_process_lived(
    start_ticks: int, end_s: float | None, watched_s: float, rate: str
) -> None:
    ends = {"type": "exit", "pid": 7, "start_ticks": start_ticks, "t_s": end_s}
    seen = profile(process(7, start_ticks), ends=ends if end_s else None)
    text = stat_text(seen).splitlines()
    assert text[1] == f"{watched_s:.3f} s watched, 0.500 s on CPU"
    assert text[3] == f"polls, timeout 0          71   {rate}"
    assert stat_data(seen)["processes"][0]["watched_s"] == pytest.approx(watched_s)


def test_calls_of_a_32_bit_program_have_no_names() -> None:
    calls = [{"nr": 0, "name": "read", "calls": 5, "errors": 2}]
    text = stat_text(profile(process(7, 1, calls_32bit=211), process(8, 1, syscalls=calls)))
    blocks = [block.split("\n") for block in text.split("\n\n")]
    assert blocks[2] == [
        "syscall                    calls    errors",
        "32-bit calls                 211   not by name",
        "                     -----------  --------",
        "sys totals                   211",
    ]
    assert blocks[-2][-1] == "sys totals                     5         2"


@pytest.mark.parametrize(
    ("exe", "label"), [("/u01/bin/oracle", "break polls"), ("/usr/bin/curl", "polls, timeout 0")]
)
def test_polls_are_break_polls_only_in_a_server_of_a_known_engine(exe: str, label: str) -> None:
    words = {"comm": "oracle_7_orcl", "cmdline": ["oracleORCL (LOCAL=NO)"], "exe": exe}
    watched = {"type": "process", "pid": 7, "start_ticks": 1, **words}
    observed = profile(process(7, 1), watched=watched)
    assert f"\n{label:<16}          71 " in stat_text(observed)
