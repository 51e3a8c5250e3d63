# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of code that was made at run time, by the map that its compiler writes for perf."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polltrace.stacks import Symbolizer, jitmap, objectstore
from polltrace.stacks.errors import ElfError
from polltrace.stacks.jitmap import parse_map
from polltrace.stacks.symbols import SymbolTable
from tests.waiting import until

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


def test_node(tmp_path: Path) -> None:
    """A function of a script, by its own compiler's map."""
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed")
    script = tmp_path / "script.js"
    script.write_text("function spins() { while (true) Math.random(); }\nspins();\n")
    with subprocess.Popen([node, "--perf-basic-prof", script]) as process:
        path = Path(f"/tmp/perf-{process.pid}.map")
        try:
            # Optimized; before that the map has bytecode, which lies in data.
            until(lambda: path.exists() and "JS:*spins" in path.read_text())
            rows = [line.split(" ", 2) for line in path.read_text().splitlines()]
            address = next(int(row[0], 16) for row in rows if row[2].startswith("JS:*spins"))
            found = names(process.pid, address + 1)
        finally:
            process.kill()
            path.unlink(missing_ok=True)
    assert "spins" in found[0]
