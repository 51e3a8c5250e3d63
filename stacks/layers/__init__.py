# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions grouped into layers by the prefixes of their names, from data files next to this
one."""

from polltrace.stacks.layers.table import Layer, LayerTable, Prefix, built_in, parse_layers

__all__ = ["Layer", "LayerTable", "Prefix", "built_in", "parse_layers"]
