# SPDX-License-Identifier: GPL-2.0-or-later
"""One step of a call stack, by name."""

from __future__ import annotations

from dataclasses import dataclass

KERNEL = "[kernel]"
"""The module of frames in the kernel proper."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A resolved address.

    name: the function, or a note in square brackets (``[libfoo.so+0x1234]``) when none is known;
    module: path of the object as the process sees it, ``[kernel]``, ``[vdso]``, ``[anonymous]`` for
    code made at run time, ``[name]`` of a kernel module; "" where the address lies in no code;
    offset: bytes from the start of the function; for a note, the address as `objdump` and
    `addr2line` know it (or, where not even the headers could be read, the offset in the file);
    address: the address as captured; kernel: whether it lies in the kernel.
    """

    name: str
    module: str
    offset: int
    address: int
    kernel: bool = False

    @property
    def named(self) -> bool:
        """False when `name` is only a note of where the address lies."""
        return not self.name.startswith("[")

    def __str__(self) -> str:
        return f"{self.name}+{self.offset:#x}" if self.named else self.name
