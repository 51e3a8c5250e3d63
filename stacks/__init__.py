"""Addresses to names; folding, diffing and drawing stacks."""

from stacks.addrspace import AddressSpace, Mapping
from stacks.errors import ElfError, FormatError, ProcessError, StacksError
from stacks.frame import Frame
from stacks.symbolizer import Symbolizer

__all__ = [
    "AddressSpace",
    "ElfError",
    "FormatError",
    "Frame",
    "Mapping",
    "ProcessError",
    "StacksError",
    "Symbolizer",
]
