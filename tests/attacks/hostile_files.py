# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that an attacker puts where polltrace reads: the kinds, and how each is made."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import stat
from collections.abc import Callable
from pathlib import Path

Maker = Callable[[Path], object]

_LINKS = [
    *("/proc/kmsg", "/proc/self/mem", "/proc/1/environ", "/proc/self/fd/0", "/proc/sysrq-trigger"),
    *("/proc/self/pagemap", "/proc/kcore", "/dev/zero", "/dev/random", "/dev/tty", "/dev/stdin"),
    *(
        "/dev/kmsg",
        "/dev/full",
        "/dev/ptmx",
        "/sys/kernel/uevent_seqnum",
        "/sys/power/wakeup_count",
    ),
    *("/sys/kernel/debug/tracing/trace_pipe", "/sys/kernel/tracing/trace_pipe", "/etc/shadow"),
]
_DEVICES = {"null": (1, 3), "zero": (1, 5), "kmsg": (1, 11), "tty": (5, 0), "ram": (1, 0)}
_SIZES = [(1 << 20) + 1, 3 << 30, 1 << 40]


def _in_chain(path: Path) -> None:
    """More links, one to the next, than the kernel follows."""
    for number in range(50):
        path.with_name(f"link{number}").symlink_to(f"link{number + 1}")
    path.symlink_to("link0")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        # Its name may be longer than an address: bind where it is short.
        here = Path.cwd()
        os.chdir(path.parent)
        listening.bind(path.name)
        os.chdir(here)


def _leased(path: Path) -> int:
    """Written, and leased: who opens it waits for the holder, this process, for 45 s."""
    path.write_text("BREAK_POLL_SKIP=7\n")
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    fd = os.open(path, os.O_RDWR)
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    return fd


def _sparse(size: int) -> Maker:
    def make(path: Path) -> None:
        path.touch()
        os.truncate(path, size)

    return make


def _device(kind: int, major: int, minor: int) -> Maker:
    return lambda path: os.mknod(path, kind | 0o666, os.makedev(major, minor))


def _fifo_behind_link(path: Path) -> None:
    os.mkfifo(path.with_name("fifo"))
    path.symlink_to("fifo")


UNREADABLE: dict[str, Maker] = {
    "fifo": os.mkfifo,
    "a link to a fifo": _fifo_behind_link,
    "a directory": Path.mkdir,
    "a socket": _socket,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a chain of links": _in_chain,
    "a link to a directory": lambda path: path.symlink_to("."),
    "a leased file": _leased,
    **{f"a sparse file of {size}": _sparse(size) for size in _SIZES},
    **{f"character device {name}": _device(stat.S_IFCHR, *at) for name, at in _DEVICES.items()},
    **{f"block device {name}": _device(stat.S_IFBLK, *at) for name, at in _DEVICES.items()},
}
# Links are resolved below the root that the process has: in a root of its own they lead nowhere.
LINKS: dict[str, Maker] = {
    f"a link to {to}": lambda path, to=to: path.symlink_to(to)  # type: ignore[misc]
    for to in _LINKS
}
_DIGITS = ("9" * 10, "9" * 5000, "1" + "0" * 100_000, "9" * 4300, "9" * 4301)
NUMBERS: dict[str, str] = {f"{len(digits)} digits": digits for digits in _DIGITS}
TEXTS: dict[str, bytes] = {
    "empty": b"",
    "zero bytes": b"\0" * 100_000,
    "no text": bytes(range(256)) * 400,
    "continued for ever": b"A=\n" + b" x\n" * 300_000,
    "one long line": b"A" * (1 << 20),
    "one long value": b"A=" + b"x" * 1_000_000,
    "blanks": b" " * (1 << 20),
    "many parameters": b"".join(b"A%d=1\n" % number for number in range(90_000)),
    "carriage returns": b"A=1\r" * 100_000,
    "line separators": "A=1\u2028".encode() * 100_000,
    "brackets": b"A=" + b"(" * 500_000,
    "quotes": b'A="' * 300_000,
    "comments": b"#\n" * 500_000,
    "equals signs": b"=" * (1 << 20),
    "other digits": "BREAK_POLL_SKIP=٣\n".encode(),
    "superscript digits": "BREAK_POLL_SKIP=²\n".encode(),
    "a negative number": b"BREAK_POLL_SKIP=-5\n",
    "zero": b"BREAK_POLL_SKIP=0\n",
    "underscores": b"BREAK_POLL_SKIP=1_000\n",
    "an exponent": b"BREAK_POLL_SKIP=1e9\n",
    "hexadecimal": b"BREAK_POLL_SKIP=0x10\n",
    "an escape sequence": b"BREAK_POLL_SKIP=\x1b]0;mine\x07\n",
    "colons": b":" * (1 << 20),
}
NAMES: dict[str, str] = {
    "empty": "",
    "blank": " ",
    "root": "/",
    "here": ".",
    "above": "../" * 200,
    "too long": "/x" * 5000,
    "a component too long": "/" + "x" * 300,
    "newlines": "/a\nb",
    "escape sequences": "/\x1b[2J",
    "no UTF-8": "/\udcff\udcfe",
    "proc": "/proc/self/fd",
    "its own root": "/proc/self/root/etc",
    "a process": "/proc/1",
    "devices": "/dev/fd",
    "many slashes": "/" * 4000,
    "a variable": "$ORACLE_HOME",
    "a percent sign": "%s%n%d",
    "a zero byte": "/a\0b",
    "direction": "/\u202etxt",
    "a tilde": "~root",
}
TITLES: dict[str, str] = {
    "nothing": "",
    "a name without end": "oracle" + "A" * (1 << 21),
    "blanks without end": "oracleA" + " " * (1 << 21),
    "brackets without end": "oracleA " + "(" * (1 << 21),
    "many beginnings": "oracleA (" * (1 << 18),
    "many endings": "oracleA (DESCRIPTION=(LOCAL=" * (1 << 16),
    "newlines": "oracleA\n" * (1 << 18),
    "zero bytes": "oracleA \0(LOCAL=NO)",
    "escape sequences": "oracle\x1b[2J (LOCAL=NO)",
    "another direction": "oracle\u202eA (LOCAL=NO)",
    "other letters": "oracleА (LOCAL=NO)",  # noqa: RUF001 - Cyrillic
    "combining marks": "oracle" + "\u0301" * (1 << 20),
}
