# SPDX-License-Identifier: GPL-2.0-or-later
"""The engines' process titles as polltrace-probe's -n takes them."""

from __future__ import annotations

import re

from polltrace.engines import engines
from polltrace.engines.dialect import posix as dialect_posix
from polltrace.engines.dialect import with_group

# Python's notations that POSIX extended expressions lack.
_NAMED_GROUP = re.compile(r"\(\?(P<\w+>|:)")
_CLASSES = {r"\s": "[[:space:]]", r"\d": "[0-9]", r"\w": "[[:alnum:]_]"}


def title_pattern(instance: str | None = None) -> str:
    """A POSIX extended regular expression that every engine's process title matches, or that of
    one instance.

    It is about titles alone: that the executable is an engine's is still to be checked.
    """
    titles = dict.fromkeys(engine.title.pattern for engine in engines())
    if instance is not None:
        titles = dict.fromkeys(with_group(title, "instance", instance) for title in titles)
    return "|".join(f"^({dialect_posix(title)})" for title in titles)


def posix(pattern: str) -> str:
    """A Python expression as polltrace-probe takes it: groups without names, classes by name."""
    pattern = _NAMED_GROUP.sub("(", pattern)
    for ours, theirs in _CLASSES.items():
        pattern = pattern.replace(ours, theirs)
    return pattern
