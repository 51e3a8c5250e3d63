# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of one process's program: symbols, and frame pointers to walk by."""

from __future__ import annotations

import re

import numpy as np

from polltrace.doctor.prerequisite import Prerequisite, prerequisite
from polltrace.errors import NoSuchProcessError
from polltrace.stacks import AddressSpace, ElfError, ProcessError
from polltrace.stacks.elf import PF_X, PT_LOAD, read_elf
from polltrace.stacks.errors import UnansweredError
from polltrace.stacks.objects import LoadedObject, load_object, open_mapped
from polltrace.stacks.reading_process import read_within
from polltrace.stacks.source import ByteSource
from polltrace.stop_at.threads import state

# Seconds to read the symbols and the code of a program.
PATIENCE_S = 10.0
_SAMPLED = 500
_SHORTEST = 16
# push %rbp; mov %rsp,%rbp, in both encodings; a compiler may move it behind a first test.
_PROLOGUE = re.compile(rb"\x55\x48(?:\x89\xe5|\x8b\xec)")
_LONGEST = 256
# A walk passes only through callers; compilers give a leaf function no frame anyway.
_CALL = b"\xe8"
_NAMES = "functions by name in stacks and stop-at"
_WALK = "whole stacks at a break poll and on CPU"


def target(pid: int, executable: str) -> list[Prerequisite]:
    """Symbols and frame pointers of a process; `executable` is where its /proc/PID/exe points.

    Raises NoSuchProcessError when it is gone.
    """
    if not state(pid, pid):
        raise NoSuchProcessError(f"no process {pid}")
    try:
        return read_within(lambda: _examine(pid, executable), PATIENCE_S)
    except (ElfError, ProcessError, UnansweredError) as error:
        fix = f"sudo polltrace doctor -p {pid}"
        return [
            prerequisite("symbols", None, str(error), _NAMES, fix),
            prerequisite("frame pointers", None, str(error), _WALK, fix),
        ]


def _examine(pid: int, executable: str) -> list[Prerequisite]:
    space = AddressSpace.of(pid)
    mapping = next(
        (m for m in space.mappings if "x" in m.permissions and m.path == executable), None
    )
    if mapping is None:
        raise ElfError("its executable is not mapped")
    source = open_mapped(pid, mapping)
    loaded = load_object(source, mapping.path, (f"/proc/{pid}/root",))
    return [_symbols(loaded, executable), _frame_pointers(loaded, source)]


def _symbols(loaded: LoadedObject, executable: str) -> Prerequisite:
    fix = f"install its debug symbols, or an executable that is not stripped: {executable}"
    code = [s for s in loaded.segments if s.type == PT_LOAD and s.flags & PF_X]
    spread = [
        np.linspace(s.address, s.address + s.file_size, _SAMPLED, False, dtype=np.uint64)
        for s in code
    ]
    named = loaded.table.rows(np.concatenate(spread)) >= 0 if spread else np.zeros(1, bool)
    share = float(named.mean())
    detail = f"{len(loaded.table):,} functions, {100 * share:.0f} % of its code"
    return prerequisite("symbols", share >= 0.5, detail, _NAMES, fix)


def _frame_pointers(loaded: LoadedObject, source: ByteSource) -> Prerequisite:
    sampled, with_frame = _prologues(loaded, source)
    fix = "none for a given binary (compile with -fno-omit-frame-pointer); stop-at needs none"
    if not sampled:
        return prerequisite("frame pointers", None, "no functions to examine", _WALK, fix)
    detail = f"in {with_frame} of {sampled} functions examined"
    return prerequisite("frame pointers", 2 * with_frame >= sampled, detail, _WALK, fix)


def _prologues(loaded: LoadedObject, source: ByteSource) -> tuple[int, int]:
    """The number of calling functions examined, evenly spread, and of those that set up a frame."""
    elf = read_elf(source)
    starts = loaded.table.start
    sizes = np.minimum(np.diff(starts, append=starts[-1:]), _LONGEST)
    rows = np.flatnonzero(sizes >= _SHORTEST)
    rows = rows[:: max(1, len(rows) // _SAMPLED)]
    sampled = with_frame = 0
    for address, size in zip(starts[rows].tolist(), sizes[rows].tolist(), strict=True):
        code = b""
        for segment in elf.segments:
            if segment.type == PT_LOAD and 0 <= address - segment.address < segment.file_size:
                offset = address - segment.address + segment.offset
                code = source.read(offset, min(size, source.size - offset))
        if _CALL in code:
            sampled += 1
            with_frame += _PROLOGUE.search(code) is not None
    return sampled, with_frame
