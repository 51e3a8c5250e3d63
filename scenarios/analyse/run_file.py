# SPDX-License-Identifier: GPL-2.0-or-later
"""The file of a run: JSON Lines, appended to and synced, so that a crash loses no whole block.

The first line describes the run and the host (`"format": "polltrace-run"`). Each other line has a
`kind`: sample, counted, cancel, lost client, stacks, latency, load, noise, block. A block without a
`block` line was never finished: it stays in the file and is not analysed.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.plan.cell import Cell

FORMAT = "polltrace-run"
VERSION = 1
_IN_HEADER = ("scenario", "work", "host", "drivers", "server", "seed", "counts_polls")

_DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_BY_THE_THOUSAND = frozenset({"sample", "latency"})

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunData:
    """The content of a run file.

    - `header`: its first line
    - `cells`: the cells of the run; lines name them by their number in this list
    - `blocks`: the numbers of the whole blocks
    - `lines`: all lines after the first
    - `torn`: whether the last line is incomplete
    """

    header: Line
    cells: Sequence[Cell]
    blocks: frozenset[int]
    lines: Sequence[Line] = field(repr=False)
    torn: bool

    @property
    def how_network(self) -> str:
        """The requested kind of network paths (HOW of run/network/choice.py)."""
        network = self.header.get("network")
        return str(network["how"]) if isinstance(network, dict) else "relay"

    @property
    def paths(self) -> Mapping[str, str]:
        """The effect and the maker of each network path, by name. Runs of earlier releases, which
        had relays only, have no such entry."""
        network = self.header.get("network")
        return network["paths"] if isinstance(network, dict) else {}

    def of(self, kind: str) -> list[Line]:
        """The lines of a kind that belong to whole blocks."""
        return [
            line for line in self.lines if line["kind"] == kind and line["block"] in self.blocks
        ]


def read_run(path: Path) -> RunData:
    """Raises FileError where it cannot be read, or it is no run of this version."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None
    try:
        texts = content.decode().split("\n")
        header = json.loads(texts[0])
        if header["format"] != FORMAT:
            raise ValueError
        version = header["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(f"{path} is no run: 'polltrace run -o FILE' makes those") from None
    if version != VERSION:
        raise FileError(f"{path} is a run of version {version}; this release reads {VERSION}")
    try:
        cells = [Cell.of(cell) for cell in header["cells"]]
        _ = [header[key] for key in _IN_HEADER]
    except (KeyError, TypeError):
        raise FileError(f"{path}: the first line is damaged") from None
    lines: list[Line] = []
    torn = texts[-1] != ""
    for number, text in enumerate(texts[1:-1], 2):
        try:
            lines.append(json.loads(text))
            _ = lines[-1]["kind"], lines[-1]["block"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FileError(f"{path}: line {number} is damaged") from None
    with figures_of(path):
        blocks = frozenset(line["block"] for line in lines if line["kind"] == "block")
    return RunData(header=header, cells=cells, blocks=blocks, lines=lines, torn=torn)


@contextlib.contextmanager
def figures_of(*paths: Path) -> Iterator[None]:
    """Analyse or render the figures of these files within the block.

    A file holds numbers, lists and tables that only the functions which use them know in detail. So
    whatever these raise for a value of the wrong type, size or number is reported as damage of the
    file. Raises FileError.
    """
    try:
        yield
    except _DAMAGE as error:
        names = " or ".join(map(str, paths))
        raise FileError(
            f"{names} has figures that no run writes ({type(error).__name__}: {error})"
        ) from error


class RunWriter:
    """Appends lines to a run's file, each on disk before the next begins.

    Samples come by the thousand and are useless without their block: they are synced with the next
    line of another kind.
    """

    def __init__(self, path: Path, header: Line | None) -> None:
        """A new file with a header, or an old one to continue where the header is None."""
        self.path = path
        try:
            if header is None:
                _cut_torn_line(path)
                self._file = path.open("a", encoding="utf-8")
            else:
                self._file = path.open("x", encoding="utf-8")
        except FileExistsError:
            raise UsageError(
                f"{path} exists: continue it with --resume {path}, or name another with -o"
            ) from None
        except OSError as error:
            raise FileError(f"cannot write {path}: {error.strerror}") from None
        if header is not None:
            self._write({"format": FORMAT, "version": VERSION, **header})

    def write(self, kind: str, block: int, **values: Any) -> None:
        self._write({"kind": kind, "block": block, **values}, sync=kind not in _BY_THE_THOUSAND)

    def _write(self, line: Line, *, sync: bool = True) -> None:
        self._file.write(json.dumps(line) + "\n")
        if sync:
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def _cut_torn_line(path: Path) -> None:
    """Remove an incomplete last line, so that the next line begins on its own."""
    content = path.read_bytes()
    if not content.endswith(b"\n"):
        os.truncate(path, content.rfind(b"\n") + 1)
