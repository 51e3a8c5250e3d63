# SPDX-License-Identifier: GPL-2.0-or-later
"""`layers.py [FOLDER]`: check that its C includes only what its layers.txt allows (`make lint`).

The default is this folder. Prints a line for each mistake, of the rule or of an include; exit code
1 if there is one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath

HERE = Path(__file__).parent
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_rule(text: str) -> tuple[dict[str, set[str]], list[str]]:
    """By room what it may include, and what is wrong with the rule itself.

    A room is a folder, or a folder of a folder; a name stands for all rooms in it, too. A header
    with its folder is an exception of its own, which may be anywhere.
    """
    allowed: dict[str, set[str]] = {}
    mistakes = []
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        room, *others = words
        for other in others:
            is_above = any(above == other or above.startswith(f"{other}/") for above in allowed)
            if not is_above and not other.endswith((".h", ".c")):
                mistakes.append(f"layers.txt: {room} names {other}, which is not above it")
        allowed[room] = {room, *others}
    return allowed, mistakes


def names_of(header: str) -> set[str]:
    """What a rule may name to allow an include of `header`: it, or a folder that it is in."""
    return {header, *(str(folder) for folder in PurePosixPath(header).parents)}


def check(tree: Path) -> list[str]:
    """What is wrong in the rooms below `tree`, one line each."""
    allowed, mistakes = read_rule((tree / "layers.txt").read_text())
    if flat := sorted(each.name for each in tree.glob("*.[ch]")):
        mistakes.append(f"in no room: {', '.join(flat)}")
    used = {room: {room} for room in allowed}
    for path in sorted(tree.glob("*/**/*.[ch]")):
        name = path.relative_to(tree)
        room = name.parent.as_posix()
        if name.parts[0] == "build":
            continue
        if room not in allowed:
            mistakes.append(f"{name}: layers.txt has no room {room}")
            continue
        for header in _INCLUDE.findall(path.read_text()):
            rule = names_of(header) & allowed[room]
            used[room] |= rule
            if not rule:
                mistakes.append(f"{name} includes {header}: {room} may not")
            elif "/" in header and not (tree / header).is_file():
                mistakes.append(f"{name} includes {header}: there is no such file")
    for room, rule in allowed.items():
        if unused := sorted(rule - used[room]):
            mistakes.append(f"layers.txt: {room} needs no {', '.join(unused)}")
    return mistakes


if __name__ == "__main__":
    found = check(Path(sys.argv[1]) if sys.argv[1:] else HERE)
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
