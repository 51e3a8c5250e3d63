# SPDX-License-Identifier: GPL-2.0-or-later
"""The bcc probe by itself: its errors where it cannot run, and its frames where it can.

Its counts are held against the target's in test_live.py, as every backend's are.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest

from polltrace.backends.bcc_backend import SCRIPT, BccProbe
from polltrace.backends.ebpf import ProbeOptions
from polltrace.errors import HostError, UsageError
from polltrace.executables import SYSTEM_PYTHON
from tests.stop_at.stopped_target import StoppedTarget
from tests.waiting import PATIENCE_S

SCHEMA = Path(__file__).parents[2] / "probes" / "frames.schema.json"


def bcc_probe(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SYSTEM_PYTHON, str(SCRIPT), *options],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def works() -> None:
    checked = bcc_probe("--check")
    if checked.returncode:
        pytest.skip(checked.stderr.strip())


@pytest.mark.usefixtures("works")
def test_frames_are_those_of_the_schema(target: StoppedTarget) -> None:
    fd = target.do("open tcp")
    command = [SYSTEM_PYTHON, str(SCRIPT), "-p", str(target.pid), "-c", "-i", "0.2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as probe:
        assert probe.stdout is not None
        lines = [probe.stdout.readline()]  # counting has begun
        target.do(f"poll {fd} 1009 0")
        target.do(f"poll {fd} 103 1")
        probe.send_signal(signal.SIGINT)
        lines += probe.stdout.readlines()
    assert probe.returncode == 0
    records = [json.loads(line) for line in lines]
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for record in records:
        validator.validate(record)
    assert [record["type"] for record in records][0 :: len(records) - 1] == ["header", "trailer"]
    frame = next(record for record in reversed(records) if record["type"] == "frame")
    (counts,) = frame["processes"]
    assert (counts["break_polls"], counts["other_polls"]) == (1009, 103)


@pytest.mark.usefixtures("works")
def test_the_probe_ends_with_its_reader(target: StoppedTarget) -> None:
    command = [SYSTEM_PYTHON, str(SCRIPT), "-p", str(target.pid)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as probe:
        assert probe.stdout is not None
        probe.stdout.readline()
        probe.stdout.close()
        assert probe.wait(timeout=PATIENCE_S) == 0


@pytest.mark.usefixtures("root")
def test_missing_headers_are_reported_in_one_line(target: StoppedTarget) -> None:
    if bcc_probe("--check").returncode == 0:
        pytest.skip("this kernel has its headers")
    ended = bcc_probe("-p", str(target.pid))
    assert (ended.returncode, ended.stdout) == (4, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("bcc_probe: ")
    with pytest.raises(HostError, match="bcc"), BccProbe([target.pid]):
        pass


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ((), 2, "no process given"),
        (("-p", "x"), 2, "'x' is not PID"),
        (("-p", str(2**22 - 1)), 5, "no such process"),
    ],
)
def test_refusals(options: tuple[str, ...], code: int, words: str) -> None:
    ended = bcc_probe(*options)
    assert ended.returncode == code
    assert words in ended.stderr


@pytest.mark.parametrize(
    "options", [ProbeOptions(latency=True), ProbeOptions(stack_every=7), ProbeOptions(sample_hz=99)]
)
def test_options_beyond_counts_are_refused(options: ProbeOptions) -> None:
    with pytest.raises(UsageError, match="nothing else"):
        BccProbe([1], options)
