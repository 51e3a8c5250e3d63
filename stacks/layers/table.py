# SPDX-License-Identifier: GPL-2.0-or-later
"""A table of layers: the meaning of a function's prefix, and its colour in pictures."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from polltrace.stacks.errors import FormatError
from polltrace.stacks.folded import KERNEL_SUFFIX

_COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of a server: `id` in data, `title` for readers; colour is "#rrggbb", light enough for
    black text."""

    id: str
    title: str
    colour: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """The functions whose names begin with `text`: the meaning of the prefix, `means`, and their
    `layer`.

    sources: where from, in full; interpretation: it is a reading of the name, no stated fact.
    """

    text: str
    means: str
    sources: tuple[str, ...]
    interpretation: bool
    layer: Layer


OTHER = Layer("other", "Other functions", "#f2efe9")
NAMELESS = Layer("nameless", "No name known", "#ffffff")
KERNEL = Layer("kernel", "Kernel", "#f0a9a0")


@dataclass(frozen=True)
class LayerTable:
    """All `layers`, in order; `prefixes` of functions' names, and whole `names`, with theirs."""

    layers: tuple[Layer, ...]
    prefixes: Mapping[str, Prefix]
    names: Mapping[str, Layer]

    def prefix(self, name: str) -> Prefix | None:
        """The longest prefix known of a function's name."""
        for length in range(len(name), 0, -1):
            if (found := self.prefixes.get(name[:length])) is not None:
                return found
        return None

    def layer(self, name: str) -> Layer:
        """The layer of a function as folded: KERNEL, NAMELESS for a [note], OTHER if unknown."""
        if name.endswith(KERNEL_SUFFIX):
            return KERNEL
        if name.startswith("["):
            return NAMELESS
        if (exact := self.names.get(name)) is not None:
            return exact
        found = self.prefix(name)
        return OTHER if found is None else found.layer


EMPTY = LayerTable((), {}, {})


def parse_layers(text: str) -> LayerTable:
    """A table from TOML as in the files here. FormatError names the problem."""
    try:
        data = tomllib.loads(text)
        sources = data["sources"]
        layers: list[Layer] = []
        prefixes: dict[str, Prefix] = {}
        names: dict[str, Layer] = {}
        for entry in data["layer"]:
            layer = _layer(entry)
            layers.append(layer)
            names |= dict.fromkeys(entry.get("names", ()), layer)
            for row in entry["prefixes"]:
                prefix = _prefix(row, layer, sources)
                if prefix.text in prefixes:
                    raise FormatError(f"prefix {prefix.text!r} is given twice")
                prefixes[prefix.text] = prefix
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"not a table of layers: {error!r}") from error
    return LayerTable(tuple(layers), prefixes, names)


def built_in_names() -> list[str]:
    """The tables that are shipped."""
    entries = resources.files("polltrace.stacks.layers").iterdir()
    return sorted(e.name.removesuffix(".toml") for e in entries if e.name.endswith(".toml"))


@lru_cache
def built_in(name: str) -> LayerTable:
    """The table shipped under that name. FormatError when there is none."""
    file = resources.files("polltrace.stacks.layers") / f"{name}.toml"
    if not name.isidentifier() or not file.is_file():
        raise FormatError(f"no table of layers is called {name!r}")
    return parse_layers(file.read_text("utf-8"))


def _layer(entry: Mapping[str, Any]) -> Layer:
    if not _COLOUR.fullmatch(entry["colour"]):
        raise FormatError(f"not a colour: {entry['colour']!r}")
    return Layer(entry["id"], entry["title"], entry["colour"])


def _prefix(row: Mapping[str, Any], layer: Layer, sources: Mapping[str, str]) -> Prefix:
    named = tuple(sources[s] for s in row["sources"])
    if not named or not row["text"]:
        raise FormatError(f"prefix {row['text']!r} is empty or has no source")
    return Prefix(row["text"], row["means"], named, row.get("interpretation", False), layer)
