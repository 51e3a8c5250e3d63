# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of code that was made at run time, by the map that its compiler writes for perf."""

from __future__ import annotations

import contextlib
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polltrace.stacks import Symbolizer, jitdump, jitmap, objectstore
from polltrace.stacks.errors import ElfError
from polltrace.stacks.jitdump import parse_dump
from polltrace.stacks.jitmap import parse_map
from polltrace.stacks.source import BytesSource
from polltrace.stacks.symbols import RawSymbols, SymbolTable
from tests.waiting import PATIENCE_S, until

# Makes executable memory, prints its address, and waits.
COMPILER = """
import ctypes, mmap, sys
code = mmap.mmap(-1, 8192, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
print(hex(ctypes.addressof(ctypes.c_char.from_buffer(code))), flush=True)
sys.stdin.read()
"""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file away")


@pytest.fixture
def compiler(run: Callable[..., Any]) -> Iterator[tuple[int, int, Path]]:
    """A process with memory for code: its PID, the address of the memory, and its map's path."""
    running = run(sys.executable, "-c", COMPILER)
    path = Path(f"/tmp/perf-{running.pid}.map")
    yield running.pid, running.addresses[0], path
    path.unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objectstore, "RELOAD_S", 0.0)


def names(pid: int, *addresses: int) -> list[str]:
    return [frame.name for frame in Symbolizer().user(pid, addresses)]


def test_functions_of_the_map(compiler: tuple[int, int, Path]) -> None:
    pid, start, path = compiler
    path.write_text(f"{start:x} 20 first function\n{start + 0x20:#x} 0x10 second\nnonsense\n")
    assert names(pid, start) == ["first function"]
    frames = Symbolizer().user(pid, [start + 0x1F, start + 0x20, start + 0x2F])
    assert [(frame.name, frame.offset) for frame in frames] == [
        ("first function", 0x1F),
        ("first function", 0x20),  # a return address: the byte before counts
        ("second", 0xF),
    ]
    assert {frame.module for frame in frames} == {"[anonymous]"}
    (outside,) = Symbolizer().user(pid, [start + 0x30])
    assert not outside.named


def test_a_map_that_grows_is_read_again(compiler: tuple[int, int, Path]) -> None:
    pid, start, path = compiler
    symbolizer = Symbolizer()
    path.write_text(f"{start:x} 10 old\n")
    assert [frame.name for frame in symbolizer.user(pid, [start])] == ["old"]
    with path.open("a") as file:
        file.write(f"{start + 0x10:x} 10 added\n")
    assert [frame.name for frame in symbolizer.user(pid, [start + 0x10])] == ["added"]


def test_the_newest_function_at_an_address_counts() -> None:
    table = SymbolTable([parse_map(b"1000 10 old\n2000 10 other\n1000 20 new\n")])
    assert [table.name(row) for row in range(len(table))] == ["new", "other"]


@pytest.mark.parametrize(
    "line", [b"", b"10 zz f\n", b"\n\n", b"1 2\n", b"-1 2 f\n", b"\xff\0 1 f\n"]
)
def test_lines_that_are_none_are_left_out(line: bytes) -> None:
    assert len(SymbolTable([parse_map(line)])) == 0


def test_a_name_is_made_printable() -> None:
    table = SymbolTable([parse_map(b"1000 10 \x1b[31mred\n")])
    assert table.name(0) == "\\x1b[31mred"


def _of_another(path: Path) -> None:
    os.chown(path, 65534, 65534)


def _linked(path: Path) -> None:
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))


@pytest.mark.parametrize(
    "spoil",
    [pytest.param(_of_another, marks=needs_root), lambda path: path.chmod(0o666), _linked],
    ids=["of another user", "written by anyone", "a link"],
)
def test_a_map_that_somebody_else_may_have_written_is_not_read(
    spoil: Callable[[Path], None], compiler: tuple[int, int, Path]
) -> None:
    pid, start, path = compiler
    path.write_text(f"{start:x} 10 forged\n")
    assert names(pid, start) == ["forged"]
    spoil(path)
    try:
        (name,) = names(pid, start)
    finally:
        path.with_suffix(".moved").unlink(missing_ok=True)
    assert name.startswith("[anonymous+")


def test_a_pipe_in_its_place_does_not_block(compiler: tuple[int, int, Path]) -> None:
    pid, start, path = compiler
    os.mkfifo(path)
    assert names(pid, start)[0].startswith("[anonymous+")


def test_a_map_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jitmap, "MOST_FUNCTIONS", 10)
    lines = b"".join(b"%x 10 f\n" % (4096 * n) for n in range(1, 11))
    assert len(SymbolTable([parse_map(lines)])) == 10
    with pytest.raises(ElfError, match="more than 10 functions"):
        parse_map(lines + b"f0000 10 f\n")


SPINNING = """
function spins(n) { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i); return sum; }
const end = Date.now() + Number(process.argv[2]);
while (Date.now() < end) spins(1e5);
"""


@pytest.fixture
def node(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Start node with an option, on a script that runs one function for some milliseconds."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed")
    script = tmp_path / "script.js"
    script.write_text(SPINNING)

    def start(option: str, milliseconds: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen([program, option, script, str(milliseconds)], cwd=tmp_path)

    return start


def test_a_function_of_node_by_its_map(node: Callable[..., subprocess.Popen[bytes]]) -> None:
    with node("--perf-basic-prof", 1_000_000) as process:
        path = Path(f"/tmp/perf-{process.pid}.map")
        try:
            # Optimized; before that the map has bytecode, which lies in data.
            until(lambda: path.exists() and "JS:*spins" in path.read_text())
            rows = [line.split(" ", 2) for line in path.read_text().splitlines()]
            address = next(int(row[0], 16) for row in rows if row[2].startswith("JS:*spins"))
            (name,) = names(process.pid, address + 1)
        finally:
            process.kill()
            path.unlink(missing_ok=True)
    assert name.startswith("JS:*spins")


def test_a_dump_that_node_wrote(
    node: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """It writes two megabytes at once, or at its end."""
    process = node("--perf-prof", 500)
    assert process.wait(PATIENCE_S) == 0
    table = SymbolTable([_dump((tmp_path / f"jit-{process.pid}.dump").read_bytes())])
    functions = {table.name(row) for row in range(len(table))}
    assert any(name.startswith("JS:*spins") for name in functions)
    assert len(functions) > 100


# Makes executable memory, writes a jitdump file with the given records, and maps its first page.
DUMPING = """
import ctypes, mmap, os, sys
code = mmap.mmap(-1, 8192, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
image = bytes.fromhex(sys.argv[1]).replace(bytes(range(8)), address.to_bytes(8, "little"))
file = open(f"jit-{os.getpid()}.dump", "wb+")
file.write(image)
file.flush()
marker = mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
print(hex(address), flush=True)
sys.stdin.read()
"""


def test_a_function_by_the_dump_that_its_process_maps(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    place = int.from_bytes(bytes(range(8)), "little")
    record = loaded(place, 8000, b"made at run time")  # longer than the page that is mapped
    running = run(sys.executable, "-c", DUMPING, dump(record).hex(), cwd=tmp_path)
    (address,) = running.addresses
    (frame,) = Symbolizer().user(running.pid, [address + 5])
    assert (frame.name, frame.offset) == ("made at run time", 5)


def _dump(data: bytes) -> RawSymbols:
    return parse_dump(BytesSource(data))


def dump(*records: bytes) -> bytes:
    """A jitdump file, by its specification."""
    header = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 7, 0, 0)
    framed = (struct.pack("<IIQ", r[0], 15 + len(r), 0) + r[1:] for r in records)
    return header + b"".join(framed)


def loaded(address: int, size: int, name: bytes) -> bytes:
    fields = struct.pack("<IIQQQQ", 7, 7, address, address, size, 1)
    return b"\0" + fields + name + b"\0" + bytes(size)


def test_a_dump_with_functions_that_were_replaced_and_moved() -> None:
    moved = b"\1" + struct.pack("<IIQQQQ", 7, 7, 0x2000, 0x2000, 0x3000, 16) + bytes(8)
    image = dump(
        loaded(0x1000, 16, b"old"), loaded(0x2000, 16, b"moves"), loaded(0x1000, 32, b"new"), moved
    )
    table = SymbolTable([_dump(image)])
    rows = {int(table.start[row]): table.name(row) for row in range(len(table))}
    assert rows == {0x1000: "new", 0x3000: "moves"}
    # AND a record that is being written is left out
    assert len(SymbolTable([_dump(image + image[40:90])])) == 2


@pytest.mark.parametrize("length", range(0, 120, 7))
def test_a_damaged_dump_is_an_error_or_has_fewer_functions(length: int) -> None:
    image = dump(loaded(0x1000, 16, b"f"), loaded(0x2000, 16, b"g"))
    for value in (0, 1, 0x7FFFFFFF, 0xFFFFFFFF):
        damaged = image[:length] + value.to_bytes(4, "little") + image[length + 4 :]
        for data in (damaged, image[:length]):
            with contextlib.suppress(ElfError):
                assert len(_dump(data).start) <= 2


def test_a_dump_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jitdump, "MOST_RECORDS", 10)
    functions = [loaded(0x1000 * n, 16, b"f") for n in range(1, 11)]
    assert len(_dump(dump(*functions[:9])).start) == 9
    with pytest.raises(ElfError, match="more than 10 records"):
        _dump(dump(*functions, *functions))
