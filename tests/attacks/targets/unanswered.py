# SPDX-License-Identifier: GPL-2.0-or-later
"""unanswered.py KIND DIRECTORY: a process with memory or a mapping that nobody answers for.

KIND is the request of a FUSE file system, whose file the process maps as code, that is never
answered: `read`, or `open` after the first; or `page`: its arguments lie in memory of which
userfaultfd(2) never delivers a page. Writes its PID and the address of the mapping,
or twice 0 where that is not permitted, then waits for the end of its input, and ends with
everything that waits for it. Needs root.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import struct
import sys
from pathlib import Path

PAGE = 4096
_USERFAULTFD, _UFFDIO_API, _UFFDIO_REGISTER, _UFFD_API = 323, 0xC018AA3F, 0xC020AA00, 0xAA
_PR_SET_MM, _ARG_START, _ARG_END = 35, 8, 9
_CLONE_NEWNS, _MS_REC_PRIVATE = 0x20000, 0x4000 | 0x40000
_LOOKUP, _FORGET, _GETATTR, _OPEN, _READ, _INIT, _INTERRUPT = 1, 2, 3, 14, 15, 26, 36
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


def checked(result: int) -> int:
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def mapped(protection: int, flags: int, fd: int) -> int:
    return checked(_libc.mmap(None, PAGE, protection, flags, fd, 0) or -1)


def page_that_never_arrives() -> int:
    address = mapped(mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1)
    faults = checked(_libc.syscall(_USERFAULTFD, os.O_CLOEXEC))
    fcntl.ioctl(faults, _UFFDIO_API, struct.pack("=QQQ", _UFFD_API, 0, 0))
    fcntl.ioctl(faults, _UFFDIO_REGISTER, struct.pack("=QQQQ", address, PAGE, 1, 0))
    for bound, place in ((_ARG_END, address + PAGE), (_ARG_START, address)):
        arguments = (_PR_SET_MM, bound, ctypes.c_ulong(place), ctypes.c_ulong(0))
        checked(_libc.prctl(*arguments, ctypes.c_ulong(0)))
    return address


def attributes(node: int) -> bytes:
    kind = 0o100755 if node == 2 else 0o040755
    return struct.pack("=6Q3I7I", node, PAGE, 8, 0, 0, 0, 0, 0, 0, kind, 1, 0, 0, 0, PAGE, 0)


def serve(fuse: int, unanswered: str) -> None:
    opened = 0
    while True:
        request = os.read(fuse, 1 << 18)
        _, operation, unique, node = struct.unpack_from("=IIQQ", request)
        error, body = 0, b""
        if operation == _INIT:
            body = struct.pack("=IIIIHHII28x", 7, 31, 0, 0, 0, 0, PAGE, 1)
        elif operation == _LOOKUP:
            body = struct.pack("=QQQQII", 2, 0, 1000, 1000, 0, 0) + attributes(2)
        elif operation == _GETATTR:
            body = struct.pack("=QII", 1000, 0, 0) + attributes(node)
        elif operation == _OPEN:
            opened += 1
            if opened > 1 and unanswered == "open":
                continue
            body = struct.pack("=QII", 0, 0, 0)
        elif operation in (_READ, _FORGET, _INTERRUPT):
            continue
        else:
            error = -38  # ENOSYS
        os.write(fuse, struct.pack("=IiQ", 16 + len(body), error, unique) + body)


def file_that_never_answers(unanswered: str, directory: str) -> int:
    checked(_libc.unshare(_CLONE_NEWNS))
    checked(_libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC_PRIVATE), None))
    fuse = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    checked(_libc.mount(b"t", directory.encode(), b"fuse", ctypes.c_ulong(0), options))
    ended, until_end = os.pipe()
    if os.fork() == 0:
        os.close(until_end)
        if os.fork() == 0:
            serve(fuse, unanswered)
        os.read(ended, 1)
        os.killpg(0, 9)
    os.close(fuse)
    file = os.open(Path(directory) / "program", os.O_RDONLY)
    return mapped(mmap.PROT_READ | mmap.PROT_EXEC, mmap.MAP_PRIVATE, file)


def main() -> None:
    kind, directory = sys.argv[1:]
    os.setpgid(0, 0)
    try:
        address = (
            page_that_never_arrives()
            if kind == "page"
            else file_that_never_answers(kind, directory)
        )
    except PermissionError:
        print(0, 0, flush=True)
        return
    print(os.getpid(), address, flush=True)
    sys.stdin.read()


main()
