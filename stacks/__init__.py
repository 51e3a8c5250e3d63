# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses to names; folding, diffing and drawing stacks."""

from stacks.addrspace import AddressSpace, Mapping
from stacks.callchain import CallChain, Evidence, Verdict, classify
from stacks.earlyends import EarlyEnds, early_ends
from stacks.errors import ElfError, FormatError, ProcessError, StacksError
from stacks.folded import fold, parse_folded, write_folded
from stacks.frame import Frame
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
