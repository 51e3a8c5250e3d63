# SPDX-License-Identifier: GPL-2.0-or-later
"""Check which C files include which (`make lint`).

`layers.py FOLDER` reads FOLDER/layers.txt: one line for each folder below it, lowest first, with
the folders and headers that its files may include. Prints one line for each mistake, in an include
or in the rule itself; the exit code is 1 where there is one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath

_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_rule(text: str) -> tuple[dict[str, set[str]], list[str]]:
    """Allowed includes of each folder, and the mistakes of the rule itself.

    A folder may be a folder of a folder, and its name allows every folder in it as well. A header
    with its folder is a single exception, which may lie above.
    """
    allowed: dict[str, set[str]] = {}
    mistakes = []
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        folder, *targets = words
        for target in targets:
            is_lower = any(low == target or low.startswith(f"{target}/") for low in allowed)
            if not is_lower and not target.endswith((".h", ".c")):
                mistakes.append(f"layers.txt: {folder} names {target}, which is not above it")
        allowed[folder] = {folder, *targets}
    return allowed, mistakes


def names_of(header: str) -> set[str]:
    """Names by which a rule may allow `header`: the file, or a folder that contains it."""
    return {header, *(str(folder) for folder in PurePosixPath(header).parents)}


def check(tree: Path) -> list[str]:
    """Mistakes of the files below `tree`, one line each."""
    allowed, mistakes = read_rule((tree / "layers.txt").read_text())
    if flat := sorted(path.name for path in tree.glob("*.[ch]")):
        mistakes.append(f"in no folder: {', '.join(flat)}")
    used = {folder: {folder} for folder in allowed}
    for path in sorted(tree.glob("*/**/*.[ch]")):
        name = path.relative_to(tree)
        folder = name.parent.as_posix()
        if name.parts[0] == "build":
            continue
        if folder not in allowed:
            mistakes.append(f"{name}: layers.txt has no folder {folder}")
            continue
        for header in _INCLUDE.findall(path.read_text()):
            permits = names_of(header) & allowed[folder]
            used[folder] |= permits
            if not permits:
                mistakes.append(f"{name} includes {header}: {folder} may not")
            elif "/" in header and not (tree / header).is_file():
                mistakes.append(f"{name} includes {header}: there is no such file")
    for folder, rule in allowed.items():
        if unused := sorted(rule - used[folder]):
            mistakes.append(f"layers.txt: {folder} needs no {', '.join(unused)}")
    return mistakes


if __name__ == "__main__":
    mistakes = check(Path(sys.argv[1]))
    print(*mistakes, sep="\n", end="\n" if mistakes else "")
    sys.exit(bool(mistakes))
