# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of kernel functions, from /proc/kallsyms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from polltrace.stacks.frame import KERNEL, Frame
from polltrace.stacks.naming import preferred
from polltrace.stacks.text import printable

KALLSYMS = Path("/proc/kallsyms")
KPTR_RESTRICT = Path("/proc/sys/kernel/kptr_restrict")
LARGEST = 1 << 26


class KernelSymbols:
    """Text symbols sorted by address; empty where kptr_restrict hides the addresses.

    problem: why there are none, and the remedy; "" when there are some.
    """

    def __init__(self, text: bytes, problem: str = "") -> None:
        rows = [line.split() for line in text.split(b"\n")]
        code = [r for r in rows if len(r) >= 3 and r[1] in b"tTwW" and len(r[1]) == 1]
        address = np.array([int(r[0], 16) for r in code], np.uint64)
        order = np.argsort(address, kind="stable")
        self._code = [code[i] for i in order[address[order] != 0]]
        self._address = address[order][address[order] != 0]
        self.problem = problem or ("" if len(self._address) else _why_hidden())

    @classmethod
    def read(cls) -> KernelSymbols:
        """Those of the running kernel; none where the file may not be read."""
        try:
            with KALLSYMS.open("rb") as file:
                return cls(file.read(LARGEST))
        except OSError as error:
            return cls(b"", f"cannot read {KALLSYMS}: {error.strerror}")

    def __len__(self) -> int:
        return len(self._address)

    def frames(self, addresses: Sequence[int], leaf: bool = True) -> tuple[Frame, ...]:
        """Innermost first; only the first is looked up as it is, and only if `leaf`."""
        return tuple(
            self._frame(address, address - (0 if leaf and i == 0 else 1))
            for i, address in enumerate(addresses)
        )

    def _frame(self, address: int, inside: int) -> Frame:
        last = int(np.searchsorted(self._address, np.uint64(max(inside, 0)), "right")) - 1
        if last < 0:
            return Frame(f"[kernel+{address:#x}]", KERNEL, address, address, kernel=True)
        start = self._address[last]
        first = int(np.searchsorted(self._address, start, "left"))
        aliases = self._code[first : last + 1]
        name = preferred((0 if r[1] in b"TW" else 1, printable(r[2])) for r in aliases)
        module = aliases[-1][3].decode("ascii", "replace") if len(aliases[-1]) > 3 else KERNEL
        displayed = name or f"[kernel+{address:#x}]"
        return Frame(displayed, module, address - int(start), address, kernel=True)


def _why_hidden() -> str:
    """The reason why all addresses in kallsyms read as 0 for us."""
    try:
        level = KPTR_RESTRICT.read_text(encoding="utf-8").strip()
    except OSError:
        level = "?"
    if level == "2":
        return "kernel.kptr_restrict is 2, which hides its addresses: sysctl kernel.kptr_restrict=1"
    return f"only root is shown its addresses (kernel.kptr_restrict is {level})"
