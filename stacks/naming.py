# SPDX-License-Identifier: GPL-2.0-or-later
"""The choice between several names of one address.

glibc's poll is `poll`, `__poll` and (with debug symbols) `__GI___poll`, `poll@@GLIBC_2.2.5`. A
reader, and an engine's chain, know it as `poll`. The rule, first difference decides:

1. a symbol other objects can call, before a hidden or local one (see `rank` in symbols.py);
2. fewer leading underscores, counting `__GI_` and `__libc_` prefixes as such;
3. no dot (`f.cold`, `f.part.0`, `f.localalias` are the compiler's, not the author's);
4. the shorter; then alphabetical order, small letters first (`_exit`, not `_Exit`), so that the
   answer never depends on the file's order.

A version (`@VERS`, `@@VERS`) is cut off: only glibc's maintainers think in it.
"""

from __future__ import annotations

from collections.abc import Iterable

from polltrace.stacks.demangling import is_mangled
from polltrace.stacks.text import printable

_INTERNAL = ("__GI_", "__libc_", "__new_", "__old_")


def plain(raw: bytes) -> str:
    """A symbol's name: printable, without its version; a mangled one is not cut, since its source
    name may be short."""
    if raw.startswith(b"_Z"):
        mangled = raw.partition(b"@")[0].decode("ascii", "replace")
        if is_mangled(mangled) and not raw.endswith(b"@plt"):
            return mangled
    text = printable(raw)
    separator = text.find("@", 1)
    return text[:separator] if separator > 0 and not text.endswith("@plt") else text


def preferred(candidates: Iterable[tuple[int, str]]) -> str:
    """The name to show among (rank, name); "" when all are empty or assembler marks."""
    usable = [(rank, name) for rank, name in candidates if name and not _is_mark(name)]
    return min(usable, key=lambda c: (c[0], *_oddness(c[1])))[1] if usable else ""


def _oddness(name: str) -> tuple[int, bool, int, str]:
    bare = name
    for prefix in _INTERNAL:
        if bare.startswith(prefix) and len(bare) > len(prefix):
            bare = bare[len(prefix) :]
            break
    underscores = len(bare) - len(bare.lstrip("_")) + (len(name) - len(bare))
    return underscores, "." in name, len(name), name.swapcase()


def _is_mark(name: str) -> bool:
    """Labels that assemblers leave: ARM's $x/$d, and .L locals."""
    return name.startswith((".L", "$x", "$d", "$a", "$t")) and not name.startswith("$dl")
