# SPDX-License-Identifier: GPL-2.0-or-later
"""The engines' process titles as polltrace-probe's -n takes them."""

from __future__ import annotations

import re

from polltrace.engines import engines

# Python's notations that POSIX extended expressions lack: named groups, and classes by letter.
_NAMED_GROUP = re.compile(r"\(\?P<\w+>")


def title_pattern() -> str:
    """A POSIX extended regular expression that every engine's process title matches.

    It is about titles alone: that the executable is an engine's is still to be checked.
    """
    titles = dict.fromkeys(engine.title.pattern for engine in engines())
    return "|".join(f"^{_posix(title)}" for title in titles)


def _posix(pattern: str) -> str:
    return _NAMED_GROUP.sub("(", pattern).replace(r"\s", "[[:space:]]")
