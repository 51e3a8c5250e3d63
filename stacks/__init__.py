# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses to names; folding, diffing and drawing stacks."""

from typing import TYPE_CHECKING, Any

from stacks.callchain import CallChain, Evidence, Verdict, classify
from stacks.earlyends import EarlyEnds, early_ends
from stacks.errors import ElfError, FormatError, ProcessError, StacksError
from stacks.folded import fold, parse_folded, write_folded
from stacks.frame import Frame

if TYPE_CHECKING:
    from stacks.addrspace import AddressSpace, Mapping
    from stacks.symbolizer import Symbolizer

__all__ = [
    "AddressSpace",
    "CallChain",
    "EarlyEnds",
    "ElfError",
    "Evidence",
    "FormatError",
    "Frame",
    "Mapping",
    "ProcessError",
    "StacksError",
    "Symbolizer",
    "Verdict",
    "classify",
    "early_ends",
    "fold",
    "parse_folded",
    "write_folded",
]


def __getattr__(name: str) -> Any:
    """What needs numpy is imported when it is asked for: a tenth of a second."""
    if name == "Symbolizer":
        from stacks.symbolizer import Symbolizer  # noqa: PLC0415

        return Symbolizer
    if name in ("AddressSpace", "Mapping"):
        from stacks import addrspace  # noqa: PLC0415

        return getattr(addrspace, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
