# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions of the scanner, a library in C (scanner/interface.h).

They release Python's lock, so threads scan side by side.
"""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from typing import Any

from polltrace.errors import HostError
from polltrace.executables import find_executable

_VERSION = 5
PADDING = 128  # readable bytes behind a block


def _numbers(names: str) -> list[tuple[str, type[c_int64]]]:
    return [(name, c_int64) for name in names.split()]


class Options(ctypes.Structure):
    """struct scan_options."""

    _fields_ = [
        ("columns", ctypes.c_uint64),
        ("think_us", c_int64),
        ("clock", c_int64),
        ("all_lines", c_int32),
        ("stats", c_int32),
        ("counted", c_int32),
        ("top", c_int32),
    ]


class SummaryStructure(ctypes.Structure):
    """struct summary."""

    _fields_ = [
        *_numbers(
            "bytes lines calls waits statements least_depth first_wall last_wall clock "
            "clock_measured out_of_range negative limited continued_from continues_in "
            "untimed_waits untimed_errors"
        ),
        ("version", ctypes.c_char * 64),
        ("node", ctypes.c_char * 256),
        ("instance", ctypes.c_char * 256),
        *_numbers("elapsed clock_steps cursors_forgotten orphan_calls orphan_c orphan_e"),
    ]


@functools.cache
def library() -> Any:
    """The scanner. Raises HostError where it is not built, or of another release."""
    path = find_executable("libpolltrace-sqltrace.so")
    try:
        scanner = ctypes.CDLL(path)
        version = scanner.sqltrace_version()
    except (OSError, AttributeError) as error:
        raise HostError(f"cannot load {path}: {error}") from None
    if version != _VERSION:
        raise HostError(f"{path} is of another release of polltrace: run 'make build'")
    for name in ("open", "block_new", "window_new", "window_data", "batch", "values", "valid"):
        getattr(scanner, f"sqltrace_{name}").restype = c_void_p
    for name in ("rows", "strings", "binds", "kind", "last_tim"):
        getattr(scanner, f"sqltrace_{name}").restype = c_int64
    scanner.sqltrace_column.restype = c_char_p
    scanner.sqltrace_summary_size.restype = c_size_t
    scanner.sqltrace_open.argtypes = [POINTER(Options)]
    scanner.sqltrace_read.argtypes = [c_void_p, c_void_p, c_void_p, c_size_t]
    scanner.sqltrace_window_move.argtypes = [c_void_p, c_int32, c_int64, c_size_t]
    for name in ("read", "window_move"):
        getattr(scanner, f"sqltrace_{name}").restype = c_size_t
    scanner.sqltrace_batch.argtypes = [c_void_p, c_void_p]
    scanner.sqltrace_pass_line.argtypes = scanner.sqltrace_cut_line.argtypes = [c_void_p, c_int64]
    for name in (
        "close", "block_delete", "batch_delete", "rows", "last_tim",
        "window_data", "window_is_torn", "window_delete",
    ):  # fmt: skip
        getattr(scanner, f"sqltrace_{name}").argtypes = [c_void_p]
    for name in ("values", "valid"):
        getattr(scanner, f"sqltrace_{name}").argtypes = [c_void_p, c_size_t]
    scanner.sqltrace_strings.argtypes = [
        c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_void_p)
    ]  # fmt: skip
    scanner.sqltrace_binds.argtypes = [c_void_p, *[POINTER(c_void_p)] * 3]
    scanner.sqltrace_end.argtypes = [c_void_p, POINTER(SummaryStructure)]
    scanner.sqltrace_kind.argtypes = [c_void_p, c_size_t, POINTER(c_char_p)]
    if scanner.sqltrace_summary_size() != ctypes.sizeof(SummaryStructure):
        raise HostError(f"{path} is of another release of polltrace: run 'make build'")
    return scanner
