# SPDX-License-Identifier: GPL-2.0-or-later
"""The file of a run: JSON Lines, appended to and synced, so that a crash loses no whole block.

The first line says what was run and where (`"format": "polltrace-run"`); each other has a `kind`:
sample, counted, cancel, stacks, noise, block. A block whose `block` line is missing was never
finished: it is kept, and not compared.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polltrace.errors import FrameError, UsageError
from scenarios.scenario import Cell

FORMAT = "polltrace-run"
VERSION = 1
_IN_HEADER = ("scenario", "work", "host", "drivers", "server", "seed", "counts_polls")

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunData:
    """A run, read: its header, its cells, the numbers of its whole blocks, and its lines.

    `torn` is whether the last line was half written.
    """

    header: Line
    cells: Sequence[Cell]
    blocks: frozenset[int]
    lines: Sequence[Line] = field(repr=False)
    torn: bool

    @property
    def how_network(self) -> str:
        """What the network paths were asked to be made by (network.HOW)."""
        network = self.header.get("network")
        return str(network["how"]) if isinstance(network, dict) else "relay"

    @property
    def paths(self) -> Mapping[str, str]:
        """What each network path did, and by what; runs of earlier releases had relays alone and
        do not say."""
        network = self.header.get("network")
        return network["paths"] if isinstance(network, dict) else {}

    def of(self, kind: str) -> list[Line]:
        """The lines of a kind that belong to whole blocks."""
        return [
            each for each in self.lines if each["kind"] == kind and each["block"] in self.blocks
        ]


def read_run(path: Path) -> RunData:
    """Raises UsageError where it cannot be read, FrameError where it is no run of this version."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    try:
        texts = content.decode().split("\n")
        header = json.loads(texts[0])
        if header["format"] != FORMAT:
            raise ValueError
        version = header["version"]
    except (ValueError, KeyError, TypeError):
        raise FrameError(f"{path} is no run: 'polltrace run -o FILE' makes those") from None
    if version != VERSION:
        raise FrameError(f"{path} is a run of version {version}; this release reads {VERSION}")
    try:
        cells = [Cell.of(each) for each in header["cells"]]
        _ = [header[key] for key in _IN_HEADER]
    except (KeyError, TypeError):
        raise FrameError(f"{path}: the first line is damaged") from None
    lines: list[Line] = []
    torn = texts[-1] != ""
    for number, text in enumerate(texts[1:-1], 2):
        try:
            lines.append(json.loads(text))
            _ = lines[-1]["kind"], lines[-1]["block"]
        except (ValueError, KeyError, TypeError):
            raise FrameError(f"{path}: line {number} is damaged") from None
    return RunData(
        header=header,
        cells=cells,
        blocks=frozenset(each["block"] for each in lines if each["kind"] == "block"),
        lines=lines,
        torn=torn,
    )


class RunWriter:
    """Appends lines to a run's file, each on the disk before the next is begun; but samples, which
    come by the thousand and are worth nothing without their block, with the next other line."""

    def __init__(self, path: Path, header: Line | None) -> None:
        """A new file with a header, or, where it is None, an old one to go on with."""
        self.path = path
        try:
            if header is None:
                _cut_torn_line(path)
                self._file = path.open("a")
            else:
                self._file = path.open("x")
        except FileExistsError:
            raise UsageError(
                f"{path} exists: go on with it by --resume {path}, or give another by -o"
            ) from None
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from None
        if header is not None:
            self._write({"format": FORMAT, "version": VERSION, **header})

    def write(self, kind: str, block: int, **values: Any) -> None:
        self._write({"kind": kind, "block": block, **values}, sync=kind != "sample")

    def _write(self, line: Line, *, sync: bool = True) -> None:
        self._file.write(json.dumps(line) + "\n")
        if sync:
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def _cut_torn_line(path: Path) -> None:
    """What a crash left half written goes, so that the next line begins on its own."""
    content = path.read_bytes()
    if not content.endswith(b"\n"):
        os.truncate(path, content.rfind(b"\n") + 1)
