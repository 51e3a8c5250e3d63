# SPDX-License-Identifier: GPL-2.0-or-later
"""The latency of each cell's path, layer by layer."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from polltrace.scenarios.analyse.result import RunResult


def layer_table(result: RunResult) -> Iterator[object]:
    """A heading and the table: milliseconds per round trip, and how many more than the base's."""
    by_label = {cell_result.label: cell_result for cell_result in result.cells}
    names = list(dict.fromkeys(name for cell_result in result.cells for name in cell_result.layers))
    yield "A round trip in ms, the shortest of each block, and what the path adds to the base's:"
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    table.add_column("cell", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for cell_result in result.cells:
        base = by_label.get(cell_result.base or "")
        row = []
        for name in names:
            layer = cell_result.layers.get(name)
            text = "-" if layer is None else f"{1e3 * layer.seconds.value:.3f}"
            if layer is not None and base is not None and name in base.layers:
                text += f" ({1e3 * layer.added_to(base.layers[name]).value:+z.3f})"
            row.append(text)
        table.add_row(cell_result.label, *row)
    yield table
