# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of functions as their source has them, from symbols and from the output of other tools."""

from __future__ import annotations

import re
from functools import lru_cache

_PLACE = re.compile(r"\+(?:0x[0-9a-fA-F]+|\d+)$")
_ANONYMOUS = "(anonymous namespace)"
_RUST_HASH = re.compile(r"h[0-9a-f]{16}")
# A hostile symbol may be of any length.
_LONGEST = 4096


def function_name(name: str) -> str:
    """A function's name in its source, without parameters; a name in [brackets] stays none.

    Without `@plt`, without the `+0x44` and `()` that other tools print (Oracle: `nioqts()+68`), and
    without `.cold`, `.isra.0`, `.part.1` and the like, by which a compiler calls the pieces and
    clones of a function. A mangled C++ name becomes its qualified name (`toy::Server::check`) where
    it is made of plain names; templates and operators stay mangled. So does a demangled one.
    """
    return _function_name(name)


def _plain(name: str) -> str:
    if name.startswith("["):
        return name
    name = _PLACE.sub("", name[:_LONGEST]).removesuffix("@plt")
    if name.startswith("_Z"):
        mangled = name.partition(".")[0]
        return _qualified(mangled) or mangled
    name = name.replace(_ANONYMOUS, "{anonymous}")
    if "(" in name.removesuffix("()") or "::" in name:
        return name.partition("(")[0]
    return name.removesuffix("()").partition(".")[0]


# No decorator: mutmut skips decorated functions.
_function_name = lru_cache(1 << 16)(_plain)


def mangled_prefixes(name: str) -> tuple[str, ...]:
    """The beginnings of the C++ symbols of a qualified name; empty for any other name."""
    parts = name.split("::")
    if len(parts) < 2 or not all(parts):
        return ()
    standard = "St" if parts[0] == "std" else ""
    nested = standard + "".join(
        f"{len(part)}{part}"
        for part in ("_GLOBAL__N_1" if part == "{anonymous}" else part for part in parts)
        if not (part == "std" and standard)
    )
    return tuple(f"_ZN{qualifier}{nested}E" for qualifier in ("", "K"))


def _qualified(mangled: str) -> str:
    """The qualified name in a mangled one; empty where it is not made of plain names alone."""
    nested = re.match(r"_ZN[rVK]*", mangled)
    start = re.match(r"_ZL?", mangled)
    position = nested.end() if nested else start.end() if start else 0
    parts: list[str] = []
    if nested and mangled.startswith("St", position):
        parts.append("std")
        position += 2
    while length := re.compile(r"[0-9]{1,4}").match(mangled, position):
        first, end = length.end(), length.end() + int(length[0])
        if end > len(mangled):
            return ""
        part = mangled[first:end]
        parts.append("{anonymous}" if part == "_GLOBAL__N_1" else part)
        position = end
        if not nested:
            return part
    if not nested or mangled[position : position + 1] != "E":
        return ""
    if len(parts) > 1 and _RUST_HASH.fullmatch(parts[-1]):
        parts.pop()
    return "::".join(parts)
