# SPDX-License-Identifier: GPL-2.0-or-later
"""Drawing of the stacks of engines' servers: the layers' colours, and the function that a page
searches for as it opens."""

from __future__ import annotations

import re
from collections.abc import Iterable

from polltrace.engines.engine import Engine
from polltrace.stacks.layers.table import EMPTY, LayerTable, built_in


def layers_of(engines: Iterable[Engine]) -> LayerTable:
    """The table of these engines; empty where they have none, or several: one prefix may mean
    another layer in each."""
    match list({engine.layers for engine in engines}):
        case [str() as name] if name:
            return built_in(name)
    return EMPTY


def searched(engines: Iterable[Engine]) -> str:
    """A regular expression of the functions of their checks; empty where none is named."""
    return "|".join(sorted({re.escape(engine.find) for engine in engines if engine.find}))
