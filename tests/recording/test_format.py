# SPDX-License-Identifier: GPL-2.0-or-later
"""The file format: whole, torn, damaged, older, newer; and its schema."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polltrace.engines import BREAK_POLL
from polltrace.errors import FileError, FileFormatError
from polltrace.intervals import Estimate
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.frames import Bucket, ProbeFrame
from polltrace.recording import frames, read
from polltrace.recording.file import RecordingFile
from polltrace.recording.scan import ENDED_EARLY, NO_TRAILER, Scan
from polltrace.recording_report import recording_report
from tests.conftest import ROOT
from tests.recording.samples import frame as a_frame
from tests.recording.samples import (
    header,
    probe,
    probe_header,
    story,
    totals,
    trailer,
    written,
)

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "polltrace/recording/recording.schema.json").read_text())
)
VERSION_1 = ROOT / "tests/formats/files/polltrace-recording-1"

anywhere = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def scanned(path: Path) -> tuple[list[dict[str, Any]], str]:
    scan = Scan(path)
    records = list(scan)
    return records, scan.tear


def test_written_records_are_read(tmp_path: Path) -> None:
    records = story()
    path = written(tmp_path / "a", *records)
    assert scanned(path) == (records, "")
    assert Scan(path).header.host == "dbhost"
    assert path.stat().st_mode & 0o777 == 0o600


def test_every_record_fits_the_schema(tmp_path: Path) -> None:
    for record in [header(), *story()]:
        SCHEMA.validate(record)


@pytest.mark.usefixtures("lab_recording")
def test_a_real_recording_fits_the_schemas(lab_recording: Any) -> None:
    of_probe = jsonschema.Draft202012Validator(
        json.loads((ROOT / "probes/frames.schema.json").read_text())
    )
    records, tear = scanned(lab_recording.path)
    assert tear == ""
    SCHEMA.validate(json.loads(json.dumps(Scan(lab_recording.path).header.data())))
    for record in records:
        SCHEMA.validate(record)
        if record["type"] in ("probe", "base"):
            of_probe.validate(record["record"])


@anywhere
@given(cut=st.floats(0, 1))
def test_any_prefix_reads_as_a_prefix(tmp_path: Path, cut: float) -> None:
    # GIVEN a recording cut anywhere
    records = story(seconds=12)
    whole = tmp_path / "whole"
    if not whole.exists():
        written(whole, *records)
    data = whole.read_bytes()
    torn = tmp_path / "torn"
    torn.write_bytes(data[: int(cut * len(data))])
    # THEN the records read are a prefix of the whole, and the tear is reported
    try:
        found, tear = scanned(torn)
    except FileFormatError as error:
        message = str(error)
    else:
        message = ""
    if message:
        assert "is no recording" in message
        return
    assert found == records[: len(found)]
    assert tear in ("", ENDED_EARLY, NO_TRAILER)
    assert bool(tear) == (torn.stat().st_size < len(data) or found != records)
    second_line = recording_report(torn).text().splitlines()[1]
    assert second_line.startswith("The file is not whole: ") == bool(tear)


@anywhere
@given(seed=st.integers(0, 2**32))
def test_damage_gives_one_line_and_no_traceback(tmp_path: Path, seed: int) -> None:
    whole = tmp_path / "whole"
    if not whole.exists():
        written(whole, *story(seconds=12))
    chance = random.Random(seed)
    data = bytearray(whole.read_bytes())
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    bad = tmp_path / "bad"
    bad.write_bytes(data)
    message = f"{bad}"
    try:
        assert recording_report(bad).text()
        json.dumps(recording_report(bad).data())
        list(frames(bad))
    except FileFormatError as error:
        message = str(error)
    assert "\n" not in message
    assert str(bad) in message


@anywhere
@given(
    record=st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda some: (
            st.lists(some, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "stream", "at_s", "record", "pid", "start_ticks", "processes", "lost"]
                )
                | st.text(max_size=5),
                some
                | st.sampled_from(
                    ["probe", "frame", "server", "poll_cost", "symbols", "trailer", "count", "gaps"]
                ),
            )
        ),
        max_leaves=20,
    )
)
def test_records_of_any_shape_give_no_traceback(tmp_path: Path, record: Any) -> None:
    path = tmp_path / "any"
    lines = [json.dumps(each).encode() for each in [header(), *story()[:-1], record]]
    path.write_bytes(zstandard.compress(b"\n".join(lines) + b"\n"))
    assert recording_report(path).text()
    list(frames(path))


def test_a_frame_with_a_wrong_checksum_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a", *story())
    data = bytearray(path.read_bytes())
    data[-1] ^= 1  # the last frame's checksum itself
    path.write_bytes(data)
    records, tear = scanned(path)
    assert records == []
    assert "damaged" in tear


def test_version_1_stays_readable() -> None:
    """Its streams were called `look`, its costs per poll `price`."""
    summary = recording_report(VERSION_1).summary
    (session,) = summary.sessions
    assert (session.identity, session.break_polls) == ((100, 7), 400_000)
    assert session.sampled is not None
    assert session.sampled.value == pytest.approx(10)
    assert summary.recording.check_costs == {Knot(BREAK_POLL, 8): Estimate(6e-7, 5e-7, 7e-7)}
    assert (summary.recording.tear, summary.recording.unknown) == ("", {})
    assert [each.stream for each in frames(VERSION_1)].count("cpu") > 1


def test_gaps_of_every_time_that_they_were_timed_add_up(tmp_path: Path) -> None:
    # GIVEN gaps timed twice, each time by a new probe with totals of its own
    timed: list[dict[str, Any]] = []
    for at_s, rows in ((1.0, [[1000, 2000, 5]]), (3.0, [[1000, 2000, 7], [4000, 8000, 2]])):
        gaps = totals(100, 7, 0.5, 7, times_ns={"gap": rows})
        timed += [
            probe(probe_header(), at_s, "gaps"),
            probe(a_frame(1, gaps), at_s + 0.5, "gaps"),
            probe({"type": "trailer", "reason": "duration"}, at_s + 0.5, "gaps"),
            {"type": "timed", "at_s": at_s, "pid": 100, "start_ticks": 7, "on_cpu_s": 0.25},
        ]
    recording = read(written(tmp_path / "a", *story()[:-1], *timed, trailer(4)))
    # THEN both are in the histogram, and in the time on CPU that goes with it
    assert recording.gaps[100, 7].gaps == (Bucket(1000, 2000, 12), Bucket(4000, 8000, 2))
    assert recording.timed_cpu_s[100, 7] == 0.5


def test_unknown_records_are_skipped_and_reported(tmp_path: Path) -> None:
    records = story()
    path = written(tmp_path / "a", {"type": "weather", "rain": 1}, *records)
    recording = read(path)
    assert recording.unknown == {"weather": 1}
    assert "a newer polltrace shows more" in recording_report(path).text()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is no recording"),
        (b"hello\n", "is no recording"),
        (zstandard.compress(b"hello\n"), "is no recording"),
        (zstandard.compress(b'{"a":1}\n'), "is no recording"),
        (zstandard.compress(json.dumps(header(version=3)).encode() + b"\n"), "up to version 2"),
        (zstandard.compress(json.dumps(header(host=None, at_s="x")).encode() + b"\n"), "damaged"),
        (zstandard.compress(b'{"format":"x"}\n'), "of format 'x'"),
    ],
)
def test_a_file_that_is_no_recording(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=words):
        Scan(path)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        Scan(tmp_path / "none")


def test_a_small_file_cannot_take_all_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polltrace.recording.scan._LARGEST_FRAME", 1 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(zstandard.compress(json.dumps(header()).encode() + b"\n" + bytes(1 << 21)))
    with pytest.raises(FileFormatError, match="larger than any"):
        Scan(path)


def test_a_full_disk_leaves_what_was_written() -> None:
    # /dev/full takes nothing: the error names the file and the reason.
    with pytest.raises(FileError, match="cannot write /dev/full: No space left"):
        RecordingFile(Path("/dev/full")).write([header()])


def test_frames_in_their_order(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a",
        probe(probe_header(), 0.0),
        probe(a_frame(1, totals(1, 1, 0.5, 10), totals(2, 2, 0.5, 20)), 1.0),
        probe(a_frame(2, totals(1, 1, 0.7, 11)), 2.0),
        trailer(2),
    )
    found = [each for each in frames(path) if isinstance(each.record, ProbeFrame)]
    assert [each.at_s for each in found] == [1.0, 2.0]
    assert [
        len(each.record.processes) for each in found if isinstance(each.record, ProbeFrame)
    ] == [
        2,
        1,
    ]
