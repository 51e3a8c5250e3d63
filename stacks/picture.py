# SPDX-License-Identifier: GPL-2.0-or-later
"""The input of every drawing and export: one profile, or two to be compared."""

from __future__ import annotations

from dataclasses import dataclass

from polltrace.stacks.folded import Folded
from polltrace.stacks.layers.table import EMPTY, LayerTable

NANOSECONDS = "nanoseconds"
"""The unit of counts that are times."""


@dataclass(frozen=True, slots=True)
class Side:
    """One profile, `folded`, and the `name` to call it by."""

    name: str
    folded: Folded


@dataclass(frozen=True, slots=True)
class Picture:
    """One profile, `side`; with `before` two, to show the change since `before`.

    `title` is its heading; layers: functions take their layers' colours; unit: of the counts;
    hz: how often a second of CPU time a sample was taken, 0 where the counts are no samples;
    find: the search of a page that was just opened, a JavaScript regular expression; exporter: name
    and version of the program that writes; notes: sentences on the quality of the stacks.
    """

    title: str
    side: Side
    before: Side | None = None
    layers: LayerTable = EMPTY
    unit: str = "samples"
    hz: float = 0.0
    find: str = ""
    exporter: str = ""
    notes: tuple[str, ...] = ()
