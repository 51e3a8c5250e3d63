# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of a stripped Go program against nm of the same program with its symbols."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.stacks import Symbolizer
from polltrace.stacks.elf import read_elf
from polltrace.stacks.errors import ElfError
from polltrace.stacks.gopclntab import go_table
from polltrace.stacks.objects import load_object
from polltrace.stacks.source import BytesSource, FileSource
from tests.stacks.conftest import TARGETS


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same program with its symbols, and stripped."""
    if (go := shutil.which("go")) is None:
        pytest.skip("go is not installed")
    folder = tmp_path_factory.mktemp("go")
    paths = folder / "full", folder / "stripped"
    for path, flags in zip(paths, ("", "-s -w"), strict=True):
        source = TARGETS / "goroutine.go"
        subprocess.run([go, "build", "-ldflags", flags, "-o", path, source], check=True)
    return paths


def test_every_function_that_nm_lists_has_its_name(programs: tuple[Path, Path]) -> None:
    full, stripped = programs
    listed = subprocess.run(["nm", full], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    # The linker's own marks, and its suffix for the calling convention of assembler code.
    truth = {
        int(row[0], 16): row[2].removesuffix(".abi0")
        for row in rows
        if len(row) == 3 and row[1] in "tT" and row[2] not in ("runtime.text", "runtime.etext")
    }
    table = load_object(FileSource(str(stripped)), str(stripped), ()).table
    # The linker writes a dot for the middle dot of a generated name.
    names = {int(table.start[i]): table.name(i).replace("·", ".") for i in range(len(table))}
    assert len(truth) > 1000
    assert {a: (names.get(a), name) for a, name in truth.items() if names.get(a) != name} == {}


def test_a_goroutine_of_a_stripped_program(
    programs: tuple[Path, Path], run: Callable[..., Any]
) -> None:
    running = run(programs[1])
    frames = Symbolizer().user(running.pid, running.addresses)
    assert [frame.name for frame in frames] == ["main.walks", "runtime.goexit"]


def test_a_malformed_table_is_an_error_or_has_other_names(programs: tuple[Path, Path]) -> None:
    image = programs[1].read_bytes()
    section = read_elf(BytesSource(image)).section(".gopclntab")
    assert section is not None
    for field in range(0, 72, 4):
        for value in (0, 1, 0x7FFFFFFF, 0xFFFFFFFF):
            at = section.offset + field
            damaged = image[:at] + value.to_bytes(4, "little") + image[at + 4 :]
            try:
                tables = go_table(read_elf(BytesSource(damaged)))
            except ElfError:
                continue
            assert len(tables) <= 1
            for table in tables:
                assert len(table.start) == len(table.end) == len(table.name)
                assert all(isinstance(table.names.at(int(i)), bytes) for i in table.name[:50])
