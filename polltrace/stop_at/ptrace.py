# SPDX-License-Identifier: GPL-2.0-or-later
"""The requests of ptrace(2) that a tracer needs which loses nothing of its target, on x86-64.

python-ptrace has the call, the registers and the older requests; the ones below it lacks.
PTRACE_SEIZE only, and never PTRACE_O_EXITKILL: when a tracer that seized dies, of whatever cause,
the kernel itself lets the tracee run on from wherever it stands.
"""

from __future__ import annotations

import ctypes
import signal
import struct
from dataclasses import dataclass

from ptrace.binding import func
from ptrace.error import PtraceError

# include/uapi/linux/ptrace.h; python-ptrace 0.9.9 knows none of these.
_SEIZE, _INTERRUPT, _LISTEN, _GET_SYSCALL_INFO = 0x4206, 0x4207, 0x4208, 0x420E
_AUDIT_ARCH_X86_64 = 0xC000003E
WALL = func.THREAD_TRACE_FLAGS

SYSCALL_STOP = signal.SIGTRAP | 0x80
EVENT_EXEC, EVENT_STOP = func.PTRACE_EVENT_EXEC, 128
STOPPING = frozenset({signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})

_THREADS = func.PTRACE_O_TRACESYSGOOD | func.PTRACE_O_TRACECLONE | func.PTRACE_O_TRACEEXEC
_FORKS = func.PTRACE_O_TRACEFORK | func.PTRACE_O_TRACEVFORK


# struct ptrace_syscall_info, Linux 5.3: kind of stop, architecture, instruction, stack pointer; at
# an entry number and arguments, at an exit result and whether it is an error.
_SYSCALL_INFO = struct.Struct("=B3xI10Q")
_info = ctypes.create_string_buffer(_SYSCALL_INFO.size)
_info_address = ctypes.addressof(_info)


@dataclass(frozen=True, slots=True)
class CallEntry:
    """A thread about to make system call `number` with the six `arguments`, at address
    `instruction`, its stack pointer at `stack`; `is_64`: by the numbers of x86-64."""

    number: int
    arguments: tuple[int, ...]
    instruction: int
    stack: int
    is_64: bool


@dataclass(frozen=True, slots=True)
class CallExit:
    """A thread whose system call has returned; `failed`: with an error."""

    failed: bool


def seize(tid: int, follow: bool = False) -> None:
    """Become the tracer of a thread without stopping it; with `follow`, of its children as well.
    Raises OSError as ptrace(2) does, as all of these."""
    _request(_SEIZE, tid, _THREADS | (_FORKS if follow else 0))


def interrupt(tid: int) -> None:
    """Stop a thread at the next opportunity."""
    _request(_INTERRUPT, tid)


def resume(tid: int, number: int = 0) -> None:
    """Run on to the next system call's entry or exit, with signal `number` delivered (0: none)."""
    _request(func.PTRACE_SYSCALL, tid, number)


def listen(tid: int) -> None:
    """Leave a thread stopped as the signal that stopped it wants."""
    _request(_LISTEN, tid)


def detach(tid: int) -> None:
    """Let a stopped thread run on, untraced."""
    _request(func.PTRACE_DETACH, tid)


def system_call(tid: int) -> CallEntry | CallExit | None:
    """The entry or exit at which a thread is stopped; None for a stop outside of a system call."""
    _request(_GET_SYSCALL_INFO, tid, _info_address, _SYSCALL_INFO.size)
    op, arch, instruction, stack, *words, _ = _SYSCALL_INFO.unpack(_info)
    if op == 1:
        number, *arguments = words
        is_64 = arch == _AUDIT_ARCH_X86_64
        return CallEntry(number, tuple(arguments), instruction, stack, is_64)
    return CallExit(bool(words[1] & 0xFF)) if op == 2 else None


def kept_registers(tid: int) -> dict[int, int]:
    """The registers that calls preserve, by DWARF number, of a stopped thread."""
    buffer = func.ptrace_registers_t()
    _request(func.PTRACE_GETREGS, tid, ctypes.addressof(buffer))
    names = {3: "rbx", 6: "rbp", 12: "r12", 13: "r13", 14: "r14", 15: "r15"}
    return {number: getattr(buffer, name) for number, name in names.items()}


def _request(request: int, tid: int, data: int = 0, size: int = 0) -> None:
    try:
        func.ptrace(request, tid, size, data)
    except PtraceError as error:
        raise OSError(error.errno, str(error)) from None
