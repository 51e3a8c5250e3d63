# SPDX-License-Identifier: GPL-2.0-or-later
"""Who is told how a measurement goes while it takes its time."""

from __future__ import annotations

from typing import Protocol


class Observer(Protocol):
    """`step` is called with what is measured from now on, `remark` with what may have spoilt it."""

    def step(self, what: str) -> None: ...

    def remark(self, what: str) -> None: ...


class Nobody:
    """The Observer that is told in vain."""

    def step(self, what: str) -> None: ...

    def remark(self, what: str) -> None: ...
