# SPDX-License-Identifier: GPL-2.0-or-later
"""The engines' process titles as polltrace-probe's -n takes them."""

from __future__ import annotations

from polltrace.engines import engines
from polltrace.engines.dialect import posix, with_group


def title_pattern(instance: str | None = None) -> str:
    """A POSIX extended regular expression that every engine's process title matches, or that of
    one instance.

    It is about titles alone: that the executable is an engine's is still to be checked.
    """
    titles = dict.fromkeys(engine.title.pattern for engine in engines())
    if instance is not None:
        titles = dict.fromkeys(with_group(title, "instance", instance) for title in titles)
    return "|".join(f"^({posix(title)})" for title in titles)
