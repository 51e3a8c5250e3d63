# SPDX-License-Identifier: GPL-2.0-or-later
"""C++ and Rust names as their source has them, by libstdc++'s own demangler.

A short mangled name may stand for gigabytes of text, and nothing bounds the time that a demangler
takes for it. So a child process demangles, within limits, and a name that takes too long stays
mangled.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from polltrace.stacks.errors import UnansweredError
from polltrace.stacks.reading_process import ReadingProcess
from polltrace.stacks.text import LONGEST, printable

LIBRARY = "libstdc++.so.6"
# Seconds for all new names of a request; thousands take some milliseconds.
PATIENCE_S = 2.0
MOST_BYTES = 1 << 28
# A user whose names took too long so many times has mangled names from then on.
MOST_FAILURES_PER_USER = 3
MOST_NAMES = 1 << 16

_MANGLED = re.compile(r"_Z[A-Za-z0-9_.$]+(?:@plt)?")
# Rust's names end in a hash, and write characters that a symbol cannot have in words.
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}(?=$|@)")
_RUST_WORD = re.compile(r"\$(?:(SP|BP|RF|LT|GT|LP|RP|C)|u([0-9a-f]{1,6}))\$")
_RUST_CHARACTERS = {"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")"}
_RUST_CHARACTERS["C"] = ","


def is_mangled(name: str) -> bool:
    """Whether a symbol's name is that of a C++ function, or of a Rust one by the same rules."""
    return name.startswith("_Z") and _MANGLED.fullmatch(name) is not None


def demangled(name: str) -> str:
    """The name in its source with its parameters, `name` itself where it is not understood.

    For a child process: time and memory are not bounded.
    """
    function = _demangler()
    if function is None or not is_mangled(name):
        return name
    base, at, suffix = name.partition("@")
    text = function(base.encode())
    if not text:
        return name
    source = text.decode("utf-8", "replace")
    if _RUST_HASH.search(source):
        source = _of_rust(source)
    return printable(source + at + suffix)


class Demangler:
    """Demangles the names of many processes; remembers the users whose names took too long."""

    def __init__(self) -> None:
        self._process: ReadingProcess[Sequence[str], list[str]] | None = None
        self._names: dict[str, str] = {}
        self._failures: Counter[int | None] = Counter()

    def names(self, names: Sequence[str], user: int | None) -> list[str]:
        """The names as shown, of functions of one user's process; None: an unknown user's."""
        new = {name for name in names if name.startswith("_Z") and name not in self._names}
        if new and self._failures[user] < MOST_FAILURES_PER_USER:
            self._learn(sorted(new), user)
        return [
            self._names.get(name) or printable(name) if name.startswith("_Z") else name
            for name in names
        ]

    def _learn(self, names: list[str], user: int | None) -> None:
        if len(self._names) + len(names) > MOST_NAMES:
            self._names.clear()
        try:
            if self._process is None:
                self._process = ReadingProcess(_demangle_all, MOST_BYTES)
            (answer,) = self._process.replies(names, PATIENCE_S)
        except UnansweredError:
            self._process = None
            self._failures[user] += 1
            return
        self._names |= zip(names, map(printable, answer), strict=True)


def _demangle_all(names: Sequence[str]) -> Iterable[list[str]]:
    yield [demangled(name) for name in names]


def _of_rust(source: str) -> str:
    """A name of Rust's old scheme as rustc shows it: without its hash, with its own characters."""
    words = _RUST_HASH.sub("", source).replace("..", "::")
    # The underscore only lets a part of the name begin as a symbol must.
    return _RUST_WORD.sub(_rust_character, re.sub(r"(^|::)_(?=\$)", r"\1", words))


def _rust_character(match: re.Match[str]) -> str:
    word, code = match.groups()
    if word:
        return _RUST_CHARACTERS[word]
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else match[0]


@lru_cache(maxsize=1)
def _demangler() -> Callable[[bytes], bytes] | None:
    """libstdc++'s demangler; None where the library is not installed."""
    try:
        function = ctypes.CDLL(LIBRARY)["__cxa_demangle"]
        free = ctypes.CDLL(None)["free"]
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_char_p, *[ctypes.c_void_p] * 3]
    free.restype, free.argtypes = None, [ctypes.c_void_p]

    def call(name: bytes) -> bytes:
        size, status = ctypes.c_size_t(), ctypes.c_int()
        text = function(name, None, ctypes.byref(size), ctypes.byref(status))
        if not text:
            return b""
        try:
            # `size` is that of the buffer, which the text need not fill.
            return ctypes.string_at(text, min(size.value, 8 * LONGEST)).partition(b"\0")[0]
        finally:
            free(text)

    return call
