# SPDX-License-Identifier: GPL-2.0-or-later
"""A system call with its arguments as python-ptrace formats them, from a copy of the stack."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

from ptrace.ctypes_tools import formatAddress
from ptrace.func_call import FunctionCallOptions
from ptrace.syscall import SYSCALL_PROTOTYPES, PtraceSyscall

from polltrace.stop_at.capture import Capture, StackCopy
from polltrace.stop_at.syscalls import name_of

_REGISTERS = ("rdi", "rsi", "rdx", "r10", "r8", "r9")


def arguments_of(capture: Capture) -> tuple[int, ...]:
    """The registers that the call takes as arguments; all six where their number is not known."""
    prototype = SYSCALL_PROTOTYPES.get(name_of(capture.number))
    return capture.arguments[: 6 if prototype is None else len(prototype[1])]


def call_text(capture: Capture) -> str:
    """`poll(ufds=<pollfd fd=3, events=1, revents=0>, nfds=1, timeout=0)`: the target of a
    pointer where it lies on the stack, else the address."""
    registers = SimpleNamespace(
        orig_rax=capture.number, **dict(zip(_REGISTERS, capture.arguments, strict=True))
    )
    memory = _Memory(capture.copy)
    call = PtraceSyscall(memory, FunctionCallOptions(write_argname=True), registers)
    call.name = name_of(capture.number)
    call.readArguments(capture.arguments)
    for argument in call.arguments:
        if argument.type and argument.type.endswith("*") and not memory.holds(argument.value):
            argument.text = formatAddress(argument.value)
    return str(call.format())


class _Memory:
    """The memory reads of python-ptrace, answered from the copy: the process runs on meanwhile."""

    def __init__(self, copy: StackCopy) -> None:
        self._copy = copy

    def holds(self, address: int) -> bool:
        return 0 <= address - self._copy.stack < len(self._copy.memory)

    def readBytes(self, address: int, size: int) -> bytes:
        """At most `size` bytes: fewer where the stack ends."""
        offset = address - self._copy.stack
        return self._copy.memory[offset : offset + size] if offset >= 0 else b""

    def readStruct(self, address: int, kind: type[ctypes.Structure]) -> ctypes.Structure:
        """Raises ValueError where not all of it is on the stack."""
        return kind.from_buffer_copy(self.readBytes(address, ctypes.sizeof(kind)))

    def readArray(self, address: int, kind: Any, count: int) -> Any:
        return self.readStruct(address, kind * count)

    def readWord(self, address: int) -> int:
        return int.from_bytes(self.readBytes(address, 8), "little")

    def readCString(self, address: int, limit: int) -> tuple[bytes, bool]:
        offset = address - self._copy.stack
        text, end, _ = self._copy.memory[offset : offset + limit].partition(b"\0")
        return text, not end
