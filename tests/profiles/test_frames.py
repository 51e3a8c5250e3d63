# SPDX-License-Identifier: GPL-2.0-or-later
"""Records in, a profile out; what is not a record is refused in one line."""

import json

import pytest

from polltrace.errors import FrameError
from polltrace.profiles.decoder import parse
from polltrace.profiles.frames import Burst, Header, ProbeFrame, ProbeRecord
from polltrace.profiles.profile import profile_of

HEADER = {
    "type": "header",
    "format": 1,
    "probe": "0.1.0",
    "host": "db1",
    "kernel": "6.1.0",
    "arch": "x86_64",
    "time": "2026-11-21T12:00:00Z",
    "mode": "count",
    "variant": "tp_btf",
    "interval_s": 1,
    "argv": ["polltrace-probe", "-p", "7"],
}
PROCESS = {
    "type": "process",
    "pid": 7,
    "start_ticks": 11,
    "comm": "oracleLAB",
    "cmdline": ["oracleLAB", "(LOCAL=NO)"],
}


def frame(break_polls: int, t_s: float) -> dict[str, object]:
    return {
        "type": "frame",
        "seq": 1,
        "t_s": t_s,
        "final": False,
        "processes": [
            {
                "pid": 7,
                "start_ticks": 11,
                "cpu_s": t_s,
                "break_polls": break_polls,
                "other_polls": 2,
                "sockets": [{"fd": 5, "kind": "tcp", "polls": break_polls}],
            }
        ],
        "lost": {"full_map": 0},
    }


def records(*data: dict[str, object]) -> list[ProbeRecord | None]:
    return [parse(json.dumps(record)) for record in data]


def test_totals_are_cumulative_so_the_last_frame_counts() -> None:
    trailer = {"type": "trailer", "reason": "duration", "self_cpu_s": 0.01}
    seen = records(HEADER, PROCESS, frame(100, 1.0), frame(307, 2.5), trailer)
    profile = profile_of(seen)
    assert profile.only().break_polls == 307
    assert profile.seconds == 2.5
    assert profile.complete
    assert profile.processes[7, 11].cmdline == ("oracleLAB", "(LOCAL=NO)")


def test_a_process_that_left_the_frames_keeps_its_last_totals() -> None:
    empty = {**frame(0, 2.0), "processes": []}
    profile = profile_of(records(HEADER, PROCESS, frame(13, 1.0), empty))
    assert profile.only().break_polls == 13
    assert profile.seconds == 2.0


def test_a_probe_that_was_killed_leaves_an_incomplete_profile() -> None:
    assert not profile_of(records(HEADER, PROCESS, frame(1, 1.0))).complete


def test_types_of_later_releases_are_passed_over() -> None:
    assert parse('{"type": "weather"}') is None
    assert isinstance(parse(json.dumps({**HEADER, "moon": "full"})), Header)
    assert isinstance(parse(json.dumps(frame(1, 1.0))), ProbeFrame)


@pytest.mark.parametrize("line", ["", "{", "[]", '"x"', "3", '{"type": "frame"}', "\x00"])
def test_a_line_that_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(FrameError, match="not a frame of format 1"):
        parse(line)


def test_another_format_is_named() -> None:
    with pytest.raises(FrameError, match="frames of format 9"):
        parse(json.dumps({**HEADER, "format": 9}))


def test_a_stream_without_frames_is_an_error() -> None:
    with pytest.raises(FrameError, match="without a frame"):
        profile_of(records(HEADER))


def test_a_burst_is_reported_once_the_frames_have_it() -> None:
    seen = frame(100, 1.0)
    assert profile_of(records(HEADER, PROCESS, seen)).only().burst is None
    counted: dict[str, object] = seen["processes"][0]  # type: ignore[index]
    counted["burst"] = {"calls": 30, "break_polls": 10, "seconds": 0.02}
    assert profile_of(records(HEADER, PROCESS, seen)).only().burst == Burst(30, 10, 0.02)
    counted["burst"] = {"calls": 0, "break_polls": 0, "seconds": 0, "error": "no"}
    burst = profile_of(records(HEADER, PROCESS, seen)).only().burst
    assert burst is not None
    assert burst.error == "no"
