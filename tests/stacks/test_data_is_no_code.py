# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses outside of code, to which a walk that went astray leads, never become functions."""

from __future__ import annotations

import ctypes
import mmap
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.recording.names import RecordedNames, symbols_data
from polltrace.stacks import AddressSpace, Frame, Symbolizer, symbolizer

PROT_READ_WRITE, PROT_READ_EXEC = 3, 5


def symbols(target: Path) -> dict[str, int]:
    listed = subprocess.run(["nm", target], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


def test_variables_have_no_frames(build: Callable[..., Path], run: Callable[..., Any]) -> None:
    """nm lists them next to the functions; gdb names them as well."""
    target = build("data", "-no-pie", "-fno-PIE")
    running = run(target)
    place = symbols(target)
    names = ("initialized", "zeroed", "constant", "main")
    frames = Symbolizer().user(running.pid, [place[name] + 1 for name in names])
    assert [(frame.named, frame.module) for frame in frames] == [
        *[(False, "")] * 3,
        (True, str(target)),
    ]
    # AND neither does a symbol of a function that lies in data
    (disguised,) = Symbolizer().user(running.pid, [place["disguised"] + 1])
    assert (disguised.named, disguised.module) == (False, "")


def test_stack_and_heap_have_no_frames(build: Callable[..., Path], run: Callable[..., Any]) -> None:
    running = run(build("data"))
    space = AddressSpace.of(running.pid)
    starts = [m.start for m in space.mappings if m.path in ("[heap]", "[stack]", "[vvar]")]
    assert len(starts) >= 2
    assert {frame.module for frame in Symbolizer().stack(space, starts)} == {""}


def test_memory_that_became_code_has_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler at run time writes code first and makes it executable later."""
    monkeypatch.setattr(symbolizer, "RECHECK_S", 0.0)
    code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held = ctypes.c_char.from_buffer(code)
    address = ctypes.addressof(held)
    names = Symbolizer()
    (before,) = names.user(os.getpid(), [address + 8])
    assert before.module == ""
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), 4096, PROT_READ_EXEC) == 0
    (after,) = names.user(os.getpid(), [address + 8])
    assert after.module == "[anonymous]"
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), 4096, PROT_READ_WRITE) == 0
    del held


def test_data_in_a_recording_of_an_earlier_release_is_no_code() -> None:
    heap = Frame("[heap+0x143ec]", "[heap]", 0x143EC, 0x143EC)
    names = RecordedNames()
    names.add(symbols_data((7, 1), {(0x143EC, True): heap, (5, False): Frame("f", "/p", 0, 5)}))
    frames = names.user(7, [5, 0x143EC])
    assert [frame.module for frame in frames] == ["/p", ""]
