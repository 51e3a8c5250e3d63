# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of kernel functions, from /proc/kallsyms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stacks.frame import Frame
from stacks.naming import preferred
from stacks.text import printable

KERNEL = "[kernel]"
LARGEST = 1 << 26
_NO_NAME = f"{KERNEL[:-1]}+"


class KernelSymbols:
    """Text symbols sorted by address; empty where kptr_restrict hides the addresses."""

    def __init__(self, text: bytes) -> None:
        rows = [line.split() for line in text.split(b"\n")]
        code = [r for r in rows if len(r) >= 3 and r[1] in b"tTwW" and len(r[1]) == 1]
        address = np.array([int(r[0], 16) for r in code], np.uint64)
        order = np.argsort(address, kind="stable")
        self._code = [code[i] for i in order[address[order] != 0]]
        self._address = address[order][address[order] != 0]

    @classmethod
    def read(cls) -> KernelSymbols:
        """Those of the running kernel; none where the file may not be read."""
        try:
            with Path("/proc/kallsyms").open("rb") as file:
                return cls(file.read(LARGEST))
        except OSError:
            return cls(b"")

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
            return Frame(f"[kernel+{address:#x}]", KERNEL, address, address)
        start = self._address[last]
        first = int(np.searchsorted(self._address, start, "left"))
        aliases = self._code[first : last + 1]
        name = preferred((0 if r[1] in b"TW" else 1, printable(r[2])) for r in aliases)
        module = aliases[-1][3].decode("ascii", "replace") if len(aliases[-1]) > 3 else KERNEL
        return Frame(name or f"[kernel+{address:#x}]", module, address - int(start), address)
