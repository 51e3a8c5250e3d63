# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory stays bounded whatever is read. POLLTRACE_LINE_GIB and POLLTRACE_FILES make the inputs as
large as `make soak` has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

import pytest

from polltrace.sqltrace.accounting import remarks
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.scanner import TraceScan
from tests.conftest import POLLTRACE
from tests.sqltrace.test_command import TRACE
from tests.sqltrace.traces import wait

LINE_BYTES = round(float(os.environ.get("POLLTRACE_LINE_GIB", "0.5")) * (1 << 30))
FILES = int(os.environ.get("POLLTRACE_FILES", "3000"))
# Prints what polltrace does, and as a last line of stderr the most memory that it had.
_MEASURED = (
    "import resource, subprocess, sys; "
    "code = subprocess.run(sys.argv[1:]).returncode; "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=sys.stderr); "
    "sys.exit(code)"
)


class Measured:
    """A run of polltrace trace: its data, its messages, and the MiB that it had at most."""

    def __init__(self, *words: str, feed: Any = None) -> None:
        self._feed = feed
        with subprocess.Popen(
            [sys.executable, "-c", _MEASURED, POLLTRACE, "trace", "--json", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdin
            writer = threading.Thread(target=self._write, args=(process.stdin,))
            writer.start()
            assert process.stdout
            assert process.stderr
            self.data = json.loads(process.stdout.read() or "null")
            *self.messages, last = process.stderr.read().decode().splitlines()
            writer.join()
        self.mib = int(last)

    def _write(self, to: IO[bytes]) -> None:
        with to:
            if self._feed:
                self._feed(to)


def test_a_line_of_gigabytes_takes_no_more_memory_than_a_short_one() -> None:
    part = b"x" * (1 << 20)

    def long_line(to: IO[bytes]) -> None:
        to.write(TRACE.encode() + b"WAIT #5: nam='")
        for _ in range(LINE_BYTES // len(part)):
            to.write(part)
        to.write(b"\n" + TRACE.encode())

    short = Measured("-", feed=lambda to: to.write(2 * TRACE.encode()))
    found = Measured("-", feed=long_line)
    assert found.data["total"] == short.data["total"]
    assert found.data["not_understood"] == {"(line too long)": 1}
    assert "polltrace: 1 lines were not understood: (line too long) 1" in found.messages
    # The longest line that is read, its copy as the buffer grows, and the allocators' slack.
    assert found.mib < short.mib + 128


def test_many_empty_files_take_little_memory_each(tmp_path: Path) -> None:
    few = tmp_path / "few"
    many = tmp_path / "many"
    for folder, count in ((few, 10), (many, FILES)):
        folder.mkdir()
        for i in range(count):
            (folder / f"{i:06}.trc").touch()
    (small, large) = (Measured(str(folder)) for folder in (few, many))
    assert small.messages == large.messages == ["polltrace: no calls match"]
    assert large.mib < small.mib + 32 + FILES // 250


@pytest.mark.parametrize(("change", "calls"), [("grew", 400_000), ("shrank", 0), ("", 400_000)])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, change: str, calls: int) -> None:
    path = tmp_path / "a.trc"
    line = wait(5, "x", 1, 1000)
    path.write_text(400_000 * line)
    found = TraceScan([str(path)], ScanOptions(("name",)), threads=1)
    batches = found.batches()
    # The queue holds two more batches of 25,000 rows, so most of the file is not read yet.
    rows = next(batches).num_rows
    with path.open("a") as more:
        if change == "grew":
            more.write(100 * line)
        if change == "shrank":
            more.truncate(0)
    rows += sum(each.num_rows for each in batches)
    assert rows == calls if calls else rows < 400_000
    assert [each.change for each in found.summaries] == [change]
    said = [each for each in remarks(found.summaries) if "while it was read" in each]
    assert [each.startswith(f"{path}: {change} while") for each in said] == [True] * bool(change)
