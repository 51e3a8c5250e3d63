# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a thread is not on a CPU, by the kernel's functions on its stack."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from polltrace.stacks.frame import Frame

RUN_QUEUE = "run queue"


@dataclass(frozen=True, slots=True)
class Reason:
    """Its `title`, and the functions it is known by: whole `names`, and `prefixes` of names."""

    title: str
    names: frozenset[str]
    prefixes: tuple[str, ...]

    def has(self, functions: Sequence[str]) -> bool:
        return any(name in self.names or name.startswith(self.prefixes) for name in functions)


@dataclass(frozen=True, slots=True)
class ReasonTable:
    """All `reasons`, the first that fits is a stack's; `scheduler` is the function that switches
    threads."""

    scheduler: str
    reasons: tuple[Reason, ...]


def parse_reasons(text: str) -> ReasonTable:
    """The table of a reasons.toml."""
    data = tomllib.loads(text)
    return ReasonTable(data["scheduler"], tuple(_reason(reason) for reason in data["reason"]))


@lru_cache(maxsize=1)
def reasons() -> ReasonTable:
    """The table that is part of this package."""
    return parse_reasons(resources.files(__package__).joinpath("reasons.toml").read_text("utf-8"))


def blocked_by(kernel: Sequence[Frame], state: str) -> str:
    """The title of the reason of a blocked thread by its kernel frames, in any order; "other" with
    the letter of its state where no reason fits or names are missing."""
    functions = [_bare(frame.name) for frame in kernel]
    fitting = (reason.title for reason in reasons().reasons if reason.has(functions))
    return next(fitting, f"other ({state})")


def callers_of_scheduler(kernel: Sequence[Frame]) -> Sequence[Frame]:
    """Kernel frames, innermost first, from the scheduler's caller outwards."""
    outer = 0
    for depth, frame in enumerate(kernel):
        if _bare(frame.name) == reasons().scheduler:
            outer = depth + 1
    return kernel[outer:]


def _reason(data: dict[str, object]) -> Reason:
    functions = data["functions"]
    assert isinstance(functions, list)
    prefixes = tuple(name[:-1] for name in functions if name.endswith("*"))
    return Reason(
        str(data["title"]), frozenset(n for n in functions if not n.endswith("*")), prefixes
    )


def _bare(name: str) -> str:
    """The name without a compiler's suffixes for pieces and clones of a function."""
    return name.partition(".")[0]
