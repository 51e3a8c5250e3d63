# SPDX-License-Identifier: GPL-2.0-or-later
"""What one process's program offers: names, and frame pointers to walk by."""

from __future__ import annotations

import re

import numpy as np

from polltrace.doctor.finding import Finding, finding
from polltrace.errors import NoSuchProcessError
from polltrace.stop_at.threads import state
from stacks import AddressSpace, ElfError, ProcessError
from stacks.elf import PF_X, PT_LOAD, read_elf
from stacks.objects import LoadedObject, load_object, open_mapped
from stacks.source import ByteSource

_LOOKED_AT = 500
_SHORTEST = 16
# push %rbp; mov %rsp,%rbp, in both encodings; a compiler may move it behind a first test.
_PROLOGUE = re.compile(rb"\x55\x48(?:\x89\xe5|\x8b\xec)")
_LONGEST = 256
# Only who calls is ever walked through; compilers give a leaf no frame in any case.
_CALL = b"\xe8"
_NAMES = "functions by name in stacks and stop-at"
_WALK = "whole stacks at a break poll and on CPU"


def target(pid: int, executable: str) -> list[Finding]:
    """Symbols and frame pointers of a process; `executable` is where its /proc/PID/exe points.

    Raises NoSuchProcessError when it is gone.
    """
    if not state(pid, pid):
        raise NoSuchProcessError(f"no process {pid}")
    try:
        space = AddressSpace.of(pid)
        mapping = next(
            (m for m in space.mappings if "x" in m.permissions and m.path == executable), None
        )
        if mapping is None:
            raise ElfError("its executable is not mapped")
        source = open_mapped(pid, mapping)
    except (ElfError, ProcessError) as error:
        mend = f"sudo polltrace doctor -p {pid}"
        return [
            finding("symbols", None, str(error), _NAMES, mend),
            finding("frame pointers", None, str(error), _WALK, mend),
        ]
    loaded = load_object(source, mapping.path, (f"/proc/{pid}/root",))
    return [_symbols(loaded, executable), _frame_pointers(loaded, source)]


def _symbols(loaded: LoadedObject, executable: str) -> Finding:
    mend = f"install its debug symbols, or an executable that is not stripped: {executable}"
    code = [s for s in loaded.segments if s.type == PT_LOAD and s.flags & PF_X]
    spread = [
        np.linspace(s.address, s.address + s.file_size, _LOOKED_AT, False, dtype=np.uint64)
        for s in code
    ]
    named = loaded.table.rows(np.concatenate(spread)) >= 0 if spread else np.zeros(1, bool)
    share = float(named.mean())
    found = f"{len(loaded.table):,} functions, {100 * share:.0f} % of its code"
    return finding("symbols", share >= 0.5, found, _NAMES, mend)


def _frame_pointers(loaded: LoadedObject, source: ByteSource) -> Finding:
    looked, kept = _prologues(loaded, source)
    mend = "none for a given binary (compile with -fno-omit-frame-pointer); stop-at needs none"
    if not looked:
        return finding("frame pointers", None, "no functions to look at", _WALK, mend)
    found = f"in {kept} of {looked} functions looked at"
    return finding("frame pointers", 2 * kept >= looked, found, _WALK, mend)


def _prologues(loaded: LoadedObject, source: ByteSource) -> tuple[int, int]:
    """How many functions that call were looked at, evenly spread, and how many set one up."""
    elf = read_elf(source)
    starts = loaded.table.start
    sizes = np.minimum(np.diff(starts, append=starts[-1:]), _LONGEST)
    rows = np.flatnonzero(sizes >= _SHORTEST)
    rows = rows[:: max(1, len(rows) // _LOOKED_AT)]
    looked = kept = 0
    for address, size in zip(starts[rows].tolist(), sizes[rows].tolist(), strict=True):
        code = b""
        for segment in elf.segments:
            if segment.type == PT_LOAD and 0 <= address - segment.address < segment.file_size:
                at = address - segment.address + segment.offset
                code = source.read(at, min(size, source.size - at))
        if _CALL in code:
            looked += 1
            kept += _PROLOGUE.search(code) is not None
    return looked, kept
