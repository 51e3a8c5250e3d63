# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace record` on real processes, against what these did; and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zstandard

from polltrace.profiles.frames import ProbeFrame
from polltrace.recording import frames, read
from polltrace.recording.scan import Scan
from tests.polltrace.exact_poller import BREAK_POLLS, OTHER_POLLS, Poller, exact_poller
from tests.waiting import PATIENCE_S, until

Process = subprocess.Popen[str]
Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.usefixtures("quick_calibration")


@pytest.fixture
def poller() -> Iterator[Poller]:
    with exact_poller() as started:
        yield started


Record = Callable[..., Process]


@pytest.fixture
def record(probe: None, start: Callable[..., Process], poller: Poller, tmp_path: Path) -> Record:
    """Start `polltrace record` on the poller; it has attached when this returns."""

    def record_(*options: str) -> Process:
        process = start(
            "record", "-o", str(tmp_path / "a"), "-p", str(poller.pid), "--no-gaps", *options
        )
        assert process.stderr is not None
        assert "attached" in process.stderr.readline()
        return process

    return record_


def text_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_counts_are_exact_and_the_end_is_clean(
    poller: Poller, record: Record, run: Run, tmp_path: Path, number: signal.Signals
) -> None:
    process = record()
    poller.poll()
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    data = json.loads(run("report", str(tmp_path / "a"), "--json").stdout)
    (seen,) = data["sessions"]
    assert (seen["break_polls"], seen["other_polls"]) == (BREAK_POLLS, OTHER_POLLS)
    assert data["whole"]
    assert data["quality"]["reason"] == "signal"


def test_arguments_of_the_watched_process_stay_out(
    poller: Poller, record: Record, tmp_path: Path
) -> None:
    """The poller's arguments are not in the file, and of our own command line all is."""
    process = record("-d", "0.3")
    process.communicate(timeout=PATIENCE_S)
    text = text_of(tmp_path / "a").decode()
    # As arguments; a number among figures may have the same digits.
    assert f'"{BREAK_POLLS}"' not in text
    assert f"{BREAK_POLLS} {OTHER_POLLS}" not in text
    assert "poller.py" not in text
    assert Scan(tmp_path / "a").header.command[:2] == ("polltrace", "record")


def test_killed_it_has_all_but_the_last_moment(
    poller: Poller, record: Record, run: Run, tmp_path: Path
) -> None:
    # GIVEN a recording that is killed when a frame with every poll is in the file
    process = record("-i", "0.1")
    poller.poll()

    def has_them_all() -> bool:
        recorded = [each.record for each in frames(tmp_path / "a")]
        totals = [
            each for frame in recorded if isinstance(frame, ProbeFrame) for each in frame.processes
        ]
        return any(each.break_polls == BREAK_POLLS for each in totals)

    until(has_them_all, "every poll in the file")
    process.kill()
    process.wait()
    # THEN it can be read up to there and is reported as not whole
    ended = run("report", str(tmp_path / "a"))
    assert ended.returncode == 0
    assert f"{BREAK_POLLS:,}" in ended.stdout
    assert ended.stdout.splitlines()[1].startswith("The file is not whole: ")
    # AND the watched process runs on
    assert poller.process.poll() is None


@pytest.mark.usefixtures("probe")
def test_a_command_with_secrets(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a"
    ended = run(
        "record", "-o", str(path), "--", "sh", "-c", "SECRET=5 /bin/true scott/tiger; exit 7"
    )
    assert ended.returncode == 7, ended.stderr
    text = text_of(path)
    assert b"tiger" not in text
    assert b"SECRET" not in text
    assert b"[2 arguments left out]" in text
    assert len(read(path).identities) == 2


@pytest.mark.usefixtures("lab")
def test_nothing_of_sql_binds_passwords_or_environment(lab_recording: Any) -> None:
    text = text_of(lab_recording.path)
    assert str(lab_recording.in_band).encode() in text
    for secret in lab_recording.secrets:
        assert secret.encode() not in text
    assert b"LAB_PASSWORD" not in text


@pytest.mark.usefixtures("lab")
def test_the_lab_is_recognized(lab_recording: Any, run: Run) -> None:
    data = json.loads(run("report", str(lab_recording.path), "--json").stdout)
    found = {each["pid"]: each for each in data["sessions"]}
    in_band, out_of_band = found[lab_recording.in_band], found[lab_recording.out_of_band]
    assert (in_band["break_mode"], in_band["configured_skip"]) == ("in-band", 3)
    assert out_of_band["break_mode"] == "out-of-band"
    assert in_band["break_polls"] > 1000
    assert out_of_band["break_polls"] == 0
    assert in_band["samples"] > 10
    assert in_band["check_samples_pct"] > 0
    assert out_of_band["check_samples_pct"] in (None, 0)
    assert sum(count for _, _, count in in_band["gaps_ns"]) > 100
    low, high = in_band["cpu_pct_ci95"]
    assert low < in_band["cpu_pct"] < high
    assert in_band["advice"]["forecast"]
    assert data["poll_costs"]


@pytest.mark.usefixtures("lab")
def test_the_skip_in_force_is_measured(lab_recording: Any) -> None:
    (identity,) = [
        each for each in read(lab_recording.path).identities if each[0] == lab_recording.in_band
    ]
    burst = read(lab_recording.path).bursts[identity]
    assert burst.error == ""
    assert burst.calls == 3 * burst.break_polls > 0


@pytest.mark.usefixtures("lab")
def test_stacks_are_named(lab_recording: Any) -> None:
    recording = read(lab_recording.path)
    assert recording.counted is not None
    mine = [each for each in recording.counted.totals if each.pid == lab_recording.in_band]
    names = recording.names.of((mine[0].pid, mine[0].start_ticks))
    whole = [
        [frame.name for frame in names.user(0, stack.addresses)]
        for stack in mine[0].stacks
        if stack.kind == "poll"
    ]
    assert whole
    assert all(names[:2] == ["poll", "sntpoltsts"] and "main" in names for names in whole)


def is_known(path: Path, pid: int) -> bool:
    """Whether a file that is being written has this process."""
    return any(
        each["record"]["pid"] == pid
        for each in Scan(path)
        if each["type"] == "probe" and each["record"]["type"] == "process"
    )


@pytest.mark.usefixtures("probe")
def test_processes_that_come_while_it_records(start: Any, tmp_path: Path) -> None:
    # GIVEN a recording of processes by a title that none has yet
    title = f"a name of its own {time.monotonic_ns()}"
    process = start("record", "-o", str(tmp_path / "a"), "-n", f"^{title}", "--no-samples",
                    "-i", "0.1")  # fmt: skip
    assert "attached" in process.stderr.readline()
    # WHEN three come one after the other, and go
    code = "import sys; sys.stdout.write('up'); sys.stdout.flush(); sys.stdin.read()"
    pids = []
    for _ in range(3):
        with subprocess.Popen(
            [title, "-c", code], executable=sys.executable, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as child:  # fmt: skip
            assert child.stdin is not None
            assert child.stdout is not None
            assert child.stdout.read(2) == b"up"
            pids.append(child.pid)
            until(partial(is_known, tmp_path / "a", child.pid), "the process in the file")
            child.stdin.close()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    # THEN each is there, gone, and we are not
    recording = read(tmp_path / "a")
    assert recording.counted is not None
    assert sorted(pid for pid, _ in recording.counted.ended) == sorted(pids)
    assert sorted(pid for pid, _ in recording.identities) == sorted(pids)


@pytest.mark.usefixtures("probe")
def test_the_one_before_is_kept(run: Run, poller: Poller, tmp_path: Path) -> None:
    path = tmp_path / "a"
    for _ in range(2):
        ended = run("record", "-o", str(path), "-p", str(poller.pid), "-d", "0.1", "--no-samples")
        assert ended.returncode == 0, ended.stderr
    assert Scan(path).header.started >= Scan(tmp_path / "a.old").header.started


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("content", [b"", b"x"])
def test_a_link_stays(run: Run, poller: Poller, tmp_path: Path, content: bytes) -> None:
    """As /dev/stdout is one, where the shell has it go to a file."""
    file, link = tmp_path / "a", tmp_path / "stdout"
    file.write_bytes(content)
    link.symlink_to(file)
    ended = run("record", "-o", str(link), "-p", str(poller.pid), "-d", "0.1", "--no-samples")
    assert ended.returncode == 2
    assert f"{link} is a link; name the file itself, or - for standard output" in ended.stderr
    assert link.is_symlink()
    assert file.read_bytes() == content


@pytest.mark.usefixtures("probe")
def test_a_file_that_is_no_recording_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "diary"
    path.write_text("dear diary\n")
    ended = run("record", "-o", str(path), "-p", "1")
    assert ended.returncode == 2
    assert "exists and is no recording" in ended.stderr
    assert path.read_text() == "dear diary\n"


@pytest.mark.usefixtures("probe")
def test_a_disk_that_fills_up(run: Run, poller: Poller, tmp_path: Path) -> None:
    # GIVEN a file system with room for two pages
    room = tmp_path / "room"
    room.mkdir()
    script = (
        'mount -t tmpfs -o size=8k none "$0" && "$@"; code=$?; cp "$0"/a "$0"/../kept; exit $code'
    )
    ended = run(
        "record", "-o", str(room / "a"), "-p", str(poller.pid), "-i", "0.01", "-d", "30",
        prefix=("unshare", "--mount", "sh", "-c", script, str(room)),
    )  # fmt: skip
    # THEN it ends by itself with an error, and the records written can be read
    assert ended.returncode == 8, ended.stderr
    assert "No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr
    recording = read(tmp_path / "kept")
    assert recording.tear
    assert recording.identities


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-p", "1", "--max-size", "12"], "is not a size from 64K"),
        ([], "choose processes"),
        (["--all", "--", "true"], "not both"),
    ],
)
def test_usage(run: Run, tmp_path: Path, options: list[str], words: str) -> None:
    ended = run("record", "-o", str(tmp_path / "a"), *options)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.usefixtures("probe")
def test_no_such_process(run: Run, tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    ended = run("record", "-o", str(tmp_path / "a"), "-p", str(gone.pid))
    assert ended.returncode == 5
    assert not (tmp_path / "a").exists()
