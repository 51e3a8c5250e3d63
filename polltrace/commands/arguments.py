# SPDX-License-Identifier: GPL-2.0-or-later
"""Types of command-line arguments that commands share; each error names the expected form."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Literal

from polltrace.errors import NoSuchProcessError


def selected(args: argparse.Namespace) -> bool:
    """True if the options select any process."""
    by_group = args.container or args.unit or args.cgroup
    return bool(args.pid or args.name or args.sid or args.all or by_group)


def pid_list(text: str) -> list[int]:
    """PIDs separated by commas.

    Raises ArgumentTypeError for other text, NoSuchProcessError for a number above all PIDs.
    """
    pids = text.split(",")
    if not all(re.fullmatch("[0-9]{1,18}", pid) and int(pid) for pid in pids):
        raise argparse.ArgumentTypeError(f"{text!r} is not a PID, or PIDs separated by commas")
    if too_large := [pid for pid in pids if int(pid) >= _PIDS_END]:
        raise NoSuchProcessError(f"no process {too_large[0]} ('polltrace ps' lists the servers)")
    return [int(pid) for pid in pids]


# The kernel gives no larger PID than one below this.
_PIDS_END = 1 << 22
_SECONDS = {"us": 1e-6, "ms": 1e-3, "": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def duration(text: str) -> float:
    """Seconds from `10s`, `500ms`, `2m`, `1h` or a plain number of seconds.

    Raises ArgumentTypeError for anything else, zero included.
    """
    match = re.fullmatch(r"([0-9]+|[0-9]*\.[0-9]+)\s*([a-z]*)", text.strip())
    value = float(match[1]) * _SECONDS.get(match[2], 0) if match else 0.0
    if match and match[2] in _SECONDS and value == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time at all: give more, like 500ms")
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration, like 10s, 500ms, 2m or 1h")
    return value


def add_duration(
    parser: argparse.ArgumentParser, *flags: str, help: str, default: str | None = None
) -> None:
    """An option that takes a duration; without a default it lasts until Ctrl-C."""
    help_text = f"{help} (default: {default or 'until Ctrl-C'})"
    parser.add_argument(*flags, type=duration, default=default, metavar="TIME", help=help_text)


def add_ssh_arguments(parser: argparse.ArgumentParser, program: str, where: str, help: str) -> None:
    """--ssh, --sudo, and the option `where`: the path of `program` on the other host."""
    remote = parser.add_argument_group("another host")
    remote.add_argument("--ssh", metavar="[USER@]HOST", help=help)
    remote.add_argument(
        where, default=program, metavar="PATH", help="where it is there (default: on the PATH)"
    )
    remote.add_argument(
        "--sudo", action="store_true", help="run it there by 'sudo -n', where root may not log in"
    )


def address(text: str) -> tuple[str, int]:
    """HOST:PORT, [HOST]:PORT or PORT alone, which is on loopback. Raises ArgumentTypeError."""
    host, _, number = text.rpartition(":")
    if not number.isdecimal() or int(number) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(number)


def whole_number(low: int, high: int, description: str = "a whole number") -> Callable[[str], int]:
    """A type for whole numbers from `low` to `high`; its error calls them by the `description`."""

    def parse(text: str) -> int:
        if not (text.isdecimal() and len(text) < 20 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r} is not {description} from {low} to {high}")
        return int(text)

    return parse


every = whole_number(1, 2**31 - 1)
count = whole_number(0, 1000)
tries = whole_number(1, 1000, "a number of tries")
port = whole_number(0, 65535, "a port")
skip = whole_number(1, 1_000_000, "a break_poll_skip")


def stride(text: str) -> int | Literal["auto"]:
    """N of "one in N", or "auto". Raises ArgumentTypeError for anything else."""
    return "auto" if text == "auto" else every(text)


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def byte_size(text: str) -> int:
    """Bytes: a whole number with K, M or G, from 64K. Raises ArgumentTypeError for others."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if not number.isdecimal() or unit not in _UNITS or int(number) * _UNITS[unit] < 1 << 16:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size from 64K (like 500K, 64M, 1G)")
    return int(number) * _UNITS[unit]


def hertz(text: str) -> float:
    """Samples per second, 1 to 10,000. Raises ArgumentTypeError for anything else."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate from 1 to 10000 a second")
    return value
