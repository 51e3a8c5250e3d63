# SPDX-License-Identifier: GPL-2.0-or-later
"""An executable of a database server's size, for the bench: built and run on the spot."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIXES = ("kcb", "kdst", "opi", "qer", "kgl", "ksl", "nsmore", "kkq", "ktsp", "pevm")
# Writes a byte as a sign of readiness, waits for the end of its input, and exits.
START = """
.globl _start
.type _start, @function
_start: lea -8(%rsp), %rsi
 mov $1, %edi
 mov $1, %edx
 mov $1, %eax
 syscall
 xor %edi, %edi
 xor %eax, %eax
 syscall
 mov $60, %eax
 xor %edi, %edi
 syscall
.size _start, .-_start
"""


def build(directory: Path, symbols: int, megabytes: int) -> Path:
    """An executable with that many functions, names and sizes like those of a large server."""
    size = max(16, megabytes * 1_000_000 // symbols)
    source, object_file, program = (directory / n for n in ("big.s", "big.o", "big"))
    with source.open("w") as file:
        file.write(f".text\n{START}")
        for i in range(symbols):
            name = f"{PREFIXES[i % len(PREFIXES)]}_{i * 2654435761 % 2**32:08x}_{i}"
            visible = f".globl {name}\n" if i % 3 else ""
            file.write(f"{visible}.type {name},@function\n{name}: ret\n")
            file.write(f".skip {size - 1 + i % 7}\n.size {name},.-{name}\n")
    subprocess.run(["as", "-o", object_file, source], check=True)
    subprocess.run(["ld", "-o", program, object_file], check=True)
    source.unlink()
    object_file.unlink()
    return program


@contextmanager
def running(program: Path) -> Iterator[int]:
    """The process id of the program, which ends with the block."""
    child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.read(1)
        yield child.pid
    finally:
        child.communicate()
