# SPDX-License-Identifier: GPL-2.0-or-later
"""Large files are mapped: their calls are those that reading gives, whatever becomes of a file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from polltrace.sqltrace.blocks import LONGEST_LINE, BlockReader
from polltrace.sqltrace.counted_calls import CountedCalls, counted_rows
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.inputs import TraceInput
from polltrace.sqltrace.parallel_scan import ParallelScan
from polltrace.sqltrace.scanner import TraceScan
from polltrace.sqltrace.window import Window
from tests.conftest import POLLTRACE
from tests.sqltrace.test_blocks import MIXED
from tests.sqltrace.traces import call, scan, wait

COLUMNS = ("line", "byte_offset", "name", "dur_us", "tim_us", "sqlid", "dep")
TIMES = 4000
# Some of its windows begin in the middle of binds, of a text, and of a page.
LARGE = (
    "".join(f"{MIXED}{call('FETCH', 5, c=i, e=i, tim=3000 + i)}" for i in range(TIMES)).encode()
    + b"WAIT " + b"x" * (2 * LONGEST_LINE) + b"\n"
    + MIXED.encode() * TIMES + b"FETCH #5:c=1,e=2,dep=0,t"
)  # fmt: skip


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("large") / "a.trc"
    path.write_bytes(LARGE)
    return str(path)


@pytest.mark.parametrize("threads", [1, 3])
def test_mapped_windows_give_the_same_calls_as_reading(large: str, threads: int) -> None:
    expected, of_expected = scan(LARGE, COLUMNS)
    found = TraceScan([large], ScanOptions(COLUMNS), threads)
    table = found.reader().read_all().sort_by("line")
    assert table.to_pydict() == expected.to_pydict()
    (summary,) = found.summaries
    assert summary.not_understood == of_expected.not_understood
    assert summary.not_understood["(line too long)"] == summary.not_understood["(cut line)"] == 1
    assert (summary.bytes, summary.lines) == (len(LARGE), of_expected.lines)
    counted = CountedCalls()
    for each in ParallelScan(
        [large], ScanOptions((), counted=True), counted_rows, threads
    ).batches():
        counted.add(each)
    assert sum(times for *_, times in counted.rows()) == expected.num_rows


def test_standard_input_at_an_offset(tmp_path: Path) -> None:
    path, line = tmp_path / "a.trc", wait(5, "x", 1, 1000)
    path.write_text(100_000 * line)
    with path.open("rb", buffering=0) as file:
        file.seek(10 * len(line))
        words = [POLLTRACE, "trace", "--json", "-"]
        found = subprocess.run(words, stdin=file, capture_output=True, check=True)
    assert json.loads(found.stdout)["total"]["calls"] == 100_000 - 10
    assert found.stderr == b""


@pytest.mark.parametrize("left", [0, 70_000, 300_000])
def test_a_file_that_shrinks_is_read_up_to_its_end(tmp_path: Path, left: int) -> None:
    path, line = tmp_path / "a.trc", wait(5, "x", 1, 1000).encode()
    path.write_bytes(100_000 * line)
    file, window = TraceInput(str(path)), Window()
    reader = BlockReader(file)
    parts = []
    for _ in range(2):  # the second window is of a megabyte
        block = reader.next(lambda: 0, window)
        assert block
        assert block.data is window
        parts.append(block)
    os.truncate(path, parts[0].length + left)
    assert window.is_torn()
    rest = reader.read_torn(parts[1])
    assert rest.length == left // len(line) * len(line)
    assert reader.cut == left % len(line)
    assert file.change() == "shrank"
    file.close()


_LOSES = """
import mmap, os, signal, sys
from polltrace.sqltrace.window import Window
path = sys.argv[1]
with open(path, "r+b") as file:
    window, other = Window(), mmap.mmap(file.fileno(), 0)
    assert window.move(file.fileno(), 0, 8192) == 8192
    os.truncate(path, 0)
    if sys.argv[2] == "ours":
        import ctypes
        assert ctypes.string_at(window.address, 8192) == bytes(8192)
        assert window.is_torn()
    elif sys.argv[2] == "sent":
        os.kill(os.getpid(), signal.SIGBUS)
    else:
        other[0]
    print("went on")
"""


@pytest.mark.parametrize(
    ("who", "code"), [("ours", 0), ("other", -signal.SIGBUS), ("sent", -signal.SIGBUS)]
)
def test_only_lost_pages_of_windows_become_zeros(tmp_path: Path, who: str, code: int) -> None:
    path = tmp_path / "a.trc"
    path.write_bytes(b"\n" * 8192)
    words = [sys.executable, "-c", _LOSES, str(path), who]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    assert found.returncode == code, found.stderr
    assert found.stdout == ("went on\n" if code == 0 else "")
