# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks of another host's processes: where each address lies, for want of its executables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polltrace.profiles.frames import Mapped, Maps
from polltrace.stacks import Frame


class Unnamed:
    """Frames as notes, `[oracle+0x37adb]`: the file, and the offset in it."""

    problems: Mapping[str, str] = {}

    def __init__(self) -> None:
        self._maps: dict[int, tuple[Mapped, ...]] = {}

    def note(self, maps: Maps) -> None:
        self._maps[maps.pid] = maps.maps

    def user(self, pid: int, addresses: Sequence[int]) -> Sequence[Frame]:
        return [self._frame(pid, address) for address in addresses]

    def kernel(self, addresses: Sequence[int]) -> Sequence[Frame]:
        return [Frame(f"[{address:#x}]", "", 0, address, kernel=True) for address in addresses]

    def _frame(self, pid: int, address: int) -> Frame:
        for mapped in self._maps.get(pid, ()):
            if mapped.start <= address < mapped.end:
                offset = address - mapped.start + mapped.offset
                name = mapped.path.rpartition("/")[2]
                return Frame(f"[{name}+{offset:#x}]", mapped.path, offset, address)
        return Frame(f"[{address:#x}]", "", 0, address)
