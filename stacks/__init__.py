# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses to names; folding, diffing and drawing stacks."""

from typing import TYPE_CHECKING, Any

from polltrace.stacks.callchain import CallChain, ChainMatch, Verdict, classify
from polltrace.stacks.earlyends import EarlyEnds, early_ends, up_to_beginning
from polltrace.stacks.errors import ElfError, FormatError, ProcessError, StacksError
from polltrace.stacks.folded import fold, parse_folded, write_folded
from polltrace.stacks.frame import Frame
from polltrace.stacks.function_names import function_name

if TYPE_CHECKING:
    from polltrace.stacks.addrspace import AddressSpace, Mapping
    from polltrace.stacks.symbolizer import Symbolizer

__all__ = [
    "AddressSpace",
    "CallChain",
    "ChainMatch",
    "EarlyEnds",
    "ElfError",
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
    "function_name",
    "parse_folded",
    "up_to_beginning",
    "write_folded",
]


def __getattr__(name: str) -> Any:
    """Imports the modules that need numpy on first use: they take a tenth of a second."""
    if name == "Symbolizer":
        from polltrace.stacks.symbolizer import Symbolizer  # noqa: PLC0415

        return Symbolizer
    if name in ("AddressSpace", "Mapping"):
        from polltrace.stacks import addrspace  # noqa: PLC0415

        return getattr(addrspace, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
