# SPDX-License-Identifier: GPL-2.0-or-later
"""The ELF reader against objects of every class and byte order, and against hostile ones."""

from __future__ import annotations

import os
import random
import struct
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polltrace.stacks import ElfError
from polltrace.stacks.elf import read_elf
from polltrace.stacks.objects import load_object
from polltrace.stacks.source import BytesSource, FileSource
from polltrace.stacks.symbols import SymbolTable
from polltrace.stacks.tables import section_tables

TEXT, TEXT_SIZE = 0x1000, 0x8000


@dataclass(frozen=True)
class Function:
    start: int
    size: int
    name: str


def write_elf(functions: list[Function], bits: int = 64, order: str = "<") -> bytes:
    """A minimal object: a segment, an executable section, symbols and their names."""
    word = "Q" if bits == 64 else "I"
    names, symbols = b"\0", bytes(24 if bits == 64 else 16)
    for f in functions:
        at, names = len(names), names + f.name.encode() + b"\0"
        if bits == 64:
            symbols += struct.pack(f"{order}IBBHQQ", at, 0x12, 0, 1, f.start, f.size)
        else:
            symbols += struct.pack(f"{order}IIIBBH", at, f.start, f.size, 0x12, 0, 1)
    header_size, segment_size, section_size = (64, 56, 64) if bits == 64 else (52, 32, 40)
    symbols_at = header_size + segment_size
    names_at = symbols_at + len(symbols)
    sections_at = names_at + len(names)
    header = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2, 1]) + bytes(9)
    header += struct.pack(
        f"{order}HHI{word}{word}{word}IHHHHHH",
        3, 62, 1, 0, header_size, sections_at, 0, header_size, segment_size, 1, section_size, 4, 0,
    )  # fmt: skip
    if bits == 64:
        segment = struct.pack(f"{order}IIQQQQQQ", 1, 5, 0, TEXT, TEXT, TEXT_SIZE, TEXT_SIZE, 1)
    else:
        segment = struct.pack(f"{order}IIIIIIII", 1, 0, TEXT, TEXT, TEXT_SIZE, TEXT_SIZE, 5, 1)

    def section(*fields: int) -> bytes:
        layout = f"{order}II{word}{word}{word}{word}II{word}{word}"
        return struct.pack(layout, 0, *fields, 0, 1, 0)

    return (
        header + segment + symbols + names
        + section(0, 0, 0, 0, 0, 0)
        + section(1, 6, TEXT, 0, TEXT_SIZE, 0)
        + section(2, 0, 0, symbols_at, len(symbols), 3)
        + section(3, 0, 0, names_at, len(names), 0)
    )  # fmt: skip


FUNCTIONS = st.lists(
    st.builds(
        Function,
        st.integers(TEXT, TEXT + TEXT_SIZE - 1),
        st.one_of(st.just(0), st.integers(1, 300)),
        st.text("abcdef_", min_size=1, max_size=6),
    ),
    max_size=32,
)


def holders(functions: list[Function], address: int) -> set[str]:
    """Names that are right for an address, found the slow way: of the nearest start that holds it.

    A function of unknown size reaches to the next start, at most to the end of its section.
    """
    starts = sorted({f.start for f in functions})
    for start in reversed([s for s in starts if s <= address]):
        here = [f for f in functions if f.start == start]
        end = start + max(f.size for f in here)
        if end == start:
            end = min([s for s in starts if s > start] + [TEXT + TEXT_SIZE])
        if address < end:
            return {f.name for f in here}
    return {""}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("order", ["<", ">"])
@given(functions=FUNCTIONS, seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_lookups_agree_with_the_slow_way(
    bits: int, order: str, functions: list[Function], seed: int
) -> None:
    image = write_elf(functions, bits, order)
    table = SymbolTable(section_tables(read_elf(BytesSource(image))))
    edges = [f.start + d for f in functions for d in (-1, 0, f.size - 1, f.size)]
    chosen = random.Random(seed).choices(range(TEXT - 10, TEXT + TEXT_SIZE + 10), k=50)
    addresses = np.array([a for a in edges + chosen if a >= 0], np.uint64)
    found = table.names(table.rows(addresses)).tolist()
    for address, name in zip(addresses.tolist(), found, strict=True):
        assert name in holders(functions, address)


def test_names_in_bulk_are_the_names_one_by_one() -> None:
    odd = ["a@@V_1", ".Lmark", "$x", "ä", "tab\tname", "x" * 600, "plain.cold", "f@plt"]
    functions = [Function(TEXT + i, 1, f"name{i}") for i in range(4000)]
    functions += [Function(TEXT + 5000 + i, 1, name) for i, name in enumerate(odd)]
    image = write_elf(functions)
    bulk = SymbolTable(section_tables(read_elf(BytesSource(image))))
    single = SymbolTable(section_tables(read_elf(BytesSource(image))))
    rows = np.arange(-1, len(bulk))
    one_by_one = [single.name(int(row)) for row in rows]
    assert bulk.names(rows).tolist() == one_by_one
    assert one_by_one[:2] == ["", "name0"]
    assert one_by_one[-8:] == ["a", "", "", "ä", "tab\\x09name", "x" * 511 + "…", "plain.cold",
                               "f@plt"]  # fmt: skip


def test_aliases() -> None:
    groups = [
        (["__poll", "poll", "__GI___poll", "poll@@GLIBC_2.2.5"], "poll"),
        (["__libc_read", "__read", "read"], "read"),
        (["_exit", "_Exit"], "_exit"),
        (["f.localalias", "f"], "f"),
        (["delta", "alpha"], "alpha"),
        (["_IO_puts", "puts"], "puts"),
    ]
    functions = [
        Function(TEXT + 16 * i, 16, name) for i, (names, _) in enumerate(groups) for name in names
    ]
    for ordered in (functions, functions[::-1]):
        table = SymbolTable(section_tables(read_elf(BytesSource(write_elf(ordered)))))
        assert [table.name(i) for i in range(len(groups))] == [best for _, best in groups]


def exercise(image: bytes) -> None:
    """All that is done with an object found in a process; must not raise."""
    loaded = load_object(BytesSource(image), "/nowhere/object", ())
    offsets = np.arange(0, len(image) + 4096, 97).astype(np.uint64)
    rows = loaded.table.rows(loaded.virtual(offsets))
    assert all(isinstance(name, str) for name in loaded.table.names(rows))
    for row in range(min(len(loaded.table), 50)):
        assert loaded.table.name(row).isprintable()


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_any_bytes(data: bytes) -> None:
    exercise(data)
    exercise(b"\x7fELF\x02\x01\x01" + data)


@given(
    st.lists(st.tuples(st.integers(0, 1023), st.integers(0, 255)), min_size=1, max_size=6),
    st.sampled_from([32, 64]),
    st.sampled_from(["<", ">"]),
)
@settings(max_examples=200, deadline=None)
def test_flipped_bytes(flips: list[tuple[int, int]], bits: int, order: str) -> None:
    functions = [Function(TEXT + 32 * i, 30, f"f{i}") for i in range(12)]
    image = bytearray(write_elf(functions, bits, order))
    for at, value in flips:
        image[at % len(image)] = value
    exercise(bytes(image))


@pytest.fixture(scope="module")
def real_images(build: Callable[..., Path]) -> list[bytes]:
    return [
        build("chain").read_bytes(),
        build("chain", "-rdynamic", "-s", "-Wl,--hash-style=gnu").read_bytes(),
        build("chain", "-rdynamic", "-s", "-Wl,--hash-style=sysv").read_bytes(),
    ]


def places_that_matter(image: bytes) -> list[int]:
    """Bytes of headers, section headers, dynamic section, notes and symbols."""
    elf = read_elf(BytesSource(image))
    sections_at = struct.unpack_from("<Q", image, 0x28)[0]
    spans = [(0, 64 + 56 * len(elf.segments)), (sections_at, len(image) - sections_at)]
    spans += [(s.offset, s.file_size) for s in elf.segments if s.type in (2, 4)]
    spans += [(s.offset, min(s.size, 2000)) for s in elf.sections if s.type in (2, 3, 5, 11)]
    spans += [(s.offset, s.size) for s in elf.sections if s.name == ".gnu.hash"]
    return [at for start, size in spans for at in range(start, start + size) if at < len(image)]


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("sections", ["kept", "dropped"])
def test_damaged_real_objects(real_images: list[bytes], which: int, sections: str) -> None:
    """A thousand damaged copies, always the same ones; bit flips where they can hurt, and cuts."""
    image = real_images[which]
    where = places_that_matter(image)
    dice = random.Random(which)
    for _ in range(250):
        damaged = bytearray(image)
        if sections == "dropped":
            damaged[0x28:0x30] = bytes(8)
        for _ in range(dice.choice((1, 1, 2, 5, 20))):
            damaged[dice.choice(where)] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
        if dice.random() < 0.2:
            del damaged[dice.randrange(len(damaged)) :]
        exercise(bytes(damaged))


def sparse(path: Path, image: bytes, size: int) -> FileSource:
    """A file that claims to be huge and takes no room."""
    path.write_bytes(image)
    with path.open("r+b") as file:
        file.truncate(size)
    return FileSource(str(path))


def patched(image: bytes, at: int, layout: str, *values: int) -> bytes:
    changed = bytearray(image)
    struct.pack_into(layout, changed, at, *values)
    return bytes(changed)


def test_huge_tables_cost_neither_memory_nor_time(tmp_path: Path) -> None:
    """Sparse files of 64 GiB whose headers promise as much."""
    image = write_elf([Function(TEXT, 16, "f")])
    sections_at = len(image) - 4 * 64
    size = 1 << 36
    hostile = {
        "symbols": patched(image, sections_at + 2 * 64 + 0x20, "<Q", size - 4096),
        "names": patched(image, sections_at + 3 * 64 + 0x20, "<Q", size - 4096),
        "sections": patched(patched(image, 0x3C, "<H", 0), sections_at + 0x20, "<Q", 1 << 29),
        "segments": patched(image, 0x38, "<H", 0xFFFF),
    }
    for name, content in hostile.items():
        source = sparse(tmp_path / name, content, size)
        tracemalloc.start()
        begin = time.process_time()
        loaded = load_object(source, "/nowhere", ())
        loaded.table.names(np.arange(-1, len(loaded.table)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 16 << 20, name
        assert time.process_time() - begin < 5, name
        source.close()


def test_as_many_symbols_as_are_allowed_stay_in_bounds(tmp_path: Path) -> None:
    """Two million zeroed entries: skipped, in memory for a moment only."""
    image = write_elf([])
    sections_at = len(image) - 4 * 64
    content = patched(image, sections_at + 2 * 64 + 0x18, "<QQ", 4096, 24 << 21)
    source = sparse(tmp_path / "many", content, 1 << 30)
    assert len(load_object(source, "/nowhere", ()).table) == 0
    source.close()


def test_file_cut_while_it_is_read(tmp_path: Path) -> None:
    """The owner may truncate a file at any time: an error, and no signal."""
    path = tmp_path / "object"
    path.write_bytes(write_elf([Function(TEXT, 16, "f")]))
    source = FileSource(str(path))
    path.write_bytes(b"\x7fELF")
    with pytest.raises(ElfError, match="became shorter"):
        read_elf(source)
    source.close()


def test_a_file_that_is_not_regular_is_never_opened(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path in (fifo, tmp_path, Path("/dev/null")):
        with pytest.raises(ElfError, match="not a regular file"):
            FileSource(str(path))
