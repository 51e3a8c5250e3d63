# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel that a program's user names, for programs that boot just one."""

from __future__ import annotations

import sys
from typing import NoReturn

from tests.kernels.machine import missing_tools
from tests.kernels.packages import Unpacked, UnreachableError, fetch, matrix


def kernel_or_exit(part: str) -> tuple[str, Unpacked]:
    """Fetch the first kernel of the matrix whose name contains `part`; its whole name, and it.

    Ends the program with a line on stderr otherwise: with 2 where none is named so, with 4 where
    the emulator is missing or the packages cannot be reached.
    """
    if lacks := missing_tools():
        _end(4, f"missing {', '.join(lacks)}: ./setup.sh --tests")
    wanted = next((each for each in matrix() if part in each.name), None)
    if wanted is None:
        names = ", ".join(each.name for each in matrix())
        _end(2, f"no kernel's name contains {part!r}; there are {names}")
    try:
        return wanted.name, fetch(wanted)
    except UnreachableError as reason:
        _end(4, f"{wanted.name}: {reason}")


def _end(code: int, why: str) -> NoReturn:
    print(why, file=sys.stderr)
    sys.exit(code)
