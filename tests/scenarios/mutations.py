# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged copies of a file, the same ones for the same seed."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from typing import Any

COUNT = int(os.environ.get("POLLTRACE_MUTATIONS", "24"))
_NUMBERS = (0, -1, 2**63, 1e308, float("nan"), float("inf"))
_VALUES: tuple[Any, ...] = (*_NUMBERS, None, True, "", "x", "\x1b[31m", [], [1], {}, {"a": 1})


def damaged_json_lines(content: str, count: int = COUNT) -> Iterator[str]:
    """Copies with one value of one line replaced, removed or repeated, and with damaged bytes."""
    lines = content.splitlines()
    for seed in range(count):
        order = random.Random(seed)
        if seed % 4 == 0:
            yield damaged_text(content, order)
            continue
        # The first line describes the others, and has most of the keys.
        number = 0 if order.random() < 0.4 else order.randrange(len(lines))
        line = json.loads(lines[number])
        _replace_one(line, order)
        yield "\n".join([*lines[:number], json.dumps(line), *lines[number + 1 :]]) + "\n"


def damaged_texts(content: str, count: int = COUNT) -> Iterator[str]:
    for seed in range(count):
        yield damaged_text(content, random.Random(seed))


def damaged_text(content: str, order: random.Random) -> str:
    start = order.randrange(len(content))
    end = min(len(content), start + order.randrange(1, 40))
    match order.randrange(4):
        case 0:
            return content[:start] + content[end:]
        case 1:
            return content[:start] + content[start:end] * 2 + content[end:]
        case 2:
            return (
                content[:start] + chr(order.choice([0, 9, 34, 39, 91, 123, 0x202E])) + content[end:]
            )
        case _:
            return content[:start]


def _replace_one(root: Any, order: random.Random) -> None:
    places = list(_places(root))
    holder, key = places[order.randrange(len(places))]
    if isinstance(holder, dict) and order.random() < 0.3:
        del holder[key]
    elif isinstance(holder, list) and order.random() < 0.3:
        holder.append(copy.deepcopy(holder[key]))
    else:
        holder[key] = order.choice(_VALUES)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)
