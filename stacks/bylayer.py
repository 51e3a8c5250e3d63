# SPDX-License-Identifier: GPL-2.0-or-later
"""A picture in which the steps are layers instead of functions."""

from __future__ import annotations

from dataclasses import replace

from polltrace.stacks.earlyends import END
from polltrace.stacks.folded import Folded
from polltrace.stacks.layers.table import KERNEL, NAMELESS, OTHER, LayerTable
from polltrace.stacks.picture import Picture
from polltrace.stacks.selecting import grouped


def by_layer(picture: Picture) -> Picture:
    """The same stacks, functions of one layer that call one another merged into one step."""
    layers = (*picture.layers.layers, NAMELESS, OTHER, KERNEL)
    titles = LayerTable(picture.layers.layers, {}, {layer.title: layer for layer in layers})

    def group(name: str) -> str:
        return name if name.startswith(END) else picture.layers.layer(name).title

    def merged(folded: Folded) -> Folded:
        return grouped(folded, group)

    before = picture.before and replace(picture.before, folded=merged(picture.before.folded))
    side = replace(picture.side, folded=merged(picture.side.folded))
    return replace(picture, side=side, before=before, layers=titles)
