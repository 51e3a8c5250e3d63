# SPDX-License-Identifier: GPL-2.0-or-later
"""The few requests of ptrace(2) that stop-at needs, on x86-64.

PTRACE_SEIZE only, and never PTRACE_O_EXITKILL: when a tracer that seized dies, of whatever cause,
the kernel itself lets the tracee run on from wherever it stands.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from dataclasses import dataclass

_GETREGS, _DETACH, _SYSCALL = 12, 17, 24
_SEIZE, _INTERRUPT, _LISTEN = 0x4206, 0x4207, 0x4208
_O_TRACESYSGOOD, _O_TRACECLONE, _O_TRACEEXEC = 0x01, 0x08, 0x10
WALL = 0x40000000

SYSCALL_STOP = signal.SIGTRAP | 0x80
EVENT_EXEC, EVENT_STOP = 4, 128
STOPPING = frozenset({signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})

_REGISTERS = struct.Struct("=27Q")
_NOT_YET = (1 << 64) - 38  # -ENOSYS: in rax from a call's entry until it has a result
_CODE_64 = 0x33

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]


@dataclass(frozen=True, slots=True)
class Registers:
    """Of a thread stopped at a system call; `kept` are those that calls preserve, by DWARF number.

    `entering`: the call has no result yet. `is_64`: it was made by 64-bit code.
    """

    number: int
    arguments: tuple[int, ...]
    instruction: int
    stack: int
    kept: dict[int, int]
    entering: bool
    is_64: bool


def seize(tid: int) -> None:
    """Become the tracer of a thread without stopping it. OSError as ptrace(2)."""
    _request(_SEIZE, tid, _O_TRACESYSGOOD | _O_TRACECLONE | _O_TRACEEXEC)


def interrupt(tid: int) -> None:
    """Stop a thread at the next opportunity."""
    _request(_INTERRUPT, tid)


def resume(tid: int, number: int = 0) -> None:
    """Run on to the next system call's entry or exit, with signal `number` delivered (0: none)."""
    _request(_SYSCALL, tid, number)


def listen(tid: int) -> None:
    """Leave a thread stopped as the signal that stopped it wants."""
    _request(_LISTEN, tid)


def detach(tid: int) -> None:
    """Let a stopped thread run on, untraced."""
    _request(_DETACH, tid)


def registers(tid: int) -> Registers:
    """The registers of a stopped thread."""
    buffer = ctypes.create_string_buffer(_REGISTERS.size)
    _request(_GETREGS, tid, ctypes.addressof(buffer))
    r15, r14, r13, r12, rbp, rbx, _, r10, r9, r8, rax, _, rdx, rsi, rdi, number, rip, cs, _, rsp = (
        _REGISTERS.unpack(buffer.raw)[:20]
    )
    return Registers(
        number=number,
        arguments=(rdi, rsi, rdx, r10, r8, r9),
        instruction=rip,
        stack=rsp,
        kept={3: rbx, 6: rbp, 12: r12, 13: r13, 14: r14, 15: r15},
        entering=rax == _NOT_YET,
        is_64=cs == _CODE_64,
    )


def _request(request: int, tid: int, data: int = 0) -> None:
    if _libc.ptrace(request, tid, None, data) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
