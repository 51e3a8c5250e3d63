# SPDX-License-Identifier: GPL-2.0-or-later
"""Check the English of docstrings, comments and names (`make lint`).

`prose.py [--list] [FOLDER]` counts three things over the tracked Python and C files outside tests:

- fragments: docstrings whose first word needs a neighbour ("Of", "The same", "What"). An editor's
  hover shows a docstring alone;
- vague names: variables and parameters whose name says nothing of their value (`_VAGUE`);
- frequent words: "what" for every 10,000 words of docstrings and comments. English that uses it
  often describes things instead of naming them.

The exit code is 1 where a share exceeds its limit in `LIMITS`; `--list` prints every place.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LIMITS = {"fragments": 2.0, "vague names": 1.0, "what": 15.0}

_FRAGMENT = re.compile(
    r"(of|the same|those|that|its|by|as|what|who|whose|where|when|whether|how|one|all|instead|for"
    r"|from|until|with|without|in|to|none|also|both|and|or|but|which|not|there|here)\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"_*(after|again|asked|at|before|begun|done|each|found|given|gone|got|had|held|here|is_it|kept"
    r"|known|least|left|less|made|meant|more|most|now|ones?|others?|own|rest|said|same|seen|shown"
    r"|sought|taken|that|there|these|things?|this|those|told|wanted|ways?|what|whole|woken)$"
)
_DECLARATION = re.compile(
    r"\s*(?:static |const |unsigned |struct |enum )*\w+\s+\**(?:const )?(\w+)\s*(?:=|;|\[)"
)
_C_STATEMENTS = {"return", "else", "goto", "case"}


class SourceText(NamedTuple):
    """A name, a docstring or a comment of a source file, with its first line."""

    kind: str
    line: int
    text: str


def python_texts(source: str) -> Iterator[SourceText]:
    """Names, docstrings and comments of a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if docstring := ast.get_docstring(node):
                yield SourceText("docstring", getattr(node, "lineno", 1), docstring)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield SourceText("name", node.lineno, node.id)
        elif isinstance(node, ast.arg):
            yield SourceText("name", node.lineno, node.arg)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield SourceText("comment", token.start[0], token.string)


def c_texts(source: str) -> Iterator[SourceText]:
    """Names and line comments of a C file."""
    for number, line in enumerate(source.splitlines(), 1):
        code, slashes, comment = line.partition("//")
        if slashes:
            yield SourceText("comment", number, comment)
        match = _DECLARATION.match(code)
        if match and match[1] not in _C_STATEMENTS:
            yield SourceText("name", number, match[1])


def texts_of(folder: Path) -> Iterator[tuple[str, SourceText]]:
    """Every text of the tracked sources below `folder`, tests excepted, with the file's name."""
    listed = subprocess.run(
        ["git", "-C", folder, "ls-files", "*.py", "*.c", "*.h"],
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        path = folder / name
        if "tests" in Path(name).parts or "docs" in Path(name).parts or not path.is_file():
            continue
        read = python_texts if path.suffix == ".py" else c_texts
        for text in read(path.read_text(encoding="utf-8")):
            yield name, text


class ProseTotals:
    """Counts over all texts, and the places that `--list` prints."""

    def __init__(self) -> None:
        self.docstrings = self.fragments = self.names = self.vague = self.words = self.whats = 0
        self.places: list[str] = []

    def add(self, name: str, text: SourceText) -> None:
        if text.kind == "name":
            self.names += 1
            if _VAGUE.match(text.text):
                self.vague += 1
                self.places.append(f"{name}:{text.line}: vague name {text.text}")
            return
        words = re.findall(r"[a-z']+", text.text.lower())
        self.words += len(words)
        self.whats += words.count("what")
        if "what" in words:
            self.places.append(f"{name}:{text.line}: what")
        if text.kind == "docstring":
            self.docstrings += 1
            if _FRAGMENT.match(text.text):
                self.fragments += 1
                self.places.append(f"{name}:{text.line}: fragment {text.text.splitlines()[0]}")

    def shares(self) -> dict[str, float]:
        """The measured value of each limit: per cent, and for "what" occurrences in 10,000."""
        return {
            "fragments": 100 * self.fragments / max(1, self.docstrings),
            "vague names": 100 * self.vague / max(1, self.names),
            "what": 10_000 * self.whats / max(1, self.words),
        }


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the English of docstrings and names.")
    parser.add_argument("--list", action="store_true", help="print every place")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[1])
    args = parser.parse_args()
    totals = ProseTotals()
    for name, text in texts_of(args.folder):
        totals.add(name, text)
    if args.list:
        print(*totals.places, sep="\n")
    exceeded = {key: share for key, share in totals.shares().items() if share > LIMITS[key]}
    for key, share in exceeded.items():
        print(f"prose: {key} {share:.1f}, limit {LIMITS[key]:.1f}: python lint/prose.py --list")
    return int(bool(exceeded))


if __name__ == "__main__":
    sys.exit(main())
