# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of every version that each format has had: this release reads them, or refuses clearly.

`files/FORMAT-VERSION` is one of that version, as its release wrote it. Whoever raises a version
adds a file, and keeps the others.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from polltrace.file_reports import file_format, file_report
from polltrace.recording.header import FORMAT as RECORDING
from polltrace.recording.header import VERSION as RECORDING_VERSION
from polltrace.scenarios.analyse.run_file import FORMAT as RUN
from polltrace.scenarios.analyse.run_file import VERSION as RUN_VERSION
from polltrace.scenarios.load.load_file import FORMAT as LOAD
from polltrace.scenarios.load.load_file import VERSION as LOAD_VERSION
from tests.conftest import Run

FILES = Path(__file__).parent / "files"
VERSIONS = {RECORDING: RECORDING_VERSION, RUN: RUN_VERSION, LOAD: LOAD_VERSION}
# What the reports of these files say, whichever version they are of.
WORDS = {
    RECORDING: "of the 0.90 that are used",
    RUN: "in-band: 1.103 ± 0.005 times the elapsed time of out-of-band.",
    LOAD: "100.0 a second",
}
EACH = [(name, version) for name, last in VERSIONS.items() for version in range(1, last + 1)]


def file_of(name: str, version: int) -> Path:
    return FILES / f"{name}-{version}"


def test_there_is_a_file_of_each_version_and_no_other() -> None:
    assert {each.name for each in FILES.iterdir()} == {f"{name}-{number}" for name, number in EACH}


@pytest.mark.parametrize(("name", "version"), EACH)
def test_it_is_of_that_version(name: str, version: int) -> None:
    content = file_of(name, version).read_bytes()
    if content.startswith(b"\x28\xb5\x2f\xfd"):
        content = zstandard.ZstdDecompressor().decompressobj().decompress(content)
    first = json.loads(content.partition(b"\n")[0])
    assert (first["format"], first["version"]) == (name, version)


@pytest.mark.parametrize(("name", "version"), EACH)
def test_it_is_read(name: str, version: int) -> None:
    path = file_of(name, version)
    assert file_format(path) == name
    report = file_report(path)
    assert WORDS[name] in report.text()
    json.dumps(report.data())
    assert report.html().rstrip().endswith("</html>")


@pytest.mark.parametrize("name", VERSIONS)
def test_a_newer_one_is_refused_in_a_line(run: Run, tmp_path: Path, name: str) -> None:
    newer = VERSIONS[name] + 1
    path = tmp_path / "newer"
    line = json.dumps({"format": name, "version": newer, "polltrace": "9.9"}).encode() + b"\n"
    path.write_bytes(zstandard.compress(line) if name == RECORDING else line)
    ended = run("report", str(path))
    assert (ended.returncode, ended.stdout) == (8, "")
    (message,) = ended.stderr.splitlines()
    assert f"of version {newer}" in message
    assert f"{VERSIONS[name]}" in message.rpartition("reads")[2]
