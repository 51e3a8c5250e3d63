# SPDX-License-Identifier: GPL-2.0-or-later
"""Types of command-line arguments that verbs share; each says in one line what it wants."""

from __future__ import annotations

import argparse
import re
from typing import Literal

from polltrace.intervals import FEWEST_VALUES


def pid_list(text: str) -> list[int]:
    """PIDs separated by commas. Raises ArgumentTypeError for anything else."""
    pids = text.split(",")
    if not all(pid.isdecimal() and 0 < int(pid) < 2**22 for pid in pids):
        raise argparse.ArgumentTypeError(f"{text!r} is not a PID, or PIDs separated by commas")
    return [int(pid) for pid in pids]


def seconds(text: str) -> float:
    """A positive number of seconds. Raises ArgumentTypeError for anything else."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def span(text: str) -> float:
    """Seconds from `1`, `1s`, `200ms` or `2min`. Raises ArgumentTypeError for anything else."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|min|)", text.strip())
    value = float(match[1]) * {"ms": 1e-3, "s": 1, "min": 60, "": 1}[match[2]] if match else 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time, as 1s, 200ms or 2min")
    return value


def address(text: str) -> tuple[str, int]:
    """HOST:PORT, [HOST]:PORT or PORT alone, which is on loopback. Raises ArgumentTypeError."""
    host, _, number = text.rpartition(":")
    if not number.isdecimal() or int(number) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(number)


def tries(text: str) -> int:
    """How often to try, 1 to 1000. Raises ArgumentTypeError for anything else."""
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tries (1 to 1000)")
    return int(text)


def every(text: str) -> int:
    """One in so many. Raises ArgumentTypeError for what is not a whole number from 1."""
    if not text.isdecimal() or not 1 <= int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def stride(text: str) -> int | Literal["auto"]:
    """One in so many, or "auto". Raises ArgumentTypeError for anything else."""
    return "auto" if text == "auto" else every(text)


def count(text: str) -> int:
    """How many, none included. Raises ArgumentTypeError for what is not a whole number."""
    if not text.isdecimal() or int(text) > 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 1000")
    return int(text)


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def byte_size(text: str) -> int:
    """Bytes: a whole number with K, M or G, from 64K. Raises ArgumentTypeError for others."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if not number.isdecimal() or unit not in _UNITS or int(number) * _UNITS[unit] < 1 << 16:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size from 64K (like 500K, 64M, 1G)")
    return int(number) * _UNITS[unit]


def hertz(text: str) -> float:
    """Samples a second. Raises ArgumentTypeError for what no sampler should be asked for."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate from 1 to 10000 a second")
    return value


def runs(text: str) -> int:
    """Runs enough for a 95 % interval of their median. Raises ArgumentTypeError for fewer."""
    if not text.isdecimal() or not FEWEST_VALUES <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of runs from {FEWEST_VALUES}, the fewest that give a "
            "95 % interval, to 1000"
        )
    return int(text)


def port(text: str) -> int:
    """A TCP port, 0 for any free one. Raises ArgumentTypeError for anything else."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (0 to 65535)")
    return int(text)


def skip(text: str) -> int:
    """A break_poll_skip. Raises ArgumentTypeError for what cannot be one."""
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a break_poll_skip (1 to 1000000)")
    return int(text)
