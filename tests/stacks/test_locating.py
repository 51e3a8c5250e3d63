# SPDX-License-Identifier: GPL-2.0-or-later
"""A function's offset in a file, by its name."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from polltrace.stacks.errors import ProcessError
from polltrace.stacks.locating import locate_function

SOURCE = """
#include <unistd.h>
static __attribute__((noinline, noclone)) int sought(int n) { __asm__ volatile(""); return n + 1; }
int main(int n, char **v) { (void)v; return write(1, "r", 1) != 1 || pause() || sought(n); }
"""


def built(directory: Path, *flags: str) -> Path:
    (directory / "sought.c").write_text(SOURCE)
    program = directory / "sought"
    subprocess.run(["gcc", "-O1", *flags, "-o", program, directory / "sought.c"], check=True)
    return program


@contextmanager
def running(program: Path) -> Iterator[int]:
    """The PID of a process that is in its main()."""
    with subprocess.Popen([program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.mark.parametrize("flags", [(), ("-no-pie",), ("-static",)])
def test_the_first_instruction_of_a_function(tmp_path: Path, flags: tuple[str, ...]) -> None:
    program = built(tmp_path, *flags)
    listed = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", "-F", "--disassemble=sought", program],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    # <sought> (File Offset: 0x1139):
    offset = int(listed.partition("<sought> (File Offset: ")[2].partition(")")[0], 16)
    with running(program) as pid:
        found = locate_function(pid, "sought")
        assert found is not None
        assert found.offset == offset
        assert Path(found.path).samefile(program)
        assert locate_function(pid, "nobody_has_this") is None


def test_a_stripped_program_has_no_such_name(tmp_path: Path) -> None:
    with running(built(tmp_path, "-s")) as pid:
        assert locate_function(pid, "sought") is None


def test_a_process_that_is_gone() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert not os.path.lexists(f"/proc/{process.pid}")
    with pytest.raises(ProcessError):
        locate_function(process.pid, "sought")
