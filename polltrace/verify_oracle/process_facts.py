# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts of a server process that its program and its descriptors show."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from polltrace.stacks import AddressSpace, ElfError
from polltrace.stacks.elf import PT_LOAD
from polltrace.stacks.locating import PATIENCE_S, locate_function
from polltrace.stacks.objects import load_object, open_mapped
from polltrace.stacks.reading_process import read_within
from polltrace.verify_oracle.observations import Beginning, FunctionFacts

_SYS_PIDFD_GETFD = 438
_ENDBR64 = b"\xf3\x0f\x1e\xfa"
_NO_OPS = (b"\x66\x90", b"\x8b\xff", b"\x90\x90")
# push %rbp; mov %rsp,%rbp, in both encodings. A compiler may put others between them.
_FRAME = re.compile(rb"\x55.{0,16}?\x48(?:\x89\xe5|\x8b\xec)", re.DOTALL)
# A compiler may set up the frame behind a first test, but soon.
_MOST_BYTES = 256


def function_facts(pid: int, chain: Sequence[Sequence[str]]) -> dict[str, FunctionFacts | None]:
    """Facts of each step of the chain by the first of its names that the program has; a step of
    which it has none is None by all its names."""
    facts: dict[str, FunctionFacts | None] = {}
    for names in chain:
        for name in names:
            place = locate_function(pid, name)
            if place is not None:
                size = read_within(partial(_function_size, pid, place.offset), PATIENCE_S)
                with open(place.path, "rb") as file:
                    file.seek(place.offset)
                    facts[name] = facts_of_code(file.read(min(size, _MOST_BYTES)))
                break
        else:
            facts[" or ".join(names)] = None
    return facts


def _function_size(pid: int, offset: int) -> int:
    """Bytes from the function at `offset` of the process's program to the next one."""
    executable = os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)")
    mappings = AddressSpace.of(pid).mappings
    mapping = next(m for m in mappings if "x" in m.permissions and m.path == executable)
    loaded = load_object(open_mapped(pid, mapping), executable, (f"/proc/{pid}/root",))
    for segment in loaded.segments:
        if segment.type == PT_LOAD and 0 <= offset - segment.offset < segment.file_size:
            address = offset - segment.offset + segment.address
            starts = loaded.table.start
            following = int(np.searchsorted(starts, address, side="right"))
            return int(starts[following]) - address if following < len(starts) else _MOST_BYTES
    raise ElfError("the function is in no segment of the program")


def facts_of_code(code: bytes) -> FunctionFacts:
    """The facts of a function that begins with `code`."""
    if code.startswith(_NO_OPS):
        beginning = Beginning.NO_OP
    elif code.startswith(_ENDBR64):
        beginning = Beginning.ENDBR64
    elif code.startswith(b"\x55"):
        beginning = Beginning.PUSH
    else:
        beginning = Beginning.OTHER
    return FunctionFacts(beginning, _FRAME.search(code) is not None)


def owns_sockets(pid: int) -> bool | None:
    """True if the process has asked for the signals of one of its sockets; None where its
    descriptors cannot be duplicated. Nothing of the process is changed."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return None
    has_read = False
    try:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if not os.readlink(link).startswith("socket:"):
                    continue
                duplicate = libc.syscall(_SYS_PIDFD_GETFD, pidfd, int(link.name), 0)
                if duplicate < 0:
                    continue
                try:
                    has_read = True
                    if fcntl.fcntl(duplicate, fcntl.F_GETOWN) == pid:
                        return True
                finally:
                    os.close(duplicate)
    except OSError:
        return None
    finally:
        os.close(pidfd)
    return False if has_read else None
